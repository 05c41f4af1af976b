"""What a query time sees of its input, and what of it the next one needs again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.frames import Codes, Column, Lists, Numbers, is_in, order_of
from holdsfor.engine.kernels import Bools, is_sorted, true_rows, union
from holdsfor.engine.numbers import stacked_numbers
from holdsfor.engine.state import Reports
from holdsfor.engine.stream import EventColumns, FluentColumns, are_apart, packed_spans
from holdsfor.engine.tables import FOREVER, Events, Intervals

_AT_ONCE = 1 - int(FOREVER)
"""The first time-point of a window without a beginning."""


@dataclass(frozen=True)
class Sight:
    """A query time: its window begins after `low`, the query before it was at `previous`."""

    query: int
    low: int
    previous: int


def known_events(
    kept: Events | None, arrived: EventColumns | None, sight: Sight, dictionary: Dictionary
) -> tuple[Events | None, Events | None]:
    """The occurrences that count at a query, and those that are known by then: some may be announced."""
    found = []
    if kept is not None:
        # What was announced may have come and gone between two windows.
        in_time = sight.previous >= sight.low or (kept.time <= sight.previous) | (kept.time > sight.low)
        found.append(kept if in_time is True else _events_at(kept, in_time))
    if arrived is not None:
        new = Events(arrived.columns, arrived.time)
        found.append(_events_at(new, sight.low <= -int(FOREVER) or arrived.time > sight.low))
    if not found:
        return None, None
    known = stacked_events(found, dictionary)
    return _events_at(known, known.time <= sight.query), known


def events_after(events: Events, time: int) -> Events:
    """The occurrences after a time-point, in columns of their own if some are not among them: they will be kept."""
    rows = true_rows(events.time > time)
    if len(rows) == len(events):
        return events
    args = tuple(type(column)(column.data[rows]) for column in events.args if not isinstance(column, Lists))
    return Events(args, events.time[rows])


def _events_at(events: Events, keep: Bools | bool) -> Events:
    if keep is True or np.asarray(keep).all():
        return events
    return events.take(np.flatnonzero(keep))


def stacked_events(found: Sequence[Events], dictionary: Dictionary) -> Events:
    """Occurrences one below the other."""
    filled = [events for events in found if len(events)]
    if len(filled) < 2:
        return filled[0] if filled else found[0]
    args = tuple(_stacked(columns, dictionary) for columns in zip(*(events.args for events in filled), strict=True))
    return Events(args, np.concatenate([events.time for events in filled]))


def _stacked(columns: Sequence[Column], dictionary: Dictionary) -> Column:
    numbers = [column.data for column in columns if isinstance(column, Numbers)]
    if len(numbers) == len(columns):
        return Numbers(stacked_numbers(numbers))
    return Codes(np.concatenate([codes_of(column, dictionary) for column in columns]))


def known_reports(kept: Reports | None, arrived: FluentColumns | None, sight: Sight) -> Reports | None:
    """The pieces of an input fluent that are known at a query, new ones cut at the beginning of its window."""
    if arrived is None:
        return kept
    new = _cut_off(arrived, sight.low + 1)
    if kept is None or not len(kept):
        return new
    return stacked_reports([kept, new]) if len(new) else kept


def _cut_off(arrived: FluentColumns, first: int) -> Reports:
    """What reports say of the time from a time-point on."""
    start, end, notes = arrived.start, arrived.end, {"in_order": arrived.in_order, "is_maximal": arrived.is_maximal}
    is_whole = first <= _AT_ONCE or int(start.min(initial=first)) >= first
    if is_whole and (arrived.is_maximal or bool((end > start).all())):
        none_cut = np.zeros(len(start), np.bool_)
        return Reports(arrived.args, arrived.value, start, end, none_cut, arrived.is_point, **notes)
    is_there = (end > np.maximum(start, first)) & (~arrived.is_point | (start >= first))
    rows = true_rows(is_there)
    start = start[rows]
    return Reports(
        tuple(column[rows] for column in arrived.args),
        arrived.value[rows],
        np.maximum(start, first),
        end[rows],
        start < first,
        arrived.is_point[rows],
        **notes,
    )


def stacked_reports(found: Sequence[Reports]) -> Reports:
    """Pieces one below the other."""
    args = tuple(np.concatenate(columns) for columns in zip(*(piece.args for piece in found), strict=True))
    names = ("value", "start", "end", "is_cut", "is_point")
    return Reports(args, *(np.concatenate([getattr(piece, name) for piece in found]) for name in names))


def seen_intervals(known: Reports, query: int, codes: int) -> tuple[Intervals, Bools, Reports]:
    """The maximal intervals at a query, which of them were cut, and the same as pieces to keep.

    A point at the query time itself goes on until something is known of the next.
    """
    if known.is_maximal:
        return _table(known), known.is_cut, known
    still_point = known.is_point & (known.start >= query) if known.is_point.any() else known.is_point
    if not still_point.any():
        joined = _maximal(known, codes)
        return _table(joined), joined.is_cut, joined
    settled = _maximal(replace(known.take(true_rows(~still_point)), in_order=known.in_order), codes)
    points = known.take(true_rows(still_point))
    is_open = np.where(points.start == query, FOREVER, points.end)
    joined = _maximal(stacked_reports([settled, replace(points, end=is_open)]), codes)
    return _table(joined), joined.is_cut, stacked_reports([settled, points])


def _table(joined: Reports) -> Intervals:
    return Intervals(joined.args, joined.value, joined.start, joined.end, single_valued=False)


def _maximal(known: Reports, codes: int) -> Reports:
    """Pieces that overlap or touch, joined; sorted by arguments, value and start.

    Most input is maximal already, and what has been kept always is: then rows are put in order at most.
    """
    rows = len(known)
    never = np.zeros(rows, np.bool_)
    if rows < 2:
        return replace(known, is_point=never)
    starts, ends, space = packed_spans((*known.args, known.value), known.start, known.end, codes)
    if are_apart(starts, ends):
        return replace(known, is_point=never)
    if known.in_order:
        firsts, lasts = union([(starts, ends if is_sorted(ends) else np.sort(ends))])
        row = np.searchsorted(starts, firsts)
    else:
        order = order_of(starts)
        ordered = starts[order]
        if are_apart(ordered, ends[order]):
            return replace(known.take(order), is_point=never)
        firsts, lasts = union([(ordered, np.sort(ends))])
        row = order[np.searchsorted(ordered, firsts)]
    return Reports(
        tuple(column[row] for column in known.args),
        known.value[row],
        known.start[row],
        space.plain(lasts),
        # A piece that was cut held before: whatever else begins there, nothing starts.
        is_in(firsts, starts[known.is_cut]),
        np.zeros(len(row), np.bool_),
    )
