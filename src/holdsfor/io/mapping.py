"""Reads mappings: small TOML files that map columns of tables to events and input fluents."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from holdsfor.compiler.analysis.entities import EntityKind
from holdsfor.compiler.analysis.similar import suggest
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.layouts import Form, Layout, Layouts
from holdsfor.times import UNIT_WORDS, UNITS, TimeScale, unit_of

FORMATS = ("csv", "jsonl", "json", "parquet")
"""The values of `format`: `jsonl` has one object per line, `json` is a document."""
_SHARED = ("name", "time", "arrival")
_TOP = ("unit", "format", "delimiter", "rows", *_SHARED, "event", "fluent")
_KEYS = {
    EntityKind.EVENT: ("file", "where", "time", "arrival", "args"),
    EntityKind.FLUENT: ("file", "where", "time", "start", "end", "value", "arrival", "args"),
}


@dataclass(frozen=True)
class Entry:
    """The columns of one event or input fluent. A fluent without an end column is given point by point.

    `place` is the source position for messages.
    """

    place: str
    kind: EntityKind
    name: str
    start: str
    args: tuple[str, ...] = ()
    end: str | None = None
    value: str | None = None
    arrival: str | None = None
    where: Mapping[str, object] = field(default_factory=dict)
    file: str | None = None

    @property
    def form(self) -> Form:
        """How its rows represent time."""
        if self.kind is EntityKind.EVENT:
            return Form.EVENT
        return Form.POINT if self.end is None else Form.INTERVAL

    @property
    def columns(self) -> list[str]:
        """All columns that the entry reads."""
        named = [self.start, self.end, self.value, self.arrival, *self.args, *self.where]
        return list(dict.fromkeys(column for column in named if column is not None))

    def is_about(self, path: str | Path) -> bool:
        """Whether the entry applies to a file."""
        return self.file is None or fnmatch(Path(path).name, self.file) or fnmatch(str(path), self.file)

    def layout(self, layouts: Layouts) -> Layout | None:
        """The layout of its rows; None if no rule mentions the name. Raises HoldsforError if they cannot fit."""
        symbol = layouts.find(self.name, self.kind, len(self.args))
        if symbol is not None:
            return layouts.layout(symbol, self.form)
        if not layouts.knows(self.name):
            return None
        raise HoldsforError(f"{self.place}: {self._misfit(layouts)}")

    def _misfit(self, layouts: Layouts) -> str:
        other = EntityKind.FLUENT if self.kind is EntityKind.EVENT else EntityKind.EVENT
        if layouts.find(self.name, other, len(self.args)) is not None:
            meant = (
                "an input fluent: it needs start and end, or time and value"
                if self.kind is EntityKind.EVENT
                else "an event"
            )
            return f"in the rules {self.name} is {meant}"
        given = ", ".join(self.args) or "none"
        return f"{layouts.arguments(self.name)}; here it has {len(self.args)} ({given})"


@dataclass(frozen=True)
class TableMapping:
    """All entries of a mapping, and the settings for every file."""

    name: str
    entries: tuple[Entry, ...]
    unit: str = "s"
    format: str | None = None
    delimiter: str | None = None
    name_column: str | None = None
    declares_unit: bool = False
    """Whether the mapping declares the time unit."""
    rows: str | None = None
    """The path of the array with the rows of a JSON document."""

    def with_unit(self, unit: str | None, declared: TimeScale | None = None) -> TableMapping:
        """The mapping with the time unit that rules declare or the user gives; they must not conflict."""
        unit = unit_of(declared, unit)
        if unit is None or (self.declares_unit and self.unit == unit):
            return self
        if self.declares_unit:
            other = f"unit is {unit!r}" if declared is None else f"the rules declare time_unit({unit})"
            raise HoldsforError(f"{other}, but {self.name} says {self.unit!r}; leave one of them out")
        return replace(self, unit=unit, declares_unit=True)

    def of_file(self, path: str | Path) -> list[Entry]:
        """The entries that apply to a file; there must be at least one."""
        found = [entry for entry in self.entries if entry.is_about(path)]
        if not found:
            raise HoldsforError(f"no entry of {self.name} is about {path}; see its `file` patterns")
        return found


def read_mapping(path: str | Path) -> TableMapping:
    """Read a mapping file."""
    try:
        data = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as problem:
        raise HoldsforError(f"cannot read {path}: {problem.strerror or problem}") from problem
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise HoldsforError(f"{path} is not a TOML file: {problem}") from problem
    return make_mapping(data, str(path))


def make_mapping(data: Mapping[str, Any], name: str = "mapping") -> TableMapping:
    """A mapping from the contents of a TOML file.

    >>> made = make_mapping({"time": "ts", "event": {"unlock": {"args": ["door"]}}})
    >>> made.entries[0].columns
    ['ts', 'door']
    """
    _known_keys(data, _TOP, name)
    unit = _unit(data.get("unit", "s"), f"{name}: unit")
    style = None if "format" not in data else _one_of(data["format"], FORMATS, f"{name}: format")
    shared = {key: _text(data[key], f"{name}: {key}") for key in _SHARED if key in data}
    entries = []
    for kind in EntityKind:
        for entry, table in _table(data.get(kind.value, {}), f"{name}: {kind.value}").items():
            entries.append(_entry(kind, entry, _table(table, f"{name}: {kind.value}.{entry}"), shared, name))
    if not entries:
        raise HoldsforError(f"{name} maps nothing: write an [event.NAME] or [fluent.NAME] table")
    delimiter = _text(data["delimiter"], f"{name}: delimiter") if "delimiter" in data else None
    rows = _text(data["rows"], f"{name}: rows") if "rows" in data else None
    return TableMapping(name, tuple(entries), unit, style, delimiter, shared.get("name"), "unit" in data, rows)


def _entry(kind: EntityKind, name: str, table: Mapping[str, Any], shared: Mapping[str, str], file: str) -> Entry:
    place = f"{file}: {kind.value}.{name}"
    _known_keys(table, _KEYS[kind], place)
    texts = {key: _text(table[key], f"{place}: {key}") for key in table if key not in ("args", "where")}
    start = texts.get("start") or texts.get("time") or shared.get("time")
    if start is None:
        needed = "`time`" if kind is EntityKind.EVENT else "`start` and `end`, or `time`"
        raise HoldsforError(f"{place} does not say which column has its time: write {needed}")
    if "start" in texts and "end" not in texts:
        raise HoldsforError(f"{place} has a start and no end; points are given by `time`")
    where = dict(_flat(_table(table.get("where", {}), f"{place}: where")))
    if "name" in shared:
        where.setdefault(shared["name"], name)
    args = table.get("args", [])
    if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
        raise HoldsforError(f"{place}: args must be a list of column names")
    arrival = texts.get("arrival") or shared.get("arrival")
    return Entry(
        place, kind, name, start, tuple(args), texts.get("end"), texts.get("value"), arrival, where, texts.get("file")
    )


def _flat(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, object]]:
    """Values by column. TOML parses the path in `user.type = "guest"` as a nested table."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def _known_keys(table: Mapping[str, Any], known: Iterable[str], place: str) -> None:
    for key in table:
        if key not in known:
            close = suggest(key, known)
            hint = f"did you mean {close}?" if close else f"it may have {', '.join(known)}"
            raise HoldsforError(f"{place} has a key {key!r} that means nothing; {hint}")


def _table(value: object, place: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise HoldsforError(f"{place} must be a table")
    return value


def _text(value: object, place: str) -> str:
    if not isinstance(value, str):
        raise HoldsforError(f"{place} must be text, not {value!r}")
    return value


def _unit(value: object, place: str) -> str:
    return UNIT_WORDS[value] if isinstance(value, str) and value in UNIT_WORDS else _one_of(value, UNITS, place)


def _one_of(value: object, known: Iterable[str], place: str) -> str:
    if value not in tuple(known):
        raise HoldsforError(f"{place} must be one of {', '.join(known)}, not {value!r}")
    return str(value)
