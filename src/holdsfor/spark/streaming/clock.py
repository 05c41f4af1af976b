"""Advances the watermark of a stream, which determines due query times and late rows.

Each source has its own watermark: the latest time in its rows minus its lateness. The watermark of the stream is the
least of these. Sources that have sent nothing for the time `idle` do not count. If that is all of them, the greatest
watermark of a source counts, and it advances with processing time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from holdsfor.diagnostics import HoldsforError

ONE_SOURCE = ""
"""The name of the source of a stream that has only one watermark."""


@dataclass(frozen=True)
class Windows:
    """Query times every `step` time-points, each with a window of `size`, evaluated when the watermark has reached it.

    The watermark follows the times of events, or their arrivals. `lateness` applies to all rows, or `lateness_of` to
    those of each source. `idle` is the processing time after which a silent source does not count.
    """

    size: int
    step: int
    lateness: int = 0
    by_event: bool = True
    lateness_of: Mapping[str, int] = field(default_factory=dict)
    idle: int | None = None

    def __post_init__(self) -> None:
        checked = [("window", self.size, 1), ("step", self.step, 1), ("lateness", self.lateness, 0)]
        checked += [(f"lateness of {source!r}", size, 0) for source, size in self.lateness_of.items()]
        for what, size, least in checked:
            if size < least:
                raise HoldsforError(f"the {what} must be at least {least}, not {size}")

    @property
    def sources(self) -> Mapping[str, int]:
        """The sources with their lateness."""
        return self.lateness_of or {ONE_SOURCE: self.lateness}


@dataclass(frozen=True)
class Heard:
    """What a source has sent: the latest time in its rows, and the processing time of the last ones.

    A source that has sent nothing counts as heard at the first processing time.
    """

    latest: int | None = None
    at: int | None = None


@dataclass(frozen=True)
class Clock:
    """The position of a stream. It began after `start`, `query` is the last query time, `now` the processing time."""

    start: int | None = None
    query: int | None = None
    now: int | None = None
    heard: Mapping[str, Heard] = field(default_factory=dict)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Clock:
        """A serialised clock."""
        if "heard" in data:
            return cls(**{**data, "heard": {source: Heard(**heard) for source, heard in data["heard"].items()}})
        # Clocks of the previous version know one source; `idle` is how long it had been silent.
        now = None if data["beat"] is None else data["beat"] + data["idle"]
        return cls(data["start"], data["query"], now, {ONE_SOURCE: Heard(data["latest"], data["beat"])})

    def beginning(self, start: int) -> Clock:
        """The clock of a stream that begins after a time-point."""
        return replace(self, start=start, query=start)

    def seen(self, first: int | None, latest: Mapping[str, int], now: int | None, windows: Windows) -> Clock:
        """The clock after a batch: its first time, the latest time of each source in it, and the processing time.

        The first rows determine the start of the stream.
        """
        clock = self if self.start is not None or first is None else self.beginning(first - 1)
        moment = now if self.now is None else self.now if now is None else max(now, self.now)
        heard = {}
        for source in windows.sources:
            before, last = self.heard.get(source, Heard()), latest.get(source)
            if last is not None:
                heard[source] = Heard(last if before.latest is None else max(before.latest, last), moment)
            else:
                heard[source] = before if before.at is not None else replace(before, at=moment)
        return replace(clock, now=moment, heard=heard)

    def reaching(self, query: int, windows: Windows) -> Clock:
        """The clock at which a query time is due."""
        due = {source: query + lateness for source, lateness in windows.sources.items()}
        return self.seen(None, due, None, windows)

    def watermark(self, windows: Windows) -> int | None:
        """The time up to which no more input is expected; None if a source has sent nothing yet."""
        awake = self._awake(windows)
        own = {source: self._watermark_of(source, windows) for source in windows.sources}
        known = [found for source, found in own.items() if found is not None and (source in awake or not awake)]
        if not known or len(known) < len(awake):
            return None
        return min(known) if awake else max(known) + self._silence(max(map(self._heard_at, windows.sources)))

    def slowest(self, windows: Windows) -> str | None:
        """The source that determines the watermark, if there are several."""
        awake = self._awake(windows) if windows.lateness_of else []
        never = -(2**63)

        def place(source: str) -> int:
            found = self._watermark_of(source, windows)
            return never if found is None else found

        return min(awake, key=place, default=None)

    def _watermark_of(self, source: str, windows: Windows) -> int | None:
        latest = self.heard.get(source, Heard()).latest
        return None if latest is None else latest - windows.sources[source]

    def _awake(self, windows: Windows) -> list[str]:
        """The sources that count."""
        return [
            one for one in windows.sources if windows.idle is None or self._silence(self._heard_at(one)) < windows.idle
        ]

    def _heard_at(self, source: str) -> int:
        at = self.heard.get(source, Heard()).at
        return at if at is not None else self.now or 0

    def _silence(self, since: int) -> int:
        return 0 if self.now is None else self.now - since

    def due(self, windows: Windows) -> range:
        """The query times that are due."""
        watermark = self.watermark(windows)
        if self.query is None or watermark is None:
            return range(0)
        last = self.query + (watermark - self.query) // windows.step * windows.step
        return range(self.query + windows.step, last + 1, windows.step)

    def evaluated(self, query: int) -> Clock:
        """The clock after a query time."""
        return replace(self, query=query)

    def origin(self, windows: Windows) -> int:
        """The first relevant time-point: zero, or the first of the first window."""
        assert self.start is not None
        first = self.start + 1 if windows.by_event else self.start + windows.step - windows.size + 1
        return min(0, self.start + 1, first)
