"""The time and the numbers of facts (read, derived, kept) of each stratum of a metric program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from holdsfor.compiler.metric.plan import MetricStratum


@dataclass
class MetricMeasured:
    """One stratum over all slices so far; `kept` is the maximum at the end of a slice."""

    seconds: float = 0.0
    facts_in: int = 0
    facts_out: int = 0
    kept: int = 0


@dataclass
class MetricProfile:
    """The measurements by stratum number."""

    strata: dict[int, MetricMeasured] = field(default_factory=dict)

    def set(self, strata: Sequence[MetricStratum], measured: Iterable[tuple[float, int, int, int]]) -> None:
        """Stores the measurements of the core."""
        for stratum, found in zip(strata, measured, strict=True):
            self.strata[stratum.number] = MetricMeasured(*found)
