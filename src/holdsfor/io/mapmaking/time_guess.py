"""Guesses the time column and the time unit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from holdsfor.diagnostics import HoldsforError
from holdsfor.io.mapmaking.sample import Sample, TimesOf
from holdsfor.io.mapmaking.words import words
from holdsfor.times import UNITS

_TIME = {"time", "timestamp", "ts", "at", "datetime", "when", "t", "moment", "occurred", "happened"}
_DATE = {"date", "day", "times", "created", "clock", "epoch"}
_LESS = set(
    "updated modified received ingested arrival arrived processed inserted birth dob expiry expires due".split()
)
_LESS |= {"deadline", "end", "ended", "finish", "finished", "until", "valid"}
_NONE = set(
    "id ids count amount price quantity qty total number num no year age zip code phone size lat lon x y".split()
)
_NONE |= {"speed", "value", "score", "rank", "level", "index", "key", "weight", "temperature"}
_ARRIVAL = {"arrival", "arrived", "received", "ingested", "processed"}
_FIRST, _LAST = 500_000_000, 4_100_000_000
"""The plausible range of unix time: from 1985 to 2099."""
_EPOCHS = ("s", "ms", "us", "ns")
_SPANS = (
    ("start", "end"),
    ("begin", "end"),
    ("from", "to"),
    ("since", "until"),
    ("started", "ended"),
    ("entry", "exit"),
)


@dataclass(frozen=True)
class TimeGuess:
    """A time column, the length of a time-point if known, and the reason for the choice."""

    path: str
    unit: str | None
    why: str


def guess_time(sample: Sample, unit: str | None, chosen: str | None) -> TimeGuess:
    """The time column; `chosen` overrides the guess. `unit` is declared by the rules."""
    if chosen is not None:
        if chosen not in sample.paths:
            raise HoldsforError(f"{sample.name} has no column {chosen!r}; it has {', '.join(sample.paths)}")
        found = sample.times(chosen, unit or "s")
        if found is None or not found.is_usable:
            raise HoldsforError(
                f"{chosen} of {sample.name} has no times, such as {sample.shown(chosen)[:40]!r}; "
                "times are whole numbers, timestamps, or text such as 2026-03-01T12:00Z"
            )
        return _guess(sample, chosen, found, unit)
    scored = [(score, path, found) for path in sample.paths for score, found in _scored(sample, path, unit or "s")]
    best = max(scored, key=lambda one: one[0], default=None)
    if best is None or best[0] < 1:
        raise HoldsforError(
            f"no column of {sample.name} looks like a time{_hint(sample)}; say which with --time: {', '.join(sample.paths)}"
        )
    return _guess(sample, best[1], best[2], unit)


def _scored(sample: Sample, path: str, unit: str) -> Iterator[tuple[float, TimesOf]]:
    found = sample.times(path, unit)
    if found is None or not found.is_usable:
        return
    named = set(words(path))
    score = 6.0 if found.is_dated else 4.0 if _epoch(found) else 1.0
    score += 5 if named & _TIME else 3 if named & _DATE else 0
    score -= 3 if named & _LESS else 0
    if not found.is_dated and named & _NONE and not named & _TIME:
        score -= 6
    if found.gaps.any():
        score -= 3
    if len(found.good) > 1 and bool((np.diff(found.good) >= 0).all()):
        score += 1
    if not sample.rows and not named & (_TIME | _DATE):
        score = 0
    yield score, found


def _guess(sample: Sample, path: str, found: TimesOf, unit: str | None) -> TimeGuess:
    if found.is_dated:
        return TimeGuess(path, unit or _finest(sample, path), f"dates such as {sample.shown(path)[:40]}")
    epoch = _epoch(found)
    if epoch is None:
        is_called = set(words(path)) & (_TIME | _DATE)
        doubt = "" if is_called else "; no column is called like a time, so look at this"
        return TimeGuess(path, unit, f"whole numbers such as {sample.shown(path)[:40]}{doubt}")
    why = f"whole numbers that look like {_WORDS[epoch]} since 1970"
    if unit is not None and unit != epoch:
        why += f", but the rules declare time_unit({unit})"
    return TimeGuess(path, unit or epoch, why)


_WORDS = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}


def _epoch(found: TimesOf) -> str | None:
    """The unit in which whole numbers are plausible unix times."""
    if not len(found.good) or found.is_dated:
        return None
    low, high = int(found.good.min()), int(found.good.max())
    for unit in _EPOCHS:
        size = UNITS["s"] // UNITS[unit]
        if _FIRST * size <= low and high <= _LAST * size:
            return unit
    return None


def _finest(sample: Sample, path: str) -> str:
    """The largest common unit in which all dates of a column are whole numbers."""
    for fine in ("ns", "us", "ms"):
        found = sample.times(path, fine)
        if found is None or not found.is_usable:
            continue
        for unit in _EPOCHS:
            size = UNITS[unit] // UNITS[fine]
            if size and not (found.good % size).any():
                return unit
    return "s"


def _hint(sample: Sample) -> str:
    """The problem with a column that is named like a time column."""
    path = next((path for path in sample.paths if set(words(path)) & (_TIME | _DATE) and sample.shown(path)), None)
    if path is None:
        return ""
    return f" ({path} has {sample.shown(path)[:40]!r}: times are whole numbers, or written like 2026-03-01T12:00Z)"


def guess_span(sample: Sample, unit: str) -> tuple[str, str] | None:
    """Columns with the start and end of an interval in every row."""
    for first, last in _SPANS:
        start = next((path for path in sample.paths if first in words(path)), None)
        end = next((path for path in sample.paths if last in words(path) and path != start), None)
        if start is None or end is None:
            continue
        begins, ends = sample.times(start, unit), sample.times(end, unit)
        if begins is None or ends is None or not begins.is_usable or bool((ends.wrong & ~ends.gaps).any()):
            continue
        if bool((ends.gaps | begins.gaps | (ends.values > begins.values)).all()):
            return start, end
    return None


def guess_arrival(sample: Sample, time: str, unit: str) -> str | None:
    """A column with arrival times."""
    for path in sample.paths:
        if path != time and set(words(path)) & _ARRIVAL:
            found = sample.times(path, unit)
            if found is not None and found.is_usable and not found.gaps.any():
                return path
    return None
