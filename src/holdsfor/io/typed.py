"""Reads columns of tables and data frames: times from numbers and timestamps, arguments with their types."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.kernels import Bools, Ints, mask_of
from holdsfor.columns.tables import FOREVER
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.columns import (
    Cells,
    TimeColumn,
    checked,
    number_cells,
    text_cells,
    text_times,
    value_of_text,
)
from holdsfor.times import LATEST, UNITS, since_1970

_ZONE = re.compile(r"(?:z|utc|[+-]\d\d:?(?:\d\d)?)\s*$", re.IGNORECASE)
"""The end of a time with a zone, as text."""


def plain(column: Any) -> Any:
    """A column in one piece, without dictionary encoding, with text of Arrow's plain type."""
    whole = column
    if isinstance(column, pa.ChunkedArray):
        # Arrow copies even a single piece when it combines pieces.
        whole = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    if pa.types.is_dictionary(whole.type):
        return plain(whole.dictionary).take(whole.indices)
    is_text = pa.types.is_large_string(whole.type) or whole.type == pa.string_view()
    return whole.cast(pa.string()) if is_text else whole


def rows_of(column: Any, rows: Ints) -> Any:
    """Some rows of a column in one piece."""
    if len(rows) == len(column):
        return column
    is_number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
    if is_number and not column.null_count:
        # NumPy requests huge pages and Arrow does not; page faults of new memory cost more than the copy.
        return pa.array(np.take(column.to_numpy(), rows))
    return column.take(pa.array(rows))


def argument_cells(column: Any, name: str, *, is_text: bool, is_arithmetic: bool = False) -> Cells:
    """An argument column without nulls. `is_text`: it comes from an untyped file, where numbers are text too."""
    kind = column.type
    if pa.types.is_nested(kind) or pa.types.is_null(kind):
        raise HoldsforError(f"column {name!r} has the type {kind}; arguments are numbers or text")
    if pa.types.is_boolean(kind):
        return Cells(column.cast(pa.string()).dictionary_encode(), verbatim=True)
    if pa.types.is_integer(kind) and kind != pa.uint64():
        return number_cells(column.cast(pa.int64()), is_arithmetic=is_arithmetic)
    if pa.types.is_floating(kind):
        return number_cells(column.cast(pa.float64()), is_arithmetic=is_arithmetic)
    text = column.cast(pa.string())
    if is_text or kind == pa.uint64() or pa.types.is_decimal(kind):
        # The text has all digits of integers beyond 64 bits.
        return text_cells(text, is_arithmetic=is_arithmetic)
    return Cells(text.dictionary_encode(), verbatim=True)


def missing(column: Any, *, is_text: bool) -> Bools:
    """Where a column has no value; in an untyped file, where the text is empty."""
    if not column.null_count and (
        pa.types.is_integer(column.type) or (pa.types.is_string(column.type) and not is_text)
    ):
        return np.zeros(len(column), np.bool_)
    if not column.null_count and pa.types.is_floating(column.type):
        is_none: Bools = np.isnan(column.to_numpy())
        return is_none
    gaps = pc.is_null(column, nan_is_null=True)
    if is_text and pa.types.is_string(column.type):
        gaps = pc.or_(gaps, pc.equal(pc.fill_null(column, ""), ""))
    return mask_of(gaps)


def times(column: Any, unit: str, name: str) -> TimeColumn:
    """Times from whole numbers, timestamps, dates, or text of any of these; nulls count as invalid."""
    kind = column.type
    if pa.types.is_integer(kind):
        found = _filled(column, 0).cast(pa.int64()).to_numpy()
        return checked(found, missing(column, is_text=False) if column.null_count else None)
    gaps = missing(column, is_text=False)
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _from_reals(column.cast(pa.float64()), gaps)
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return replace(checked(_in_units(column, unit), gaps), dated=True)
    if pa.types.is_string(kind):
        return _from_text(_filled(column, ""), unit)
    if pa.types.is_null(kind):
        return TimeColumn(np.zeros(len(column), np.int64), np.ones(len(column), np.bool_))
    raise HoldsforError(f"column {name!r} has the type {kind}; times are whole numbers or timestamps")


