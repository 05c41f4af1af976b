"""How long each stratum of a metric program takes, and how many facts go in, come out and are kept."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from holdsfor.compiler.metric.plan import MetricStratum
from holdsfor.compiler.metric.rules import Relation, sources
from holdsfor.engine.metric.facts import Facts
from holdsfor.engine.metric.stratum import Carried

Evaluated = tuple[dict[Relation, Facts], Carried]


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

    def measure(
        self, stratum: MetricStratum, tables: Mapping[Relation, Facts], work: Callable[[], Evaluated]
    ) -> Evaluated:
        """Run a stratum with the clock on."""
        found = self.strata.setdefault(stratum.number, MetricMeasured())
        read = {source for rule in stratum.rules for source, _, _ in sources(rule)} - set(stratum.relations)
        found.facts_in += sum(tables[relation].rows for relation in read if relation in tables)
        begin = time.perf_counter()
        now, carried = work()
        found.seconds += time.perf_counter() - begin
        found.facts_out += sum(facts.rows for facts in now.values())
        found.kept = max(found.kept, carried.facts)
        return now, carried
