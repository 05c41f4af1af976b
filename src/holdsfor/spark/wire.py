"""Defines the rows exchanged between stages: one narrow table for events, intervals and results of every kind.

A row has a `tag` for its kind, times, and *slots* for its arguments, which all kinds of rows share. A slot has a class:
`l` integers, `d` floats, `s` words, `u` text of untyped files, `x` any term, as text with a prefix letter for its type.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.columns.dictionary import Dictionary, Value, value_of
from holdsfor.columns.kernels import EMPTY, Ints
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.diagnostics import Source
from holdsfor.io.columns import Cells
from holdsfor.io.layouts import Form
from holdsfor.spark.keys import distinct_codes
from holdsfor.syntax.numbers import number_text, read_integer
from holdsfor.syntax.parser import parse
from holdsfor.syntax.printer import print_term

RESULT, DERIVED, COUNTS, MOMENTS, ARRIVALS, BUCKET, SIZES, DELIVERY = -1, -2, -3, -4, -5, -6, -7, -8
"""Tags of rows that are not input: results, counts, from -4 on information about the whole stream for a bucket, and
messages of an engine to that of a later stage.
"""
RESULT_STAGE = 2**15 - 1
SECOND = 16
"""Where rows have no ends, the second number of such information has a row of its own; its tag is lower by this."""
TAG_BITS, LOWEST_TAG = 14, 128
"""In shuffles, tag and bucket are one number: the lower bits contain the tag, counted from the lowest."""
MOST_TAGS, MOST_BUCKETS = 2**TAG_BITS - LOWEST_TAG, 2 ** (31 - TAG_BITS)

_TYPES = {"l": pa.int64(), "d": pa.float64(), "s": pa.string(), "u": pa.string(), "x": pa.string()}
_SQL = {
    pa.int64(): "bigint",
    pa.int32(): "int",
    pa.int16(): "smallint",
    pa.int8(): "tinyint",
    pa.float64(): "double",
    pa.string(): "string",
    pa.binary(): "binary",
    pa.timestamp("us", "UTC"): "timestamp",
}


@dataclass(frozen=True)
class Tag:
    """A kind of rows: the slots of its arguments and, for fluents, of its value."""

    symbol: Symbol
    args: tuple[str, ...]
    value: str | None
    form: Form


@dataclass(frozen=True)
class Wire:
    """The columns of the rows that enter a stage."""

    slots: tuple[str, ...]
    staged: bool
    """Whether there are several stages, so that rows contain their stage and query time."""
    arrivals: bool
    deliveries: bool = False
    """Whether engines send messages to those of later stages."""

    @property
    def schema(self) -> pa.Schema:
        """The columns without the bucket, which the shuffle has already used."""
        columns = [("tag", pa.int16()), ("t0", pa.int64()), ("t1", pa.int64())]
        if self.arrivals:
            columns.append(("arrival", pa.int64()))
        columns += [(slot, _TYPES[slot[0]]) for slot in self.slots]
        if self.staged:
            columns += [("stage", pa.int16()), ("q", pa.int64())]
        if self.deliveries:
            columns.append(("data", pa.binary()))
        return pa.schema(columns)

    @property
    def out_schema(self) -> pa.Schema:
        """The columns of rows that a stage sends, each with its bucket."""
        return self.schema.append(pa.field("bucket", pa.int32()))


FINAL = pa.schema(
    [
        ("tag", pa.int16()),
        ("query_time", pa.int64()),
        ("fluent", pa.string()),
        ("value", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),
    ]
)
"""The output columns of the last stage."""


def sql_types(schema: pa.Schema) -> dict[str, str]:
    """The columns of a schema with their types in SQL."""
    return {field.name: _SQL[field.type] for field in schema}


def ddl(schema: pa.Schema) -> str:
    """A schema as Spark writes it."""
    return ", ".join(f"`{name}` {kind}" for name, kind in sql_types(schema).items())


def text_of(value: Value) -> str:
    """A value as text with its type.

    >>> [text_of(value) for value in (5, "5", 2.5)]
    ['i5', 's5', 'f2.5']
    """
    if isinstance(value, str):
        return f"s{value}"
    if isinstance(value, int):
        return f"i{number_text(value)}"
    if isinstance(value, float):
        return f"f{value!r}"
    return f"t{print_term(value)}"


def value_from(text: str) -> Value:
    """The value of such text.

    >>> [value_from(text) for text in ("i5", "s5", "f2.5")]
    [5, '5', 2.5]
    """
    kind, rest = text[0], text[1:]
    if kind == "s":
        return rest
    if kind == "i":
        return -read_integer(rest[1:]) if rest[0] == "-" else read_integer(rest)
    if kind == "f":
        return float(rest)
    clause = parse(Source("<row>", f"{rest}.")).clauses[0]
    assert clause.head is not None
    return value_of(clause.head)


class TermTexts:
    """The texts of codes, each created once."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary

    def column(self, codes: Ints) -> Any:
        """A column of terms as text."""
        distinct, place = distinct_codes(codes, len(self._dictionary))
        texts = pa.array([text_of(self._dictionary.values[code]) for code in distinct.tolist()], pa.string())
        return texts.take(pa.array(place))


def codes_from(column: Any, dictionary: Dictionary) -> Ints:
    """The codes of a column of terms as text."""
    if not len(column):
        return EMPTY
    encoded = column.dictionary_encode()
    codes = dictionary.encode(value_from(text) for text in encoded.dictionary.to_pylist())
    found: Ints = codes[encoded.indices.to_numpy()]
    return found


def cells(column: Any, slot: str) -> Cells:
    """A slot of input rows as cells of an argument column."""
    return Cells(column.dictionary_encode(), verbatim=slot[0] == "s")


def table_of(schema: pa.Schema, rows: int, columns: dict[str, Any]) -> pa.Table:
    """A table with some of its columns given. A single number is repeated; missing columns are null."""
    arrays = []
    for field in schema:
        found = columns.get(field.name)
        if found is None:
            arrays.append(pa.nulls(rows, field.type))
        elif isinstance(found, int):
            arrays.append(pa.array(np.full(rows, found), field.type))
        else:
            is_arrow = isinstance(found, pa.Array | pa.ChunkedArray)
            arrays.append(found.cast(field.type) if is_arrow else pa.array(found, field.type))
    return pa.table(arrays, schema=schema)


def slot_names(kinds: Iterable[Sequence[str]]) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
    """Assigns slots to the columns of several kinds of rows, given their classes; also returns all slots.

    >>> slot_names([["l", "d"], ["l", "s", "l"]])
    ([('l0', 'd0'), ('l0', 's0', 'l1')], ('l0', 'd0', 's0', 'l1'))
    """
    given: list[tuple[str, ...]] = []
    for classes in kinds:
        counts: dict[str, int] = {}
        names = []
        for one in classes:
            names.append(f"{one}{counts.get(one, 0)}")
            counts[one] = counts.get(one, 0) + 1
        given.append(tuple(names))
    return given, tuple(dict.fromkeys(name for names in given for name in names))