def ends(column: Any, unit: str, name: str) -> TimeColumn:
    """Ends of intervals: times; null or `inf` for open ones."""
    is_open = missing(column, is_text=True)
    if pa.types.is_floating(column.type):
        is_open |= np.isposinf(_filled(column, 0).to_numpy())
    elif pa.types.is_string(column.type):
        is_open |= mask_of(pc.is_in(column, pa.array(["inf", "infinity"])))
    closed = np.flatnonzero(~is_open)
    found = times(column.take(pa.array(closed)), unit, name)
    values = np.full(len(column), FOREVER)
    values[closed] = found.values
    wrong = np.zeros(len(column), np.bool_)
    wrong[closed] = False if found.wrong is None else found.wrong
    return TimeColumn(values, wrong if wrong.any() else None, found.dated)


def _from_reals(column: Any, gaps: Bools) -> TimeColumn:
    values = _filled(column, 0).to_numpy()
    with np.errstate(invalid="ignore"):
        whole = np.isfinite(values) & (np.floor(values) == values) & (np.abs(values) < 2.0**62)
    return checked(np.where(whole, values, 0).astype(np.int64), gaps | ~whole)


def _from_text(column: Any, unit: str) -> TimeColumn:
    """Whole numbers, or ISO 8601 timestamps; the first value determines what to try first."""
    first = column[0].as_py().strip() if len(column) else "0"
    if first.lstrip("+-").isdigit():
        found = text_times(column)
        return found if found.wrong is None or not found.wrong.any() else _from_mixed_text(column, unit)
    moments = as_timestamps(column)
    if moments is None:
        return _from_mixed_text(column, unit)
    return replace(checked(_in_units(moments, unit), None), dated=True, zoneless=moments.type.tz is None)


def as_timestamps(column: Any) -> Any:
    """A column of text as timestamps if all values have one ISO 8601 form; otherwise None."""
    for kind in (pa.timestamp("ns"), pa.timestamp("ns", "UTC")):
        try:
            return column.cast(kind)
        except pa.ArrowInvalid:
            continue
    return None


def _from_mixed_text(column: Any, unit: str) -> TimeColumn:
    """Timestamps of several forms, or with malformed values; each distinct text is parsed."""
    encoded = column.dictionary_encode()
    distinct = [_moment(text, unit) for text in encoded.dictionary.to_pylist()]
    values = np.array([0 if moment is None else moment for moment in distinct], np.int64)
    wrong = np.array([moment is None for moment in distinct])
    indices = encoded.indices.to_numpy()
    texts = encoded.dictionary.to_pylist()
    zoneless = any(
        moment is not None and ":" in text and not _ZONE.search(text)
        for moment, text in zip(distinct, texts, strict=True)
    )
    return replace(checked(values[indices], wrong[indices]), dated=not wrong.all(), zoneless=zoneless)


def _moment(text: str, unit: str) -> int | None:
    whole = value_of_text(text)
    if isinstance(whole, int):
        return max(-2 * LATEST, min(whole, 2 * LATEST))
    since = since_1970(text)
    # Times beyond the largest time count as invalid.
    return None if since is None else int(max(-2 * LATEST, min(since // UNITS[unit], 2 * LATEST)))


def _in_units(column: Any, unit: str) -> Ints:
    """Timestamps as whole numbers since 1970, rounded down. Values without a zone are UTC."""
    kind = column.type if pa.types.is_timestamp(column.type) else pa.timestamp("ms")
    values: Ints = _filled(column.cast(kind).cast(pa.int64()), 0).to_numpy()
    have, want = UNITS[kind.unit], UNITS[unit]
    if have < want:
        return values // (want // have)
    # Values that would overflow become larger than the largest valid time.
    limit = 2 * LATEST // (have // want)
    return np.clip(values, -limit, limit) * (have // want)


def _filled(column: Any, value: int | str) -> Any:
    return pc.fill_null(column, value) if column.null_count else column
