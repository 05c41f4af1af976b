"""Distributes changes to a sink per fluent or event, with the arguments in typed columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pyspark.sql import DataFrame

from holdsfor.compiler.analysis.entities import EntityKind
from holdsfor.compiler.plan import Plan
from holdsfor.diagnostics import HoldsforError
from holdsfor.spark.arguments import ArgumentColumns, columns_of, require_types
from holdsfor.spark.job import SourceRows
from holdsfor.spark.streaming.sinks import FunctionSink, Sink, as_sink

NamedSink: TypeAlias = Sink | Mapping[str, Sink]
"""A sink for all changes, or one per fluent (event) by name."""


@dataclass(frozen=True)
class NamedSinks:
    """Passes the rows of each fluent, or event, to its sink. A sink without rows in a batch is not called."""

    sinks: tuple[tuple[ArgumentColumns, FunctionSink], ...]

    def __call__(self, rows: DataFrame, batch: int) -> None:
        """Write the rows of a batch."""
        for columns, sink in self.sinks:
            if not rows.where(columns.where).isEmpty():
                sink(columns.added(rows), batch)


def require_column_types(types: Mapping[str, str] | None, sinks: Iterable[FunctionSink | None]) -> None:
    """Reports types of columns that no sink receives."""
    named = [one for sink in sinks if isinstance(sink, NamedSinks) for one, _ in sink.sinks]
    require_types(types, [title for one in named for title in one.titles])


@dataclass(frozen=True)
class SinkMaker:
    """Creates sinks from the user's arguments."""

    plan: Plan
    sources: Sequence[SourceRows]
    style: str
    types: Mapping[str, str] | None = None

    def made(self, sink: NamedSink, kind: EntityKind, fixed: Iterable[str]) -> FunctionSink:
        """A sink for changes of fluents, or of events, with the columns `fixed`."""
        if not isinstance(sink, Mapping):
            return as_sink(sink, self.style)
        if not sink:
            raise HoldsforError("there is no sink: give each fluent one by its name, or one for all of them")
        columns = columns_of(self.plan, kind, list(sink), self.sources, list(fixed), self.types)
        return NamedSinks(tuple((one, as_sink(sink[one.name], self.style)) for one in columns))
