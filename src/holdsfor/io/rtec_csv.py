"""Reads RTEC's stream format: `name|arrival|occurrence|arg…` and its forms for input fluents, row by row."""

from __future__ import annotations

import gzip
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import EntityKind, Role
from holdsfor.reference.history import InputInterval, Occurrence, Record, event_term
from holdsfor.syntax.terms import Const, Term


@dataclass(frozen=True, slots=True)
class Malformed:
    """A row that could not be read."""

    file: str
    line: int
    text: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}: {self.text!r}"


@dataclass
class Stream:
    """What was read: good records, bad rows, and the names that no rule knows."""

    records: list[Record] = field(default_factory=list)
    malformed: list[Malformed] = field(default_factory=list)
    unknown: dict[str, int] = field(default_factory=dict)
    names: set[tuple[str, int]] = field(default_factory=set)


class RowReader:
    """Turns rows into records, knowing from the program which names are input fluents."""

    def __init__(self, analysis: Analysis) -> None:
        self._fluents: dict[str, set[int]] = {}
        self._events: dict[str, set[int]] = {}
        for entity in analysis.entities:
            if entity.symbol.kind is EntityKind.EVENT:
                self._events.setdefault(entity.symbol.name, set()).add(entity.symbol.arity)
            elif entity.role is Role.INPUT_FLUENT:
                self._fluents.setdefault(entity.symbol.name, set()).add(entity.symbol.arity)

    def read(self, paths: Iterable[Path]) -> Stream:
        """Read files; a `.gz` ending means compressed."""
        stream = Stream()
        for path in paths:
            for number, text in enumerate(_lines(path), 1):
                if text.strip():
                    self._row(text, str(path), number, stream)
        return stream

    def _row(self, text: str, file: str, number: int, stream: Stream) -> None:
        fields = text.split("|")
        try:
            record = self.record(fields)
        except ValueError as problem:
            stream.malformed.append(Malformed(file, number, text, str(problem)))
            return
        if record is None:
            stream.unknown[fields[0]] = stream.unknown.get(fields[0], 0) + 1
            return
        stream.records.append(record)
        stream.names.add((fields[0], self._arity(record)))

    @staticmethod
    def _arity(record: Record) -> int:
        term = record.event if isinstance(record, Occurrence) else record.fluent
        return len(getattr(term, "args", ()))

    def record(self, fields: list[str]) -> Record | None:
        """The record of a row, None if no rule knows its name; ValueError says what is wrong."""
        name, width = fields[0], len(fields)
        arities = self._fluents.get(name, set())
        if width - 5 in arities:
            start, end = _time(fields[2], "start"), _end(fields[3])
            if end <= start:
                raise ValueError(f"the interval ends at {fields[3]}, before it starts at {fields[2]}")
            return InputInterval(
                _term(name, fields[5:]), Const(_value(fields[4])), start, end, _time(fields[1], "arrival")
            )
        if width - 4 in arities:
            time = _time(fields[2], "time")
            return InputInterval(
                _term(name, fields[4:]),
                Const(_value(fields[3])),
                time,
                time + 1,
                _time(fields[1], "arrival"),
                is_point=True,
            )
        if width - 3 in self._events.get(name, ()):
            return Occurrence(_term(name, fields[3:]), _time(fields[2], "occurrence"), _time(fields[1], "arrival"))
        if name in self._fluents or name in self._events:
            known = self._events.get(name, set()) | arities
            raise ValueError(
                f"{name} takes {' or '.join(map(str, sorted(known)))} arguments in the rules; this row has {width} fields"
            )
        return None


def _lines(path: Path) -> Iterator[str]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8", errors="replace", newline="") as file:
        for line in file:
            yield line.rstrip("\r\n")


def _term(name: str, args: list[str]) -> Term:
    return event_term(name, [_value(arg) for arg in args])


def _value(text: str) -> str | int | float:
    """A number where the field is one, else text."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return text
    return number if math.isfinite(number) else text


def _time(text: str, what: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{what} {text!r} is not a whole number") from None


def _end(text: str) -> float:
    return math.inf if text.strip() in ("inf", "infinity", "") else _time(text, "end")
