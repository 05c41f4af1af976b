"""Converts timestamps and dates to exact rational times: units since 1970, with as many ticks per unit as necessary."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.kernels import Bools, Ints
from holdsfor.compiler.metric.limits import FURTHEST
from holdsfor.frontend.dmtl.numbers import number_text
from holdsfor.io.metric_times import TickColumn, common_scale, rational_ticks, text_ticks
from holdsfor.io.typed import as_timestamps
from holdsfor.times import UNITS, since_1970

_ISO = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.]\d{1,18})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?", re.ASCII)


def with_numbers(text: str, unit: str) -> str:
    """The text of a fact, `P(a)@2026-03-01T12:00Z`, with its dates replaced by numbers."""
    fact, at, time = text.rpartition("@")
    return f"{fact}{at}{_ISO.sub(lambda found: _number(found[0], unit), time)}"


def _number(text: str, unit: str) -> str:
    found = _moment(text, unit)
    return text if found is None else number_text(found)


def timestamp_ticks(column: Any, unit: str) -> TickColumn:
    """Times from a column of timestamps or dates. Values without a zone are UTC; nulls get an arbitrary value."""
    kind = column.type if pa.types.is_timestamp(column.type) else pa.timestamp("ms")
    values: Ints = pc.fill_null(column.cast(kind).cast(pa.int64()), 0).to_numpy()
    have, want = UNITS[kind.unit], UNITS[unit]
    if have >= want:
        factor = have // want
        wrong: Bools = np.abs(values) > FURTHEST // factor
        return TickColumn(np.where(wrong, 0, values) * factor, 1, wrong, dated=True)
    scale = want // have
    wrong = np.abs(values) > FURTHEST
    values = np.where(wrong, 0, values)
    # Ticks are as long as possible: whole seconds stored as nanoseconds become whole seconds.
    shared = int(np.gcd.reduce(np.append(values, scale)))
    return TickColumn(values // shared, scale // shared, wrong, dated=True)


def dated_ticks(column: Any, unit: str) -> TickColumn:
    """Times from a column of text: numbers, or ISO 8601 dates. Each distinct text is parsed once."""
    found = text_ticks(column)
    if not found.wrong.any():
        return found
    places = np.flatnonzero(found.wrong)
    dates = _dates(column.take(pa.array(places)), unit)
    scale = common_scale((found.scale, dates.scale))
    fits, dated = found.fits(scale) & ~found.wrong, dates.fits(scale) & ~dates.wrong
    values, wrong = np.where(fits, found.at(scale), 0), ~fits
    values[places], wrong[places] = np.where(dated, dates.at(scale), 0), ~dated
    return TickColumn(values, scale, wrong, dated=bool(dated.any()))


def _dates(column: Any, unit: str) -> TickColumn:
    moments = as_timestamps(column)
    if moments is not None:
        return timestamp_ticks(moments, unit)
    # The column has several forms or malformed values.
    encoded = column.dictionary_encode()
    distinct = rational_ticks([_moment(text, unit) for text in encoded.dictionary.to_pylist()])
    places = encoded.indices.to_numpy()
    return TickColumn(distinct.values[places], distinct.scale, distinct.wrong[places])


def _moment(text: str, unit: str) -> Fraction | None:
    """The time of a date; None if the text is not a date."""
    since = since_1970(text)
    return None if since is None else Fraction(since) / UNITS[unit]
