"""Lowers the metric predicates among event rules to a component of their plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil, lcm

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.metric.demand import TimeDemand, recursive_rules
from holdsfor.compiler.metric.plan import Direction, MetricPlan, make_metric_plan
from holdsfor.compiler.metric.rules import NormalRule, Relation, sources
from holdsfor.ir.metric import MetricFact, MetricProgram, MetricRule, Range
from holdsfor.physical.instructions import Constant, Origin, origin
from holdsfor.physical.metric import MetricComponent, MetricGiven, MetricInput, MetricOutput
from holdsfor.physical.metric_limits import limits_of
from holdsfor.physical.metric_lower import lower_metric
from holdsfor.physical.model import FOREVER

_ZERO = Fraction(0)


def metric_component(members: Sequence[Symbol], analysis: Analysis, tables: Mapping[Symbol, int]) -> MetricComponent:
    """The rules and facts of metric predicates, and of the predicates that they read in rational time."""
    defining = [
        one for symbol in analysis.graph.with_metric_sources(members) for one in analysis.entities[symbol].metric
    ]
    rules = tuple(one for one in defining if isinstance(one, MetricRule))
    facts = tuple(one for one in defining if isinstance(one, MetricFact))
    plan = make_metric_plan(MetricProgram(rules, facts))
    wanted = [Relation(symbol.name, symbol.arity) for symbol in members]
    given = [Relation(fact.predicate, len(fact.args)) for fact in facts]
    bounds = (bound for fact in facts for bound in (fact.during.low, fact.during.high) if bound is not None)
    lowered = lower_metric(plan.strata, [*wanted, *given], lcm(*(bound.denominator for bound in bounds)))
    number = {relation: place for place, relation in enumerate(lowered.relations)}
    demand = TimeDemand(plan, _ZERO, _ZERO)
    scale = lowered.scale
    return MetricComponent(
        lowered.part,
        scale,
        tuple(_inputs(plan, demand, analysis, tables, number)),
        tuple(MetricOutput(number[one], tables[symbol]) for one, symbol in zip(wanted, members, strict=True)),
        tuple(limits_of(stratum, demand.of(stratum), scale) for stratum in plan.strata),
        tuple(_fact(fact, number, scale) for fact in facts),
        _reach(plan, demand),
        _farthest(plan),
    )


def _inputs(
    plan: MetricPlan,
    demand: TimeDemand,
    analysis: Analysis,
    tables: Mapping[Symbol, int],
    number: Mapping[Relation, int],
) -> Iterator[MetricInput]:
    for relation in plan.inputs:
        first, last = demand.of_relation(relation)
        back, ahead = (
            FOREVER if one is None else max(0, ceil(one)) for one in (None if first is None else -first, last)
        )
        for symbol in analysis.entities.meant((relation.name, relation.arity)):
            if symbol not in analysis.graph.metric:
                yield MetricInput(number[relation], tables[symbol], back, ahead)


def _fact(fact: MetricFact, number: Mapping[Relation, int], scale: int) -> MetricGiven:
    relation = number[Relation(fact.predicate, len(fact.args))]
    start, end = _cells(fact.during, scale)
    return MetricGiven(relation, tuple(Constant(arg.value) for arg in fact.args), start, end)


def _cells(during: Range, scale: int) -> tuple[int | None, int | None]:
    """An interval in cells, from the first cell to the one after the last."""
    low = None if during.low is None else 2 * int(during.low * scale) + int(during.low_open)
    high = None if during.high is None else 2 * int(during.high * scale) + int(not during.high_open)
    return low, high


def _reach(plan: MetricPlan, demand: TimeDemand) -> int:
    """The number of time-points after a fact of an input relation at which it has consequences."""
    firsts = [demand.of_relation(one)[0] for one in plan.inputs]
    heads = {rule.head for rule in plan.rules}
    firsts += [demand.of_relation(one)[0] for one in heads if one.is_written]
    known = [ceil(-one) for one in firsts if one is not None]
    return FOREVER if len(known) < len(firsts) else max(0, *known, 0)


def _farthest(plan: MetricPlan) -> Origin:
    """The rule that looks farthest, or that reads its own results."""
    for stratum in plan.strata:
        if stratum.is_recursive and stratum.direction is not Direction.NOWHERE:
            return origin(recursive_rules(stratum)[0].origin.span)
    found = max(plan.rules, key=_distance, default=None)
    return Origin() if found is None else origin(found.origin.span)


def _distance(rule: NormalRule) -> float:
    bounds = [bound for _, offsets, _ in sources(rule) for bound in (offsets.low, offsets.high)]
    return max((float("inf") if bound is None else float(abs(bound)) for bound in bounds), default=0.0)
