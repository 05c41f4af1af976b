"""Adds the arguments of one fluent, or one derived event, as typed columns of a DataFrame.

A DataFrame has its columns before it has rows, so their types are inferred from the columns of the input and the rules.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import types as T  # noqa: N812 -- everyone's name for it

from holdsfor.columns.dictionary import Value, plain_text
from holdsfor.compiler.analysis.argument_kinds import ANY, NUMBER, TEXT, WHOLE, Kinds, Place, argument_kinds
from holdsfor.compiler.analysis.argument_names import argument_columns
from holdsfor.compiler.analysis.entities import EntityKind
from holdsfor.compiler.analysis.similar import suggest
from holdsfor.compiler.plan import Plan
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.arguments import argument_values, rows_named
from holdsfor.spark.columns import literal
from holdsfor.spark.job import SourceRows
from holdsfor.spark.session import spare_worker
from holdsfor.syntax.numbers import EXACT
from holdsfor.syntax.operators import INFIX, PREFIX
from holdsfor.syntax.printer import print_constant

TYPES: dict[str, tuple[T.DataType, pa.DataType]] = {
    "bigint": (T.LongType(), pa.int64()),
    "double": (T.DoubleType(), pa.float64()),
    "string": (T.StringType(), pa.string()),
}
"""The possible types of argument columns."""
_SLOTS = {"l": WHOLE, "d": NUMBER, "s": TEXT}
_INFINITE = {"inf": math.inf, "- inf": -math.inf}


@dataclass(frozen=True)
class ArgumentColumns:
    """The argument columns of a fluent or event: their names and types."""

    name: str
    term: str
    """The column with the terms: `fluent` or `event`."""
    titles: tuple[str, ...]
    types: tuple[str, ...]

    @property
    def where(self) -> str:
        """An SQL condition for terms of this name. Workers examine terms that contain operators."""
        if self.name in INFIX or self.name in PREFIX:
            return "true"
        shown = print_constant(self.name)
        return f"({self.term} = {literal(shown)} or startswith({self.term}, {literal(f'{shown}(')}))"

    def added(self, rows: DataFrame) -> DataFrame:
        """The rows of this fluent or event, with their arguments."""
        more = [T.StructField(title, TYPES[kind][0]) for title, kind in zip(self.titles, self.types, strict=True)]
        chosen = rows.where(self.where)
        return chosen.mapInArrow(_function(self), T.StructType([*chosen.schema.fields, *more]))

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The same for rows on a worker."""
        for batch in batches:
            table = rows_named(pa.Table.from_batches([batch]), self.term, self.name)
            encoded = table[self.term].combine_chunks().dictionary_encode()
            columns = argument_values(encoded.dictionary.to_pylist(), self.name, len(self.titles))
            for title, kind, values in zip(self.titles, self.types, columns, strict=True):
                typed = [_typed(value, kind, title, self.name) for value in values]
                column = pa.array(typed, TYPES[kind][1]).take(encoded.indices)
                table = table.append_column(title, column)
            yield from table.to_batches()


def _typed(value: Value | None, kind: str, title: str, name: str) -> Any:
    """A value converted to the type of its column; a value that does not fit is an error, because it would be lost."""
    if value is None or kind == "string":
        return None if value is None else plain_text(value)
    if kind == "bigint" and isinstance(value, int) and -(1 << 63) <= value < 1 << 63:
        return value
    if kind == "double":
        if isinstance(value, float) or (isinstance(value, int) and abs(value) < EXACT):
            return float(value)
        if plain_text(value) in _INFINITE:
            return _INFINITE[plain_text(value)]
    raise HoldsforError(
        f"{plain_text(value)}, an argument of {name}, does not fit into the column {title}, which is {kind}; "
        f'give the column another type: column_types={{"{title}": "string"}}'
    )


def _function(columns: ArgumentColumns) -> Any:
    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        spare_worker()
        yield from columns(batches)

    return work


def input_kinds(sources: Iterable[SourceRows]) -> dict[Place, Kinds]:
    """The kinds of arguments and values of events and input fluents, from the columns of the input."""
    found: dict[Place, Kinds] = {}
    for rows in sources:
        symbol = rows.symbol
        classes = enumerate(rows.args) if len(rows.args) == symbol.arity else ((i, "x") for i in range(symbol.arity))
        for place, slot in (*classes, *(() if rows.value is None else ((-1, rows.value),))):
            key = (symbol.name, symbol.arity, place)
            found[key] = found.get(key, frozenset()) | _SLOTS.get(slot, ANY)
    return found


def columns_of(
    plan: Plan,
    kind: EntityKind,
    names: Collection[str],
    sources: Iterable[SourceRows],
    fixed: Sequence[str],
    types: Mapping[str, str] | None = None,
) -> list[ArgumentColumns]:
    """The additional columns of fluents or derived events; `types` overrides inferred types."""
    arities: dict[str, int] = {}
    for symbol in plan.outputs:
        if symbol.kind is kind:
            arities[symbol.name] = max(arities.get(symbol.name, 0), symbol.arity)
    require_known(names, arities, "fluent" if kind is EntityKind.FLUENT else "event")
    program = plan.analysis.written
    kinds = argument_kinds(program, input_kinds(sources))
    term = "fluent" if kind is EntityKind.FLUENT else "event"
    found = []
    for name in names:
        titles = argument_columns(program, kind, name, arities[name], fixed)
        found.append(ArgumentColumns(name, term, tuple(titles), types_of(name, titles, kinds, types)))
    return found


def types_of(
    name: str, titles: Sequence[str], kinds: Mapping[Place, Kinds], given: Mapping[str, str] | None
) -> tuple[str, ...]:
    """The types of argument columns: as given, or a type for all possible values, over all arities."""
    arity = len(titles)
    found = []
    for place, title in enumerate(titles):
        known = [kinds.get((name, size, place), frozenset()) for size in range(place + 1, arity + 1)]
        found.append((given or {}).get(title, type_of(frozenset().union(*known))))
    return tuple(found)


def type_of(kinds: Kinds) -> str:
    """A column type that represents values of some kinds.

    >>> type_of(WHOLE), type_of(NUMBER), type_of(TEXT | WHOLE), type_of(frozenset())
    ('bigint', 'double', 'string', 'string')
    """
    if not kinds or not kinds <= NUMBER:
        return "string"
    return "bigint" if kinds <= WHOLE else "double"


def require_types(types: Mapping[str, str] | None, titles: Collection[str]) -> None:
    """Reports types for unknown columns, and types that no argument can have."""
    for title, kind in (types or {}).items():
        if title not in titles:
            close = suggest(title, titles)
            hint = f"did you mean {close}?" if close else f"there are {', '.join(titles) or 'none'}"
            raise HoldsforError(f"column_types: no argument has a column {title!r}; {hint}")
        if kind not in TYPES:
            raise HoldsforError(f"column_types: {title} can be {', '.join(TYPES)}, not {kind!r}")


def require_known(names: Iterable[str], known: Collection[str], what: str) -> None:
    """Reports the first name that rules do not define."""
    for name in names:
        if name not in known:
            close = suggest(name, known)
            hint = f"did you mean {close}?" if close else f"there are {', '.join(sorted(known)) or 'none'}"
            raise HoldsforError(f"no rule defines {'an' if what == 'event' else 'a'} {what} {name}; {hint}")
