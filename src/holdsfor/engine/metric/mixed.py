"""Metric rules inside an event description: fluents and events as facts, and what follows as fluents.

A fluent that holds on the time-points [s, e) holds on the rational times (s-1, e-1], an event at T on [T, T]. The other
way round, a predicate holds at the time-points that lie in its intervals.

A query at `now` asks about the time up to `now + 1`, the last time-point that what happens until `now` decides. What
holds then holds until further notice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

import numpy as np

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.analysis.mixing import TRUE
from holdsfor.compiler.metric.plan import MetricPlan
from holdsfor.compiler.plan import Stratum
from holdsfor.core.metric_batch import materialise
from holdsfor.core.metric_stream import MetricStream
from holdsfor.diagnostics import HoldsforError
from holdsfor.engine.evaluation import Evaluation
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.kernels import Ints
from holdsfor.engine.metric.carried import Carried, MetricState
from holdsfor.engine.metric.facts import Facts, FactSet, maximal, no_facts, stacked
from holdsfor.engine.metric.timeline import after, columns_of, scale_of
from holdsfor.engine.tables import FOREVER, Events, Intervals
from holdsfor.ir.metric import MetricFact

_FURTHEST = 1 << 60
"""Times beyond this many cells leave no room for what is derived from them."""


def run_metric(evaluation: Evaluation, stratum: Stratum) -> None:
    """Work out a stratum of metric predicates."""
    plan, moment = stratum.metric, evaluation.moment
    assert plan is not None
    given = FactSet(1, dict(_given(evaluation, plan)))
    if stratum.members[0] in evaluation.kept.derivable or moment.next_border < moment.origin:
        # Nothing is settled: all that is known is looked at again.
        first, last = Fraction(moment.origin), Fraction(moment.now + 1)
        found = [materialise(plan, given, evaluation.dictionary, first, last)]
    else:
        found = list(_moved_on(evaluation, stratum, plan, given))
    for symbol in stratum.members:
        evaluation.set_fluent(symbol, _intervals(evaluation, symbol, found))


def _moved_on(evaluation: Evaluation, stratum: Stratum, plan: MetricPlan, given: FactSet) -> Iterator[FactSet]:
    """What follows after the border from what is kept there; what the next border needs is kept on the way."""
    moment, scale = evaluation.moment, scale_of(plan.rules, plan.facts)
    begins = moment.border < moment.origin
    reached = -int(FOREVER) if begins else after(Fraction(moment.border), scale)
    carried = evaluation.border.metric.get(stratum.members[0]) or [Carried() for _ in plan.strata]
    stream = MetricStream(plan, evaluation.dictionary, MetricState(scale, reached, carried))
    stream.push(columns_of(plan.facts, scale, evaluation.dictionary))
    stream.push(given)
    if begins:
        stream.advance(Fraction(moment.origin - 1))
    if moment.next_border > moment.border:
        yield stream.advance(Fraction(moment.next_border))
    if stream.kept:
        evaluation.next_border.metric[stratum.members[0]] = stream.state.carried
    yield stream.advance(Fraction(moment.now + 1))


# Into rational time


def _given(evaluation: Evaluation, plan: MetricPlan) -> Iterator[tuple[tuple[str, int], Facts]]:
    metric = evaluation.analysis.graph.metric
    for relation in plan.inputs:
        signature = relation.name, relation.arity
        tables = [
            _of_events(evaluation.events(symbol), evaluation)
            if symbol.kind is EntityKind.EVENT
            else _of_fluent(evaluation.intervals(symbol), evaluation)
            for symbol in evaluation.entities.meant(signature)
            if symbol not in metric
        ]
        if tables:
            yield signature, stacked(tables)


def _of_events(events: Events, evaluation: Evaluation) -> Facts:
    start = 2 * _near(events.time)
    return Facts(tuple(codes_of(column, evaluation.dictionary) for column in events.args), start, start + 1)


def _of_fluent(table: Intervals, evaluation: Evaluation) -> Facts:
    table = table.take(np.flatnonzero(table.value == evaluation.dictionary.code(TRUE.value)))
    return Facts(table.args, _doubled(table.start), _doubled(table.end))


def _doubled(times: Ints) -> Ints:
    """The cell right after the time-point before, where what holds from a time-point on begins."""
    far = np.abs(times) >= FOREVER
    return np.where(far, times, 2 * _near(np.where(far, 0, times)) - 1)


def _near(times: Ints) -> Ints:
    if len(times) and max(int(times.max()), -int(times.min())) > _FURTHEST:
        raise HoldsforError("times this far off cannot be read by metric rules: they would not fit 64-bit integers")
    return times


# Back to time-points


def _intervals(evaluation: Evaluation, symbol: Symbol, found: Iterable[FactSet]) -> Intervals:
    """The maximal intervals of time-points at which a predicate holds, as far as the query asks."""
    signature = symbol.name, symbol.arity
    tables = [_time_points(one.tables[signature], one.scale) for one in found if signature in one.tables]
    if not tables:
        # Facts alone say when it holds.
        facts = [one for one in evaluation.entities[symbol].metric if isinstance(one, MetricFact)]
        scale = scale_of((), facts)
        tables = [_time_points(columns_of(facts, scale, evaluation.dictionary).tables[signature], scale)]
    origin, last = evaluation.moment.origin, evaluation.moment.now + 1
    points = maximal([stacked(tables) if tables else no_facts(symbol.arity)]).clipped(origin, last + 1)
    end = np.where(points.end > last, FOREVER, points.end)
    order = np.lexsort((points.start, *reversed(points.args)))
    value = np.full(points.rows, evaluation.dictionary.code(TRUE.value))
    args = tuple(column[order] for column in points.args)
    return Intervals(args, value, points.start[order], end[order], single_valued=False)


def _time_points(facts: Facts, scale: int) -> Facts:
    """The time-points in each interval; those of some arguments may touch."""
    return facts.during(_next_point(facts.start, scale), _next_point(facts.end, scale))


def _next_point(cells: Ints, scale: int) -> Ints:
    """The first time-point that is not before a cell."""
    far = np.abs(cells) >= FOREVER
    return np.where(far, cells, -(-np.where(far, 0, cells) // (2 * scale)))
