"""The range of time in which each stratum of a metric plan is needed, for the requested outputs."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

from holdsfor.compiler.metric.delays import TooFarAhead, looking_back
from holdsfor.compiler.metric.mirror import mirrored_stratum
from holdsfor.compiler.metric.plan import Direction, MetricPlan, MetricStratum
from holdsfor.compiler.metric.rules import NormalRule, Relation, sources
from holdsfor.ir.metric import Range


class TimeDemand:
    """The time range in which each relation is needed; None is without limit."""

    def __init__(self, plan: MetricPlan, start: Fraction | None, end: Fraction | None) -> None:
        self._first: dict[Relation, Fraction | None] = dict.fromkeys(plan.outputs, start)
        self._last: dict[Relation, Fraction | None] = dict.fromkeys(plan.outputs, end)
        self._range_of: dict[int, tuple[Fraction | None, Fraction | None]] = {}
        for stratum in reversed(plan.strata):
            # Relations of a stratum depend on each other, so they share their demand.
            self._share(stratum)
            for rule in stratum.rules:
                for source, offsets, _ in sources(rule):
                    if source not in stratum.relations:
                        self._require(rule.head, source, offsets)

    def of(self, stratum: MetricStratum) -> tuple[Fraction | None, Fraction | None]:
        """The time range in which others need a stratum."""
        return self._range_of[stratum.number]

    def of_relation(self, relation: Relation) -> tuple[Fraction | None, Fraction | None]:
        """The time range in which a relation is needed that some rule reads."""
        return self._first[relation], self._last[relation]

    def _share(self, stratum: MetricStratum) -> None:
        firsts = [self._first[relation] for relation in stratum.relations if relation in self._first]
        lasts = [self._last[relation] for relation in stratum.relations if relation in self._last]
        first, last = self._range_of[stratum.number] = _least(firsts), _greatest(lasts)
        before, beyond = _margins(stratum)
        for relation in stratum.relations:
            self._first[relation] = None if first is None or before is None else first - before
            self._last[relation] = None if last is None or beyond is None else last + beyond

    def _require(self, head: Relation, source: Relation, offsets: Range) -> None:
        first, last = self._first[head], self._last[head]
        earlier = None if first is None or offsets.high is None else first - offsets.high
        later = None if last is None or offsets.low is None else last - offsets.low
        self._first[source] = earlier if source not in self._first else _least([self._first[source], earlier])
        self._last[source] = later if source not in self._last else _greatest([self._last[source], later])


def _margins(stratum: MetricStratum) -> tuple[Fraction | None, Fraction | None]:
    """How much earlier and later than its own demand a stratum may read its inputs; None is without limit."""
    none = Fraction(0)
    if not stratum.is_recursive or stratum.direction is Direction.NOWHERE:
        return none, none
    if stratum.direction is not Direction.BOTH:
        return (None, none) if stratum.direction is Direction.FORWARD else (none, None)
    with suppress(TooFarAhead):
        return None, max(looking_back(recursive_rules(stratum))[1].values(), default=none)
    with suppress(TooFarAhead):
        return max(looking_back(recursive_rules(mirrored_stratum(stratum)))[1].values(), default=none), None
    return None, None


def recursive_rules(stratum: MetricStratum) -> tuple[NormalRule, ...]:
    """The rules that read results of their own stratum."""
    return tuple(rule for rule in stratum.rules if any(source in stratum.relations for source, _, _ in sources(rule)))


def _least(bounds: list[Fraction | None]) -> Fraction | None:
    known = [bound for bound in bounds if bound is not None]
    return min(known) if known and len(known) == len(bounds) else None


def _greatest(bounds: list[Fraction | None]) -> Fraction | None:
    known = [bound for bound in bounds if bound is not None]
    return max(known) if known and len(known) == len(bounds) else None
