"""Checks the windows of a run before it begins: gaps between them, and far more query times than rows."""

from __future__ import annotations

import numpy as np

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Ints
from holdsfor.columns.report import Texts
from holdsfor.columns.stream import EventColumns, FluentColumns, Stream
from holdsfor.columns.tables import FOREVER
from holdsfor.columns.windows import WindowPlan
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.diagnostics import HoldsforError
from holdsfor.times import TimeScale, shown_length, shown_time

_MANY = 100_000
"""Fewer query times are never reported."""
_PER_ROW = 100
"""The number of query times per row from which they count as far too many."""
_TOO_MANY = 10**9
"""The number of query times that is always too large."""


def check_windows(
    stream: Stream,
    windows: WindowPlan | None,
    dictionary: Dictionary,
    *,
    is_bounded: bool,
    scale: TimeScale | None = None,
) -> str | None:
    """A note about time-points between windows, if there are gaps.

    Raises an error if there are far more query times than rows, unless the user has set both ends of the run. The
    likely reason is a row with a time far away, which the message names. Times are shown in the scale.
    """
    if windows is None or windows.size is None:
        return None
    queries, rows = windows.count, stream.rows
    if queries > _TOO_MANY or (not is_bounded and queries > max(_MANY, _PER_ROW * rows)):
        raise HoldsforError(_too_many(stream, windows, dictionary, scale))
    return _gaps(stream, windows, scale)


def _too_many(stream: Stream, windows: WindowPlan, dictionary: Dictionary, scale: TimeScale | None) -> str:
    shown = f"{windows.count} query times for {stream.rows} rows: "
    if not stream.rows:
        return f"{shown}set start and end closer together, or a larger step"
    first, last = stream.arrivals()
    middle = int(np.median(stream.all_arrivals()))
    is_ahead = last - middle >= middle - first
    arrival = last if is_ahead else first
    row = f"{_row_at(stream, arrival, dictionary)} arrives at {shown_time(arrival, scale)}"
    cure = "set rows aside that lie too far ahead (--max-ahead, max_ahead=…) or end the run earlier (--end, end=…)"
    if not is_ahead:
        cure = "start the run later (--start, start=…)"
    return f"{shown}half of the rows arrive by {shown_time(middle, scale)}, but {row}. If that time is right, use a larger step; otherwise {cure}"


def _row_at(stream: Stream, arrival: int, dictionary: Dictionary) -> str:
    """The first row that arrives at a time, as text."""
    texts = Texts(dictionary)
    tables: list[tuple[Symbol, EventColumns | FluentColumns]] = [*stream.events.items(), *stream.fluents.items()]
    for symbol, table in tables:
        places: Ints = (table.arrival == arrival).nonzero()[0]
        if len(places):
            one = table.take(places[:1])
            return str(texts.terms(symbol, one.args, 1)[0])
    raise AssertionError(arrival)


def _gaps(stream: Stream, windows: WindowPlan, scale: TimeScale | None) -> str | None:
    size, step = windows.size, windows.step
    if size is None or size >= step:
        return None
    lost = 0
    for events in stream.events.values():
        is_read = (events.arrival > windows.start) & (events.arrival <= windows.end)
        lost += int(np.count_nonzero(is_read & (windows.counted_at(events.arrival, events.time) == FOREVER)))
    first, last = (shown_time(time, scale) for time in (windows.start, windows.start + step - size))
    wide, every = (shown_length(length, scale) for length in (size, step))
    unit = " time-points" if scale is None else ""
    return (
        f"windows of {wide} every {every}{unit} leave gaps: what occurs after {first} up to {last}, "
        f"and so on every {every}, is in no window ({lost} events); a step of at most {wide} leaves no gaps"
    )
