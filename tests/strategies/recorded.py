"""Rows of RTEC's stream format as records, which is what the reference evaluator reads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from holdsfor.columns.dictionary import Dictionary
from holdsfor.compiler.analyse import Analysis
from holdsfor.io.builder import Builder, Reading
from holdsfor.io.layouts import Layouts
from holdsfor.io.records import records
from holdsfor.io.rejects import Malformed
from holdsfor.io.rtec_csv import collect, read_rtec
from holdsfor.io.rtec_rows import parse
from holdsfor.reference.history import Occurrence, Record, event_term


class RowReader:
    """Rows as records."""

    def __init__(self, analysis: Analysis) -> None:
        self._entities = analysis.entities

    def read(self, paths: Iterable[str | Path]) -> RecordReading:
        """Read files."""
        return RecordReading(read_rtec(paths, self._entities))

    def record(self, fields: list[str]) -> Record | None:
        """The record of a row, None if no rule knows its name; ValueError says what is wrong."""
        builder = Builder()
        text = "|".join([*fields[:-1], f"{fields[-1]}\n"])
        collect(parse(text.encode(), Layouts(self._entities)), builder, "", 0)
        if builder.rejects.first:
            raise ValueError(builder.rejects.first[0].reason)
        found = RecordReading(builder.finish(Dictionary())).records
        return found[0] if found else None


class RecordReading:
    """What was read, as records."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self.malformed: list[Malformed] = list(reading.rejects.by_name.values())
        self.unknown = reading.unknown
        self.names = reading.provided

    @property
    def records(self) -> list[Record]:
        """The good rows."""
        return records(self._reading.stream, self._reading.dictionary)


def happened(name: str, time: int, *args: str | float) -> Record:
    """An event that arrived when it happened."""
    return Occurrence(event_term(name, args), time, time)
