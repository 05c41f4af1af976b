"""Applies the clock tick around the engine: streams are converted to ticks, answers to times.

A time between two time-points belongs to the one before it. An interval contains every time-point of its times.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from holdsfor.columns.answer import Answer
from holdsfor.columns.kernels import Ints
from holdsfor.columns.stream import EventColumns, FluentColumns, MeasuredEvents, Stream
from holdsfor.columns.tables import FOREVER, Events, Intervals
from holdsfor.columns.windows import WindowPlan
from holdsfor.diagnostics import HoldsforError


def whole_ticks(name: str, length: int, tick: int) -> int:
    """A duration or a time-point in ticks; raises HoldsforError if it is not a multiple.

    >>> whole_ticks("window", 400, 40)
    10
    """
    if length % tick:
        raise HoldsforError(f"the {name}, {length}, is not a multiple of the clock tick, {tick}")
    return length // tick


def require_tick(tick: object) -> int:
    """Validates a clock tick."""
    if isinstance(tick, bool) or not isinstance(tick, int) or tick < 1:
        raise HoldsforError(f"the clock tick must be a whole number of at least 1, not {tick!r}")
    return tick


def stream_in_ticks(stream: Stream, tick: int, codes: int) -> Stream:
    """A stream with ticks in place of times; `codes` is the number of codes in its dictionary."""
    if tick == 1:
        return stream
    events = {symbol: _events(table, tick) for symbol, table in stream.events.items()}
    fluents = {symbol: _fluents(table, tick).put_in_order(codes) for symbol, table in stream.fluents.items()}
    return Stream(events, fluents)


def _events(table: EventColumns, tick: int) -> EventColumns:
    time, arrival = table.time // tick, table.arrival // tick
    if isinstance(table, MeasuredEvents):
        return MeasuredEvents(table.measured, time, arrival, table.dictionary)
    return EventColumns(table.args, time, arrival)


def _fluents(table: FluentColumns, tick: int) -> FluentColumns:
    end = np.where(table.end >= FOREVER, FOREVER, -(-table.end // tick))
    return replace(
        table, start=table.start // tick, end=end, arrival=table.arrival // tick, in_order=False, is_maximal=False
    )


def windows_in_ticks(windows: WindowPlan | None, tick: int) -> WindowPlan | None:
    """Query times in ticks; all their parameters must be multiples of the tick."""
    if windows is None or tick == 1:
        return windows
    size = None if windows.size is None else whole_ticks("window", windows.size, tick)
    step = whole_ticks("step", windows.step, tick)
    return WindowPlan(size, step, whole_ticks("start", windows.start, tick), whole_ticks("end", windows.end, tick))


def answer_in_time(answer: Answer, tick: int) -> Answer:
    """An answer with times in place of ticks."""
    if tick == 1:
        return answer
    return Answer(
        answer.query_time * tick,
        {symbol: intervals_in_time(table, tick) for symbol, table in answer.fluents.items()},
        {symbol: events_in_time(table, tick) for symbol, table in answer.events.items()},
        answer.conflicts,
    )


def intervals_in_time(table: Intervals, tick: int) -> Intervals:
    """Intervals with times in place of ticks."""
    return replace(table, start=times(table.start, tick), end=times(table.end, tick))


def events_in_time(table: Events, tick: int) -> Events:
    """Occurrences with times in place of ticks."""
    return replace(table, time=times(table.time, tick))


def times(ticks: Ints, tick: int) -> Ints:
    """The times of ticks; infinite ones stay infinite."""
    is_finite = (ticks < FOREVER) & (ticks > -FOREVER)
    found: Ints = np.where(is_finite, ticks * np.where(is_finite, tick, 1), ticks)
    return found
