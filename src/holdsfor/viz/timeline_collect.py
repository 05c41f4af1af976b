"""Builds a chart from result tables: lanes by key, colours by fluent and value, lanes in order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from holdsfor.columns.frames import row_keys
from holdsfor.columns.kernels import Ints
from holdsfor.columns.tables import FOREVER
from holdsfor.compiler.analysis.similar import suggest
from holdsfor.diagnostics import HoldsforError
from holdsfor.times import UNITS, TimeScale, time_point
from holdsfor.viz.timeline_axis import ClockMarks
from holdsfor.viz.timeline_chart import Bools, Chart, ChartKind, Floats, Points, Spans, bounds


@dataclass(frozen=True)
class ResultSelection:
    """The selected part of a result; `entities` are texts of arguments, `between` are two times."""

    names: Collection[str] | None
    entities: Collection[Any] | None
    between: tuple[Any, Any] | None
    time_scale: TimeScale | None

    def reach(self, scale: int) -> tuple[int, int] | None:
        """The selected time range in ticks."""
        if self.between is None:
            return None
        low, high = (round(_number(time, self.time_scale) * scale) for time in self.between)
        if low >= high:
            raise HoldsforError(f"between={self.between!r}: the first time must lie before the second")
        return low, high


def _number(time: Any, scale: TimeScale | None) -> Fraction:
    """A time as a number of time-points; a date if the length of a time-point is known."""
    try:
        return Fraction(str(time))
    except ValueError:
        if scale is None and isinstance(time, str):
            raise HoldsforError(
                f"between: a time must be a number such as 3, 0.25 or 1/3, or with a unit a date, not {time!r}"
            ) from None
    nanoseconds = time_point(time, None if scale is None else "ns", "between")
    return Fraction(nanoseconds, UNITS["ns" if scale is None else scale.unit])


def known_names(wanted: Iterable[str], known: Collection[str], what: str) -> set[str]:
    """Checks requested names; an unknown name is an error with suggestions."""
    found = set(wanted)
    for name in sorted(found):
        if name not in known:
            close = suggest(name, known)
            hint = f"did you mean {close}?" if close else f"there are {', '.join(sorted(known)) or 'none'}"
            raise HoldsforError(f"no {what} is called {name!r}; {hint}")
    return found


def require_entities(wanted: Collection[Any], known: Collection[str]) -> None:
    """Checks requested entities; an entity without results is an error with suggestions."""
    for name in map(str, wanted):
        if name not in known:
            close = suggest(name, known)
            some = ", ".join(sorted(known)[:8]) + (", …" if len(known) > 8 else "")
            raise HoldsforError(
                f"there is no result for {name!r}; "
                + (f"did you mean {close}?" if close else f"there are {some or 'none'}")
            )


def of_entities(columns: Sequence[Ints], texts: Sequence[str], wanted: Collection[Any], rows: int) -> Bools:
    """Which rows have one of the entities in their columns of codes; `texts` has the text of each code."""
    names = {str(name) for name in wanted}
    chosen = np.array([text in names for text in texts], np.bool_)
    keep = np.zeros(rows, np.bool_)
    for column in columns:
        keep |= chosen[column]
    return keep


class _Marks(NamedTuple):
    """Events of one name."""

    lane: Ints
    kind: Ints
    time: Ints
    numbers: tuple[Floats, ...]
    text: Ints


@dataclass
class Collector:
    """Collects tables of one fluent or event each, with times as whole ticks."""

    labels: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    kinds: dict[ChartKind, int] = field(default_factory=dict)
    spans: list[tuple[Ints, Ints, Ints, Ints, Bools, Bools]] = field(default_factory=list)
    points: list[_Marks] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    is_input: list[bool] = field(default_factory=list)

    def lanes(self, keys: Ints, labels: Any, groups: Any, *, is_input: bool = False) -> Ints:
        """The lane of each row; rows with the same key share a lane. Labels and groups are created once per lane."""
        _, first, lane = np.unique(keys, return_index=True, return_inverse=True)
        number = len(self.labels) + lane.astype(np.int64)
        self.labels += labels(first)
        self.groups += groups(first)
        self.is_input += [is_input] * len(first)
        return number

    def add_points(
        self, lane: Ints, kind: Ints, time: Ints, numbers: tuple[Floats, ...], texts: tuple[Ints, list[str]] | None
    ) -> None:
        """Adds events with their measurements, and their texts as indices into a list."""
        text = np.full(len(lane), -1) if texts is None else texts[0] + len(self.texts)
        self.texts += [] if texts is None else texts[1]
        self.points.append(_Marks(lane, kind, time, numbers, text))

    def kind(self, name: str, value: str = "") -> int:
        """The index of a kind."""
        return self.kinds.setdefault(ChartKind(name, value), len(self.kinds))

    def chart(
        self,
        title: str,
        *,
        scale: int,
        time_scale: TimeScale | None,
        reach: tuple[int, int] | None,
        marks_ends: bool,
        at_least: int | None = None,
    ) -> Chart:
        """The chart of everything collected, with lanes ordered by group and label."""
        order = sorted(range(len(self.labels)), key=self._rank)
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        none = np.zeros(0, np.int64)
        no_flags = np.zeros(0, np.bool_)
        lane, kind, start, end, start_open, end_open = (
            np.concatenate(columns)
            for columns in zip((none, none, none, none, no_flags, no_flags), *self.spans, strict=True)
        )
        event_lane, event_kind, time, text = (
            np.concatenate([none, *(getattr(marks, name) for marks in self.points)])
            for name in ("lane", "kind", "time", "text")
        )
        near = np.concatenate((start[start > -FOREVER], end[end < FOREVER], time))
        origin = int(near.min(initial=2**62)) if len(near) else 0
        clock = ClockMarks(origin, scale, time_scale)
        spans = Spans(place[lane], kind, _since(start, origin), _since(end, origin), start_open, end_open).in_order()
        points = Points(place[event_lane], event_kind, _since(time, origin), self._numbers(), text)
        points = points.take(np.lexsort((points.time, points.lane)))
        limit = None if at_least is None else float(at_least - origin)
        low, high = (
            (float(reach[0] - origin), float(reach[1] - origin))
            if reach is not None
            else bounds(spans, points, clock, at_least=limit if len(near) else None)
        )
        labels, groups = [self.labels[at] for at in order], [self.groups[at] for at in order]
        kinds = list(self.kinds)
        return Chart(
            title, labels, groups, kinds, spans, points, clock, low, high, marks_ends=marks_ends, texts=self.texts
        )

    def _rank(self, lane: int) -> tuple[Any, ...]:
        """The order of lanes: those of an entity are adjacent, with its input after its results."""
        return _natural(self.groups[lane]), self.is_input[lane], _natural(self.labels[lane])

    def _numbers(self) -> tuple[Floats, ...]:
        """The numeric columns of all events; some events have fewer columns."""
        most = max((len(marks.numbers) for marks in self.points), default=0)
        nothing = [np.full(len(marks.lane), np.nan) for marks in self.points]
        return tuple(
            np.concatenate(
                [
                    marks.numbers[place] if place < len(marks.numbers) else empty
                    for marks, empty in zip(self.points, nothing, strict=True)
                ]
            )
            for place in range(most)
        )


def _since(times: Ints, origin: int) -> Floats:
    infinite = np.where(times > 0, np.inf, -np.inf)
    near = np.abs(times) < FOREVER
    found: Floats = np.where(near, (np.where(near, times, origin) - origin).astype(np.float64), infinite)
    return found


def _natural(text: str) -> tuple[int, float, str]:
    """A sort key with numbers in numeric order, before everything else."""
    return (0, float(text), text) if text.isascii() and text.isdigit() else (1, 0.0, text)


def lanes_of_values(keys: Ints, value: Ints, start: Ints, end: Ints) -> tuple[Ints, Bools]:
    """Lane keys from the keys of instances, and the rows with a lane per value, because several values hold together."""
    order = np.lexsort((start, keys))
    key, begins, ends = keys[order], start[order], end[order]
    crossing = np.zeros(len(key), np.bool_)
    crossing[1:] = (key[1:] == key[:-1]) & (begins[1:] < ends[:-1])
    apart = np.isin(keys, key[crossing])
    return row_keys([keys, np.where(apart, value + 1, 0)]), apart
