"""Formats results: `predicate, args, start, start_closed, end, end_closed`, with arguments in an array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.kernels import Bools, Ints
from holdsfor.columns.metric.report import exact_times, rounded_times
from holdsfor.columns.tables import FOREVER
from holdsfor.compiler.metric.rules import Relation
from holdsfor.frontend.dmtl.constants import argument_text
from holdsfor.io.metric_scaled import moment_texts
from holdsfor.io.rejects import repeated
from holdsfor.spark.timestamps import TIMESTAMP, metric_timestamps
from holdsfor.spark.wire import value_from
from holdsfor.times import TimeScale

_ARGS = pa.list_(pa.string())


def answer_schema(*, exact: bool, scale: TimeScale | None = None) -> pa.Schema:
    """The columns of results. Exact times are text; others are numbers, or timestamps if the unit is known."""
    time = pa.string() if exact else pa.float64() if scale is None else TIMESTAMP
    return pa.schema(
        [
            ("predicate", pa.string()),
            ("args", _ARGS),
            ("start", time),
            ("start_closed", pa.bool_()),
            ("end", time),
            ("end_closed", pa.bool_()),
        ]
    )


def answer_sql(*, exact: bool, scale: TimeScale | None = None) -> str:
    """The columns of results in Spark SQL."""
    time = "string" if exact else "double" if scale is None else "timestamp"
    return (
        f"predicate string, args array<string>, `start` {time}, start_closed boolean, `end` {time}, end_closed boolean"
    )


def answers(
    rows: pa.Table, relation: Relation, exact: bool, quoted: bool = False, time_scale: TimeScale | None = None
) -> pa.Table:
    """Converts rows of one predicate from the wire format to results; with `quoted`, ambiguous arguments are in
    quotes.
    """
    rows = rows.combine_chunks()
    scales, start, end = (rows[name].to_numpy() for name in ("scale", "start", "end"))
    parts = []
    for scale in np.unique(scales).tolist():
        at = np.flatnonzero(scales == scale)
        parts.append(_answers(rows.take(pa.array(at)), relation, start[at], end[at], scale, exact, quoted, time_scale))
    return pa.concat_tables(parts)


def _answers(
    rows: pa.Table,
    relation: Relation,
    start: Ints,
    end: Ints,
    scale: int,
    exact: bool,
    quoted: bool,
    time_scale: TimeScale | None,
) -> pa.Table:
    is_first, is_last = start <= -FOREVER, end >= FOREVER
    columns = [
        repeated(relation.name, len(rows)),
        _arguments(rows, relation.arity, quoted),
        _times(start, is_first, scale, time_scale, exact=exact),
        pa.array(~is_first & (start % 2 == 0)),
        _times(end, is_last, scale, time_scale, exact=exact),
        pa.array(~is_last & (end % 2 == 1)),
    ]
    return pa.table(columns, schema=answer_schema(exact=exact, scale=time_scale))


def _times(cells: Ints, infinite: Bools, scale: int, time_scale: TimeScale | None, *, exact: bool) -> Any:
    if time_scale is None:
        return (exact_times if exact else rounded_times)(cells >> 1, infinite, scale)
    if exact:
        return moment_texts(cells >> 1, infinite, scale, scale=time_scale)
    return metric_timestamps(cells >> 1, infinite, scale, time_scale)


def _arguments(rows: pa.Table, arity: int, quoted: bool) -> Any:
    """The argument columns as one column of lists, without the type prefixes."""
    slots = [_plain(rows[f"a{place}"]) for place in range(arity)]
    if quoted:
        return lists_of([_quoted(slot) for slot in slots], len(rows))
    return lists_of([_plain(pc.utf8_slice_codeunits(slot, 1)) for slot in slots], len(rows))


def _quoted(slot: Any) -> Any:
    encoded = slot.dictionary_encode()
    values = [value_from(text) for text in encoded.dictionary.to_pylist()]
    # Arguments of metric facts are constants, never compound terms.
    texts = [argument_text(value) for value in values if isinstance(value, str | int | float)]
    return pa.array(texts, pa.string()).take(encoded.indices)


def lists_of(columns: Sequence[Any], rows: int) -> Any:
    """Combines columns of text to one column of lists, row by row."""
    width = len(columns)
    flat = pa.concat_arrays([pa.array([], pa.string()), *columns])
    order = np.arange(rows * width).reshape(width, rows).T.reshape(-1)
    return pa.ListArray.from_arrays(pa.array(np.arange(rows + 1) * width, pa.int32()), flat.take(pa.array(order)))


def _plain(column: Any) -> Any:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def counts(rows: pa.Table, *, exact: bool, scale: TimeScale | None = None) -> pa.Table:
    """Input counts as rows without a predicate: facts, malformed rows, unused facts."""
    listed = [[str(row[name]) for name in ("start", "end", "scale")] for row in rows.to_pylist()]
    schema = answer_schema(exact=exact, scale=scale)
    columns = [pa.nulls(len(listed), field.type) for field in schema]
    columns[1] = pa.array(listed, _ARGS)
    return pa.table(columns, schema=schema)
