"""Adds the arguments of one metric predicate as typed columns of a DataFrame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import types as T  # noqa: N812 -- everyone's name for it

from holdsfor.compiler.analysis.argument_kinds import (
    ANY,
    NUMBER,
    TEXT,
    WHOLE,
    Kinds,
    Place,
    metric_argument_kinds,
)
from holdsfor.compiler.analysis.argument_names import first_variables, named_columns
from holdsfor.compiler.metric.plan import MetricPlan
from holdsfor.io.metric_frames import columns_by_name
from holdsfor.ir.metric import MetricProgram
from holdsfor.spark.arguments import require_known, require_types, types_of
from holdsfor.spark.columns import identifier, literal
from holdsfor.spark.connectors.payload import unreadable_column
from holdsfor.spark.metric.reading import FrameKind
from holdsfor.spark.nested import kind_at
from holdsfor.spark.streaming.sinks import FunctionSink

Frames = Sequence[tuple[DataFrame, FrameKind]]


@dataclass(frozen=True)
class PredicateColumns:
    """The argument columns of a predicate: their names and types."""

    predicate: str
    titles: tuple[str, ...]
    types: tuple[str, ...]

    @property
    def where(self) -> str:
        """An SQL condition for the rows of this predicate."""
        return f"predicate = {literal(self.predicate)}"

    def added(self, rows: DataFrame) -> DataFrame:
        """The rows of this predicate, with their arguments."""
        columns = [
            f"cast(get(args, {place}) as {kind}) as {identifier(title)}"
            for place, (title, kind) in enumerate(zip(self.titles, self.types, strict=True))
        ]
        return rows.where(self.where).selectExpr("*", *columns)


@dataclass(frozen=True)
class PredicateSinks:
    """Passes the rows of each predicate to its sink. A sink without rows in a batch is not called."""

    sinks: tuple[tuple[PredicateColumns, FunctionSink], ...]

    def __call__(self, rows: DataFrame, batch: int) -> None:
        """Write the rows of a batch."""
        for columns, sink in self.sinks:
            if not rows.where(columns.where).isEmpty():
                sink(columns.added(rows), batch)


def predicate_columns(
    plan: MetricPlan,
    program: MetricProgram,
    predicates: Sequence[str],
    frames: Frames,
    fixed: Sequence[str],
    types: Mapping[str, str] | None = None,
) -> list[PredicateColumns]:
    """The columns of predicates beside those that their table has already; `types` overrules types."""
    arities: dict[str, int] = {}
    for relation in plan.outputs:
        arities[relation.name] = max(arities.get(relation.name, 0), relation.arity)
    require_known(predicates, arities, "predicate")
    # Facts as text, or with the predicate in a column, may have any predicate and any arguments.
    has_names = all(source.name is not None or source.mapping is not None for _, source in frames)
    kinds = metric_argument_kinds(program, _input_kinds(frames)) if has_names else {}
    found = []
    for predicate in predicates:
        titles = named_columns(first_variables(plan.variables, predicate, arities[predicate]), fixed)
        found.append(PredicateColumns(predicate, tuple(titles), types_of(predicate, titles, kinds, types)))
    require_types(types, [title for one in found for title in one.titles])
    return found


def _input_kinds(frames: Frames) -> dict[Place, Kinds]:
    """The kinds of arguments according to the columns of DataFrames; facts as text are ignored."""
    found: dict[Place, Kinds] = {}
    for frame, source in frames:
        names = source.names or frame.columns
        lost = unreadable_column(names)
        fields = zip(names, frame.schema.fields, strict=True)
        schema = T.StructType([T.StructField(name, field.dataType) for name, field in fields if name != lost])
        for name, args in _columns(source, schema.names):
            for place, column in enumerate(args):
                key = (name, len(args), place)
                kind = kind_at(schema, column)
                kinds = ANY if kind is None else _kinds(kind, untyped=source.untyped)
                found[key] = found.get(key, frozenset()) | kinds
    return found


def _columns(source: FrameKind, there: list[str]) -> Iterator[tuple[str, Sequence[str]]]:
    if source.name is not None:
        yield source.name, columns_by_name(source.name, there, source.name).args
    elif source.mapping is not None:
        yield from ((entry.name, entry.args) for entry in source.mapping.entries)


def _kinds(kind: T.DataType, *, untyped: bool) -> Kinds:
    match kind:
        case T.ByteType() | T.ShortType() | T.IntegerType() | T.LongType():
            return WHOLE
        case T.FloatType() | T.DoubleType():
            return NUMBER
        case T.StringType():
            return ANY if untyped else TEXT
        case _:
            return ANY
