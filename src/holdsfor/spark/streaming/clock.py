"""Advances the watermark of a stream, which determines due query times and late rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from holdsfor.diagnostics import HoldsforError


@dataclass(frozen=True)
class Windows:
    """Query times every `step` time-points, each with a window of `size`, evaluated `lateness` after it.

    The watermark follows the times of events, or their arrivals.
    """

    size: int
    step: int
    lateness: int = 0
    by_event: bool = True

    def __post_init__(self) -> None:
        for what, size, least in (("window", self.size, 1), ("step", self.step, 1), ("lateness", self.lateness, 0)):
            if size < least:
                raise HoldsforError(f"the {what} must be at least {least}, not {size}")


@dataclass(frozen=True)
class Clock:
    """The position of a stream. It began after `start`, `query` is the last query time, `latest` the latest time seen.

    `beat` is the processing time of the last rows, `idle` is how far the clock has advanced since then without rows.
    """

    start: int | None = None
    query: int | None = None
    latest: int | None = None
    beat: int | None = None
    idle: int = 0

    def beginning(self, start: int) -> Clock:
        """The clock of a stream that begins after a time-point."""
        return replace(self, start=start, query=start)

    def seen(self, first: int | None, last: int | None) -> Clock:
        """The clock after rows with these first and last times; the first rows determine the start of the stream."""
        if first is None or last is None:
            return self
        clock = self if self.start is not None else self.beginning(first - 1)
        return replace(clock, latest=last if self.latest is None else max(self.latest, last), idle=0)

    def waited(self, now: int | None, rows: int, patience: int | None) -> Clock:
        """The clock at a processing time. After `patience` without rows, it advances with processing time."""
        if now is None:
            return self
        if rows or self.beat is None:
            return replace(self, beat=now, idle=0)
        quiet = now - self.beat
        return self if patience is None or quiet < patience else replace(self, idle=max(self.idle, quiet))

    def due(self, windows: Windows) -> range:
        """The query times that are due."""
        if self.query is None or self.latest is None:
            return range(0)
        reached = self.latest + self.idle - windows.lateness
        last = self.query + (reached - self.query) // windows.step * windows.step
        return range(self.query + windows.step, last + 1, windows.step)

    def asked(self, query: int) -> Clock:
        """The clock after a query time."""
        return replace(self, query=query)

    def origin(self, windows: Windows) -> int:
        """The first relevant time-point: zero, or the first of the first window."""
        assert self.start is not None
        first = self.start + 1 if windows.by_event else self.start + windows.step - windows.size + 1
        return min(0, self.start + 1, first)
