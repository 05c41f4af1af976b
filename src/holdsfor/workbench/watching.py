"""The state of a monitored stream: open intervals, changes, throughput."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.diagnostics import HoldsforError
from holdsfor.monitoring import Metrics
from holdsfor.workbench.live import CHANGES, Follower, is_date, number_of

_PAUSE = 0.4
"""Seconds between two reads of the output of a stream."""
_SHOWN_OPEN = 100
_SHOWN_CHANGES = 200
_BARS = 400
"""The number of open and of ended intervals that are drawn."""
_RATES = 120


class Watch:
    """Follows a stream for all pages that show it. The data sent to a page stay small, however long the stream runs."""

    def __init__(self, follower: Follower) -> None:
        self._follower = follower
        self._lock = Lock()
        self._looked = -_PAUSE
        self.version = 0
        self.is_over: Callable[[], bool] = lambda: False
        """Whether the server is shutting down, so that nothing more is sent."""
        self._clear()

    def _clear(self) -> None:
        self._open, self._ended, self._feed = (CHANGES.empty_table() for _ in range(3))
        self._totals = dict.fromkeys(("changes", "batches", "events", "late", "malformed"), 0)
        self._report: dict[str, Any] = {}
        self._rates: deque[dict[str, float]] = deque(maxlen=_RATES)
        self._now: str | None = None
        self._clock: float | None = None
        self._problem = ""
        self.metrics = Metrics()

    def look(self) -> int:
        """Read new output; if there is any, the version changes."""
        with self._lock:
            if time.monotonic() - self._looked < _PAUSE:
                return self.version
            try:
                self._read()
            except (HoldsforError, OSError) as problem:
                self._tell(str(problem))
            self._looked = time.monotonic()
            return self.version

    def _tell(self, problem: str) -> None:
        if problem != self._problem:
            self._problem = problem
            self.version += 1

    def _read(self) -> None:
        if self._follower.begins_again():
            self._clear()
            self.version += 1
        for changes in self._follower.changes_since():
            self._take(changes)
            self.version += 1
        for report in self._follower.reports_since():
            self._take_report(report)
            self.version += 1
        self._tell(self._follower.problem if self._follower.is_there else f"waiting for {self._follower.changes}")

    def _take(self, changes: pa.Table) -> None:
        self._totals["batches"] = self._follower.batches
        self._totals["changes"] += len(changes)
        if not len(changes):
            return
        self._now, self._clock = changes["at"][-1].as_py(), changes["now"][-1].as_py()
        self._feed = pa.concat_tables([self._feed, changes.slice(max(0, len(changes) - _SHOWN_CHANGES))])
        self._feed = self._feed.slice(max(0, len(self._feed) - _SHOWN_CHANGES)).combine_chunks()
        last = _last_of_each(changes)
        changed = pc.is_in(self._open["id"], last["id"])
        is_there = pc.not_equal(last["op"], "retract")
        is_open = pc.and_(is_there, pc.is_null(last["end"]))
        still = self._open.filter(pc.invert(changed))
        self._open = pa.concat_tables([still, last.filter(is_open)]).combine_chunks()
        ended = last.filter(pc.and_(is_there, pc.is_valid(last["end"])))
        before = self._ended.filter(pc.invert(pc.is_in(self._ended["id"], last["id"])))
        kept = pa.concat_tables([before, ended])
        self._ended = kept.slice(max(0, len(kept) - _BARS)).combine_chunks()

    def _take_report(self, report: Mapping[str, Any]) -> None:
        self._report = {name: value for name, value in report.items() if isinstance(value, int | float | str | None)}
        for name in ("events", "late", "malformed"):
            self._totals[name] += _count(report.get(name))
        self.metrics.report(report)
        milliseconds = _count(report.get("milliseconds"))
        events = _count(report.get("events"))
        self._rates.append({"events": events, "late": _count(report.get("late")), "milliseconds": milliseconds})
        if report.get("query_time") is not None:
            self._now = str(report["query_time"])
            with suppress(ValueError, HoldsforError):
                self._clock = number_of(self._now)

    def view(self) -> dict[str, Any]:
        """The data that a page shows."""
        with self._lock:
            since = pc.fill_null(self._open["first"], -np.inf).to_numpy()
            newest = self._open.take(pa.array(np.argsort(since, kind="stable")[-_BARS:]))
            bars = pa.concat_tables([self._ended, newest]).select(["what", "start", "end", "first", "last"])
            return {
                "version": self.version,
                "now": self._now,
                "clock": self._clock,
                "has_dates": self._now is not None and is_date(self._now),
                "problem": self._problem,
                "totals": self._totals,
                "report": self._report,
                "rates": list(self._rates),
                "open_count": len(self._open),
                "open": newest.select(["what", "start"]).to_pylist()[: -_SHOWN_OPEN - 1 : -1],
                "feed": self._feed.select(["at", "op", "what", "start", "end", "causes"]).to_pylist()[::-1],
                "bars": bars.to_pylist(),
            }


def _last_of_each(changes: pa.Table) -> pa.Table:
    """The last row of every id, which is its present state."""
    codes = changes["id"].combine_chunks().dictionary_encode().indices.to_numpy(zero_copy_only=False)
    last = np.zeros(int(codes.max()) + 1, np.int64)
    last[codes] = np.arange(len(codes))
    return changes.take(pa.array(np.sort(last)))


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
