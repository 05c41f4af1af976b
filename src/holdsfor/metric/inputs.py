"""Facts from files and tables, for metric programs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.metric.facts import FactSet, Signature
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.given import listed_paths
from holdsfor.io.inputs import input_files
from holdsfor.io.mapping import TableMapping, make_mapping, read_mapping
from holdsfor.io.metric_frames import facts_from_frames, read_metric_tables
from holdsfor.io.metric_text import read_metric_facts
from holdsfor.io.rejects import Rejects
from holdsfor.times import TimeScale, unit_of

FactsInput: TypeAlias = str | Path | Iterable[str | Path] | Mapping[str, Any]
"""Files of facts, or tables by predicate name."""
MappingInput: TypeAlias = str | Path | Mapping[str, Any] | None
"""A mapping of the columns of files: a TOML file, or its contents."""


@dataclass(frozen=True)
class MetricReading:
    """Facts that were read, their number, and the numbers of those that no rule reads or derives."""

    facts: FactSet
    dictionary: Dictionary
    rows: int
    unknown: dict[str, int]
    rejects: Rejects
    time_scale: TimeScale | None = None

    @property
    def unit(self) -> str | None:
        """The time unit, if it is known."""
        return None if self.time_scale is None else self.time_scale.unit


def read_facts(
    known: Collection[Signature],
    facts: FactsInput,
    *,
    mapping: MappingInput = None,
    unit: str | None = None,
    declared: TimeScale | None = None,
    rejects: Rejects | None = None,
    dictionary: Dictionary | None = None,
    tick: Fraction | None = None,
) -> MetricReading:
    """Read facts from files or tables; files are text (`P(a)@3`) unless a mapping describes them.

    Timestamps are counted in the unit that the rules have `declared`, else in that of the mapping or in the `unit`, without
    one in seconds. With a tick, facts at other times than multiples of it are set aside.
    """
    rejects = rejects or Rejects()
    dictionary = Dictionary() if dictionary is None else dictionary
    described = _described(facts, mapping, unit, declared)
    given = declared_unit(facts, mapping, unit, declared)
    found = _read(facts, described, given or "s", rejects, dictionary, tick)
    names = {name for name, _ in known}
    unknown = {
        f"{name}/{arity}" if name in names else name: table.rows
        for (name, arity), table in sorted(found.tables.items(), key=lambda item: item[0])
        if (name, arity) not in known
    }
    rows = sum(table.rows for table in found.tables.values())
    known_unit = given or ("s" if found.dated else None)
    scale = declared or (None if known_unit is None else TimeScale(known_unit))
    return MetricReading(found, dictionary, rows, unknown, rejects, scale)


def declared_unit(facts: FactsInput, mapping: MappingInput, unit: str | None, declared: TimeScale | None) -> str | None:
    """The unit that is known before facts are read: the rules, a mapping or the caller declare it."""
    described = _described(facts, mapping, unit, declared)
    return described.unit if described is not None and described.declares_unit else unit_of(declared, unit)


def _described(
    facts: FactsInput, mapping: MappingInput, unit: str | None, declared: TimeScale | None
) -> TableMapping | None:
    if mapping is None or isinstance(facts, Mapping):
        return None
    described = make_mapping(mapping) if isinstance(mapping, Mapping) else read_mapping(mapping)
    return described.with_unit(unit, declared)


def _read(
    facts: FactsInput,
    described: TableMapping | None,
    unit: str,
    rejects: Rejects,
    dictionary: Dictionary,
    tick: Fraction | None,
) -> FactSet:
    if isinstance(facts, Mapping):
        return facts_from_frames(facts, dictionary, rejects, unit, tick)
    paths = listed_paths(facts, "facts", 'give files, or tables by predicate name such as {"P": table}')
    if described is None:
        return read_metric_facts(input_files(paths), dictionary, rejects, tick=tick, unit=unit)
    return read_metric_tables(input_files(paths, described), described, dictionary, rejects, tick=tick)


class Counted:
    """The time unit of a stream to which facts are pushed; all facts must agree in it."""

    def __init__(self, declared: TimeScale | None = None, unit: str | None = None) -> None:
        self._declared = declared
        given = unit_of(declared, unit)
        self.scale = declared or (None if given is None else TimeScale(given))

    @property
    def unit(self) -> str | None:
        """The unit, if it is known."""
        return None if self.scale is None else self.scale.unit

    def read(self, known: Collection[Signature], facts: FactsInput, *, unit: str | None, **given: Any) -> MetricReading:
        """Read facts, as `read_facts` does."""
        wanted = unit_of(self._declared, unit)
        if wanted is not None and self.unit not in (None, wanted):
            raise HoldsforError(f"this stream counts time in {self.unit!r}, not {wanted!r}")
        reading = read_facts(known, facts, unit=wanted or self.unit, declared=self._declared, **given)
        self.scale = self.scale or reading.time_scale
        return reading
