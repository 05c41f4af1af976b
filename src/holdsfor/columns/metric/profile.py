"""How long each stratum of a metric program takes, and how many facts go in, come out and are kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from holdsfor.compiler.metric.plan import MetricStratum


@dataclass
class MetricMeasured:
    """One stratum, over all slices so far; `kept` is the most that was kept at the end of one."""

    seconds: float = 0.0
    facts_in: int = 0
    facts_out: int = 0
    kept: int = 0


@dataclass
class MetricProfile:
    """What was measured, by the number of the stratum."""

    strata: dict[int, MetricMeasured] = field(default_factory=dict)

    def set(self, strata: Sequence[MetricStratum], measured: Iterable[tuple[float, int, int, int]]) -> None:
        """Take over what the core has measured."""
        for stratum, found in zip(strata, measured, strict=True):
            self.strata[stratum.number] = MetricMeasured(*found)
