"""Facts from files and tables, for metric programs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.metric.facts import FactSet, Signature
from holdsfor.io.given import listed_paths
from holdsfor.io.inputs import input_files
from holdsfor.io.mapping import make_mapping, read_mapping
from holdsfor.io.metric_frames import facts_from_frames, read_metric_tables
from holdsfor.io.metric_text import read_metric_facts
from holdsfor.io.rejects import Rejects

FactsInput: TypeAlias = str | Path | Iterable[str | Path] | Mapping[str, Any]
"""Files of facts, or tables by predicate name."""
MappingInput: TypeAlias = str | Path | Mapping[str, Any] | None
"""What the columns of files are: a TOML file, or its contents."""


@dataclass(frozen=True)
class MetricReading:
    """What was read: facts, how many there were, and those that no rule reads or derives."""

    facts: FactSet
    dictionary: Dictionary
    rows: int
    unknown: dict[str, int]
    rejects: Rejects


def read_facts(
    known: Collection[Signature],
    facts: FactsInput,
    *,
    mapping: MappingInput = None,
    unit: str = "s",
    rejects: Rejects | None = None,
    dictionary: Dictionary | None = None,
    tick: Fraction | None = None,
) -> MetricReading:
    """Read facts from files or tables; files are text (`P(a)@3`) unless a mapping describes them.

    With a tick, facts at other times than multiples of it are put aside.
    """
    rejects = rejects or Rejects()
    dictionary = Dictionary() if dictionary is None else dictionary
    found = _read(facts, mapping, unit, rejects, dictionary, tick)
    names = {name for name, _ in known}
    unknown = {
        f"{name}/{arity}" if name in names else name: table.rows
        for (name, arity), table in sorted(found.tables.items(), key=lambda item: item[0])
        if (name, arity) not in known
    }
    rows = sum(table.rows for table in found.tables.values())
    return MetricReading(found, dictionary, rows, unknown, rejects)


def _read(
    facts: FactsInput,
    mapping: MappingInput,
    unit: str,
    rejects: Rejects,
    dictionary: Dictionary,
    tick: Fraction | None,
) -> FactSet:
    if isinstance(facts, Mapping):
        return facts_from_frames(facts, dictionary, rejects, unit, tick)
    paths = listed_paths(facts, "facts", 'give files, or tables by predicate name such as {"P": table}')
    if mapping is None:
        return read_metric_facts(input_files(paths), dictionary, rejects, tick=tick)
    described = make_mapping(mapping) if isinstance(mapping, Mapping) else read_mapping(mapping)
    return read_metric_tables(input_files(paths, described), described, dictionary, rejects, tick=tick)
