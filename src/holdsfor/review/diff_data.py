"""A diff as plain data."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from holdsfor.frontend.dmtl.numbers import number_text
from holdsfor.review.comparing import Difference, DifferenceKind
from holdsfor.review.timeline_scale import TimeLine

if TYPE_CHECKING:
    from holdsfor.review.diff import Diff, DifferenceCounts


def diff_data(found: Diff, why: Collection[int]) -> dict[str, Any]:
    """The diff as plain data: the reach of the edit, totals, and all differences."""
    from holdsfor.review.diff import SCHEMA

    line = found.line
    return {
        "schema": SCHEMA,
        "changed": found.changed,
        "evaluated": found.reached,
        "not_affected": found.not_affected,
        "unit": None if line.time_scale is None else line.time_scale.unit,
        "totals": {
            "differences": len(found),
            "gained": time_data(line, int(found.differences.gained.sum())),
            "lost": time_data(line, int(found.differences.lost.sum())),
        },
        "by_fluent": [{"fluent": one.name, "value": one.value or None, **_total(one, line)} for one in found.by_fluent],
        "by_entity": [{"entity": one.name, **_total(one, line)} for one in found.by_entity],
        "differences": [difference_data(one, line) for one in found],
        "reasons": {str(number): found.why(number).as_json() for number in why},
    }


def _total(one: DifferenceCounts, line: TimeLine) -> dict[str, Any]:
    counts = {str(change): one.counts[change] for change in DifferenceKind}
    return {**counts, "gained": time_data(line, one.gained), "lost": time_data(line, one.lost)}


def difference_data(one: Difference, line: TimeLine) -> dict[str, Any]:
    """One difference."""
    return {
        "number": one.number,
        "change": str(one.change),
        "kind": "event" if one.subject.is_event else "fluent",
        "name": one.subject.name,
        "entity": list(one.subject.entity),
        "fluent": one.subject.term,
        "value": one.subject.value or None,
        "old": [interval_data(*span, line) for span in one.old],
        "new": [interval_data(*span, line) for span in one.new],
        "gained": time_data(line, one.gained),
        "lost": time_data(line, one.lost),
    }


def interval_data(start: int, end: int, line: TimeLine) -> dict[str, Any]:
    """An interval: its bounds, in ISO 8601 where the unit is known; null is infinite."""
    low, high = line.start(start), line.end(end)
    found = {"start": bound_data(low, line), "end": bound_data(high, line)}
    if line.is_metric:
        found |= {"start_closed": low is not None and start % 2 == 0, "end_closed": high is not None and end % 2 == 1}
    return found


def bound_data(time: Fraction | int | None, line: TimeLine) -> int | str | None:
    """A time as data: a number of time-points, or text."""
    if time is None or (line.time_scale is None and not line.is_metric):
        return None if time is None else int(time)
    return line.time_text(int(time * 2 * line.scale) if line.is_metric else int(time))


def time_data(line: TimeLine, length: int) -> int | str:
    """A length: whole numbers as they are, others as text."""
    found = line.size(length)
    return found if isinstance(found, int) else int(found) if found.denominator == 1 else number_text(found)
