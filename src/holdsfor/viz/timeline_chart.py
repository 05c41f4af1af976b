"""The contents of a timeline as columns: lanes, their intervals and events, and the meaning of times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from holdsfor.diagnostics import HoldsforError
from holdsfor.times import TimeScale
from holdsfor.viz.timeline_axis import ClockMarks
from holdsfor.viz.timeline_dates import shown_scale, without_zone

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]

_FAR = 2**62
"""Larger whole numbers represent infinite times."""
_SECONDS, _MICROSECONDS = np.dtype("datetime64[s]"), np.dtype("datetime64[us]")
_NONE: Bools = np.zeros(0, np.bool_)


@dataclass(frozen=True)
class Lane:
    """A row of a timeline: a name and the intervals during which something holds.

    Starts and ends are columns of numbers (or of `datetime64`); a missing or infinite end is still open. `value` is the
    value of each interval, or of all. Lanes of a `group` are adjacent. Lanes of the same `kind` and value have the same
    colour. `start_open` and `end_open` say whether an interval excludes its end; if given, ends are marked.
    """

    label: str
    start: Any
    end: Any
    group: str = ""
    kind: str = ""
    value: str | Sequence[str] = ""
    start_open: Any = None
    end_open: Any = None


@dataclass(frozen=True)
class Ticks:
    """Events of one kind: a row of marks at points of time."""

    label: str
    time: Any
    group: str = ""
    kind: str = ""


class ChartKind(NamedTuple):
    """A unit with its own colour: a fluent with one of its values."""

    name: str
    value: str = ""

    def __str__(self) -> str:
        return f"{self.name} = {self.value}" if self.value else self.name


@dataclass(frozen=True)
class Spans:
    """Intervals as columns, ordered by lane and start. Infinite starts and ends are infinite numbers.

    `count` is the number of intervals in a row: more than one if they are too close to be distinguished.
    """

    lane: Ints
    kind: Ints
    start: Floats
    end: Floats
    start_open: Bools | None = None
    end_open: Bools | None = None
    count: Ints | None = None

    def __len__(self) -> int:
        return len(self.lane)

    def take(self, rows: Ints | Bools) -> Spans:
        """A subset of the rows."""
        return Spans(*(None if c is None else c[rows] for c in self._columns()))  # type: ignore[arg-type]

    def _columns(self) -> tuple[Any, ...]:
        return self.lane, self.kind, self.start, self.end, self.start_open, self.end_open, self.count

    def in_order(self) -> Spans:
        """The rows sorted by lane and start."""
        return self.take(np.lexsort((self.start, self.lane)))


@dataclass(frozen=True)
class Points:
    """Events as columns, ordered by lane and time.

    `numbers` are the measurements of events: a column per numeric argument, NaN if missing. `text` is the index of an
    event's text in the chart, or -1.
    """

    lane: Ints
    kind: Ints
    time: Floats
    numbers: tuple[Floats, ...] = ()
    text: Ints | None = None

    def __len__(self) -> int:
        return len(self.lane)

    def take(self, rows: Ints | Bools) -> Points:
        """A subset of the rows."""
        numbers = tuple(column[rows] for column in self.numbers)
        text = None if self.text is None else self.text[rows]
        return Points(self.lane[rows], self.kind[rows], self.time[rows], numbers, text)

    @cached_property
    def is_measured(self) -> Bools:
        """Which events have a number."""
        found: Bools = np.zeros(len(self), np.bool_)
        for column in self.numbers:
            found |= np.isfinite(column)
        return found


def no_points() -> Points:
    """An empty set of events."""
    return Points(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))


@dataclass(frozen=True)
class Chart:
    """All contents of a timeline. `note` describes omissions, if any."""

    title: str
    labels: Sequence[str]
    groups: Sequence[str]
    kinds: Sequence[ChartKind]
    spans: Spans
    points: Points
    clock: ClockMarks
    low: float
    high: float
    note: str = ""
    marks_ends: bool = field(default=False)
    texts: Sequence[str] = ()
    """The texts of events, by the indices in `points.text`."""

    @cached_property
    def used(self) -> list[int]:
        """The indices of the kinds that occur."""
        found: list[int] = np.unique(np.concatenate((self.spans.kind, self.points.kind))).tolist()
        return found

    @cached_property
    def has_numbers(self) -> Bools:
        """Which lanes have events with numbers, which are drawn as lines."""
        found: Bools = np.zeros(len(self.labels), np.bool_)
        found[self.points.lane[self.points.is_measured]] = True
        return found

    def only(self, lanes: Ints, note: str) -> Chart:
        """The chart with some of its lanes, in their order."""
        place = np.full(len(self.labels), -1)
        place[lanes] = np.arange(len(lanes))
        spans = self.spans.take(place[self.spans.lane] >= 0)
        points = self.points.take(place[self.points.lane] >= 0)
        return replace(
            self,
            labels=[self.labels[lane] for lane in lanes.tolist()],
            groups=[self.groups[lane] for lane in lanes.tolist()],
            spans=replace(spans, lane=place[spans.lane]),
            points=replace(points, lane=place[points.lane]),
            note="; ".join(filter(None, [self.note, note])),
        )

    def fullest(self, most: int) -> Chart:
        """The chart restricted to the groups with most content, and to their fullest lanes, if there are too many."""
        if len(self.labels) <= most:
            return self
        lanes = len(self.labels)
        filled = np.bincount(self.spans.lane, minlength=lanes) + np.bincount(self.points.lane, minlength=lanes)
        # Each lane without a group is a group of its own.
        names = np.array([group or f"\0{lane}" for lane, group in enumerate(self.groups)], dtype=object)
        _, group = np.unique(names.astype(str), return_inverse=True)
        kept = np.sort(np.lexsort((-filled, group, -np.bincount(group, filled)[group]))[:most])
        return self.only(kept, f"the {most:,} fullest of {lanes:,} lanes")


def bounds(spans: Spans, points: Points, clock: ClockMarks, *, at_least: float | None = None) -> tuple[float, float]:
    """The time range of a chart: all finite times, and never empty.

    If something is unbounded, there is extra space to show it.
    """
    times = np.concatenate((spans.start, spans.end, points.time, [] if at_least is None else [at_least]))
    times = times[np.isfinite(times)]
    unit = float(clock.scale or 1)
    if not len(times):
        return 0.0, unit
    low, high = float(times.min()), float(times.max())
    if low == high:
        return low - unit, high + unit
    room = (high - low) / 20
    return low - room * bool(np.isneginf(spans.start).any()), high + room * bool(np.isposinf(spans.end).any())


def chart_of(
    lanes: Sequence[Lane],
    events: Sequence[Ticks],
    *,
    title: str,
    span: tuple[Any, Any] | None,
    unit: str | None,
    zone: str | None = None,
    kinds: Sequence[str | tuple[str, str]] = (),
) -> Chart:
    """A chart of given lanes. Lanes of a group are adjacent, events after intervals."""
    columns = [column for lane in lanes for column in (lane.start, lane.end)] + [ticks.time for ticks in events]
    given = [_times(column) for column in columns] + ([_times(list(span))] if span is not None else [])
    if any(times.dtype.kind == "M" for times in given):
        given, unit = _in_one_unit(given)
    times, clock = _relative(given, shown_scale(None, unit, zone))
    starts, ends, at = times[0 : 2 * len(lanes) : 2], times[1 : 2 * len(lanes) : 2], times[2 * len(lanes) :]
    numbers: dict[ChartKind, int] = {}
    for kind in kinds:
        _kind(numbers, *((kind, "") if isinstance(kind, str) else kind))
    rows = [(lane.group, lane.label) for lane in lanes] + [(ticks.group, ticks.label) for ticks in events]
    order = _by_group([group for group, _ in rows])
    place = np.empty(len(rows), np.int64)
    place[order] = np.arange(len(rows))
    marks_ends = any(lane.start_open is not None or lane.end_open is not None for lane in lanes)
    spans = _stacked(
        [
            _spans(lane, int(place[at]), start, end, numbers)
            for at, (lane, start, end) in enumerate(zip(lanes, starts, ends, strict=True))
        ]
    ).in_order()
    points = [
        Points(
            np.full(len(when), place[len(lanes) + number]),
            np.full(len(when), _kind(numbers, ticks.kind or ticks.label, "")),
            np.sort(when),
        )
        for number, (ticks, when) in enumerate(zip(events, at, strict=False))
    ]
    found = _stacked_points(points)
    low, high = bounds(spans, found, clock) if span is None else (float(times[-1][0]), float(times[-1][1]))
    if low >= high:
        raise HoldsforError(f"a timeline cannot reach from {clock.text(low)} to {clock.text(high)}")
    return Chart(
        title,
        [rows[at][1] for at in order],
        [rows[at][0] for at in order],
        list(numbers),
        spans,
        found,
        clock,
        low,
        high,
        marks_ends=marks_ends,
    )


def _by_group(groups: Sequence[str]) -> list[int]:
    """Rows in order of the first occurrence of their groups."""
    first: dict[str, int] = {}
    for group in groups:
        first.setdefault(group, len(first))
    return sorted(range(len(groups)), key=lambda at: first[groups[at]])


def _spans(lane: Lane, place: int, start: Floats, end: Floats, kinds: dict[ChartKind, int]) -> Spans:
    if len(start) != len(end):
        raise HoldsforError(f"lane {lane.label!r} has {len(start)} starts and {len(end)} ends")
    size = len(start)
    name = lane.kind or lane.label
    if isinstance(lane.value, str):
        kind = np.full(size, _kind(kinds, name, lane.value) if size else 0)
    else:
        distinct, inverse = np.unique(np.asarray(lane.value, dtype=str), return_inverse=True)
        if len(inverse) != size:
            raise HoldsforError(f"lane {lane.label!r} has {size} intervals and {len(inverse)} values")
        kind = np.array([_kind(kinds, name, str(value)) for value in distinct], np.int64)[inverse]
    return Spans(
        np.full(size, place),
        kind.astype(np.int64),
        np.where(np.isnan(start), -np.inf, start),
        np.where(np.isnan(end), np.inf, end),
        _flags(lane.start_open, size),
        _flags(lane.end_open, size),
    )


def _flags(given: Any, size: int) -> Bools:
    return np.zeros(size, np.bool_) if given is None else np.broadcast_to(np.asarray(given, np.bool_), (size,)).copy()


def _kind(kinds: dict[ChartKind, int], name: str, value: str) -> int:
    return kinds.setdefault(ChartKind(name, value), len(kinds))


def _stacked(tables: Sequence[Spans]) -> Spans:
    empty = Spans(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0), _NONE, _NONE)
    columns = list(
        zip(*((t.lane, t.kind, t.start, t.end, t.start_open, t.end_open) for t in [empty, *tables]), strict=True)
    )
    return Spans(*(np.concatenate(column) for column in columns))


def _stacked_points(tables: Sequence[Points]) -> Points:
    listed = [no_points(), *tables]
    lane, kind = (np.concatenate([getattr(table, name) for table in listed]) for name in ("lane", "kind"))
    found = Points(lane, kind, np.concatenate([table.time for table in listed]))
    return found.take(np.lexsort((found.time, found.lane)))


# Times in user formats


def _times(column: Any) -> npt.NDArray[Any]:
    """A column of times as whole numbers, floating-point numbers or dates."""
    found = without_zone(np.atleast_1d(np.asarray(column)))
    if found.dtype.kind in "iufM":
        return found.astype(np.float64) if found.dtype.kind == "f" else found
    if not len(found):
        return found.astype(np.int64)
    try:
        missing = np.array([value is None for value in found.tolist()])
        whole = all(isinstance(value, int) or value is None for value in found.tolist())
        if whole:
            return np.array([_FAR if value is None else value for value in found.tolist()], np.int64)
        return np.where(missing, np.nan, np.where(missing, 0, found).astype(np.float64))
    except (TypeError, ValueError):
        raise HoldsforError(f"times must be numbers or datetime64, not {found.dtype}: {found[:3].tolist()}") from None


def _in_one_unit(columns: Sequence[npt.NDArray[Any]]) -> tuple[list[npt.NDArray[Any]], str]:
    """Columns of dates as whole seconds, or as microseconds if necessary; a missing date is infinite."""
    dates = [column for column in columns if column.dtype.kind == "M"]
    exact = all((column[~np.isnat(column)] == column[~np.isnat(column)].astype(_SECONDS)).all() for column in dates)
    counted = _SECONDS if exact else _MICROSECONDS
    return [
        np.where(np.isnat(column), _FAR, column.astype(counted).astype(np.int64))
        if column.dtype.kind == "M"
        else column
        for column in columns
    ], "s" if exact else "us"


def _relative(columns: Sequence[npt.NDArray[Any]], time_scale: TimeScale | None) -> tuple[list[Floats], ClockMarks]:
    """Columns as ticks after an origin, which keeps large whole numbers exact."""
    if any(column.dtype.kind == "f" and not _is_whole(column) for column in columns):
        return [_infinite(column) for column in columns], ClockMarks(0, None, time_scale)
    firsts = [int(column[_is_near(column)].min()) for column in columns if _is_near(column).any()]
    origin = min(firsts, default=0)
    return [_infinite(column, origin) for column in columns], ClockMarks(origin, 1, time_scale)


def _is_near(column: npt.NDArray[Any]) -> Bools:
    near: Bools = np.isfinite(column) & (np.abs(column.astype(np.float64)) < _FAR)
    return near


def _is_whole(column: npt.NDArray[Any]) -> bool:
    near = column[_is_near(column)]
    return bool((near == np.floor(near)).all())


def _infinite(column: npt.NDArray[Any], origin: int = 0) -> Floats:
    near = _is_near(column)
    moved = np.where(near, column, 0).astype(column.dtype) - (origin if column.dtype.kind == "i" else float(origin))
    missing = np.where(np.isnan(column.astype(np.float64)), np.nan, np.where(column > 0, np.inf, -np.inf))
    found: Floats = np.where(near, moved.astype(np.float64), missing)
    return found
