"""What is aimed at, and how a figure is compared with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Figures = dict[str, Any]


@dataclass(frozen=True)
class Target:
    """A figure of a workload, and what it should be.

    `at_most` and `at_least` are for the figure itself, `times` for how many times better it is than the old engine, and
    `rtec_ms` with `times_rtec` for how many times faster it is than RTEC took.
    """

    workload: str
    figure: str
    title: str
    unit: str = "ms"
    at_most: float | None = None
    at_least: float | None = None
    times: float | None = None
    rtec_ms: float | None = None
    times_rtec: float | None = None
    compares: bool = True
    relative_to: str | None = None
    """Another figure of the same run that this one is divided by."""
    less: str | None = None
    """Another that is subtracted from it."""

    def value(self, figures: Figures | None) -> float | None:
        """The figure, if it was measured."""
        if figures is None or self.figure not in figures:
            return None
        found = float(figures[self.figure])
        if self.less is not None:
            return found - float(figures[self.less]) if self.less in figures else None
        if self.relative_to is not None:
            return found / float(figures[self.relative_to]) if figures.get(self.relative_to) else None
        return found

    def line(self, old: Figures | None, new: Figures | None) -> str:
        """A row of the table."""
        before, now = self.value(old), self.value(new)
        if now is None:
            reason = (new or {}).get("error", "not measured").splitlines()[-1][-80:]
            return f"| {self.title} | {self.needed} | {self._shown(before)} | | {reason} |"
        return f"| {self.title} | {self.needed} | {self._shown(before)} | {self._shown(now)} | {self.verdict(before, now)} |"

    @property
    def needed(self) -> str:
        """What is aimed at, as text."""
        if self.times is not None:
            return f"{self.times:g} × the old engine"
        if self.times_rtec is not None:
            return f"{self.times_rtec:g} × RTEC ({self.rtec_ms:g} ms)"
        if self.at_most is not None:
            return f"≤ {_digits(self.at_most)} {self.unit}"
        return f"≥ {_digits(self.at_least or 0)} {self.unit}"

    def verdict(self, before: float | None, now: float) -> str:
        """Whether the target is met, and how far off it is otherwise."""
        if self.times is not None:
            return "not measured" if before is None else _ratio(before / now, self.times)
        if self.times_rtec is not None:
            return _ratio((self.rtec_ms or 0) / now, self.times_rtec)
        share = (self.at_most / now) if self.at_most is not None else now / (self.at_least or 1)
        gain = "" if before is None else f"; {_gain(before, now, self.at_most is not None)} × the old engine"
        return ("met" if share >= 1 else f"**missed** by {1 / share:.2g} ×") + gain

    def _shown(self, value: float | None) -> str:
        return "" if value is None else f"{_digits(value)} {self.unit}"


def _ratio(found: float, wanted: float) -> str:
    return f"{found:.3g} ×: " + ("met" if found >= wanted else f"**missed** by {wanted / found:.2g} ×")


def _gain(before: float, now: float, less_is_better: bool) -> str:
    return f"{(before / now if less_is_better else now / before):.3g}"


def _digits(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


_RTEC = (
    # Reasoning of RTEC on two shared cores of another machine; see benchmarks/suite/anchors.toml.
    ("caviar-whole", "CAVIAR, whole stream", 872, 100),
    ("caviar-100000", "CAVIAR, windows of 16,600 events", 124, 100),
    ("voting-whole", "voting, whole stream", 1150, 100),
    ("voting-10", "voting, windows of 10,000 events", 380, 100),
    ("ctm-whole", "city transport, whole stream", 343, 100),
    ("ctm-10000", "city transport, windows of 6,200 events", 96, 100),
    ("traffic-366k-whole", "maritime situations, a day", 50_700, 100),
    ("traffic-366k-2h", "maritime situations, windows of 31,000 events", 500, 100),
    ("netbill-20-10", "NetBill, windows of 449 events", 129, 50),
)

TARGETS: list[Target] = [
    Target("suite:maritime-1000", "reasoning_ms", "eleven outputs, a window of 1,000 events", times=30),
    Target(
        "live:single", "median_us", "one event into a session of 100,000 vessels, changes spelled out: median", "µs", 50
    ),
    Target("live:single", "p99_us", "the same: 99 %", "µs", 500),
    Target(
        "live:batches",
        "events_per_s",
        "batches of 1,000 events into a session of 100,000 vessels",
        "events/s",
        at_least=5e5,
    ),
    Target("live:changes", "columns_per_s", "changes read as columns", "changes/s", at_least=5e6),
    Target("live:changes", "objects_per_s", "changes read as Python objects", "changes/s", at_least=5e5),
    Target(
        "live:keys",
        "rss_mb",
        "2 M keys through a window of two batches: memory at the end, after ten batches",
        "×",
        1.05,
        relative_to="rss_after_10_mb",
    ),
    Target("live:late", "one_ms", "one late event into a window of a million", "ms", 0.1),
    Target("live:late", "many_ms", "100,000 late events into it", "ms", 200),
    Target(
        "overlaps:voyages",
        "times_scratch_14",
        "windows of 14 steps that overlap, 5 % delayed: by what changed, against from scratch",
        "×",
        at_least=5,
        compares=False,
    ),
    Target(
        "overlaps:voyages",
        "times_scratch_1",
        "the same, windows of one step: never slower than 1.05 ×",
        "×",
        at_least=1 / 1.05,
        compares=False,
    ),
    Target(
        "overlaps:voyages", "growth", "a step in windows of 14 steps, against windows of one", "×", 2, compares=False
    ),
    Target("suite:maritime-1500000", "reasoning_ms", "eleven outputs, 1.5 M events, one thread", "ms", 60),
    Target(
        "suite:maritime-1500000", "two_threads_wall_ms", "the same, two threads, by the clock", "ms", 40, compares=False
    ),
    Target(
        "suite:maritime-1500000",
        "more_rss_mb",
        "the same: memory at the peak, against the input columns",
        "×",
        2,
        relative_to="input_mb",
    ),
    *(
        Target(f"suite:{name}", "reasoning_ms", title, "ms", rtec_ms=ms, times_rtec=times)
        for name, title, ms, times in _RTEC
    ),
    Target("suite:import", "start_wall_ms", "`import holdsfor`", "ms", 50, less="Python_alone_wall_ms"),
    Target("suite:cold-start", "start_wall_ms", "cold start of a small run", "ms", 250),
]
