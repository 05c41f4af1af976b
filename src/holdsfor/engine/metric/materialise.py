"""All that follows from a finite set of facts: stratum by stratum, each over the whole of time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import lcm

from holdsfor.compiler.metric.plan import Direction, MetricPlan, MetricStratum
from holdsfor.compiler.metric.rules import Eroded, Lasting, Moved, NormalRule, Relation, negative, sources
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.metric.facts import Facts, FactSet, maximal
from holdsfor.engine.metric.operators import mirrored
from holdsfor.engine.metric.profile import MetricProfile
from holdsfor.engine.metric.slices import Through, run_slices
from holdsfor.engine.metric.stratum import Carried, NeverEnds, Stratum
from holdsfor.engine.metric.timeline import after, cells, columns_of, scale_of, together
from holdsfor.engine.tables import FOREVER
from holdsfor.ir.metric import Range

_MOST_ROUNDS = 10_000
"""What goes both ways in time may never end; after so many rounds it is taken to."""


def materialise(
    plan: MetricPlan,
    facts: FactSet,
    dictionary: Dictionary,
    start: Fraction | None = None,
    end: Fraction | None = None,
    profile: MetricProfile | None = None,
) -> FactSet:
    """The maximal facts of all predicates that rules define, within the closed interval from start to end.

    Raises NeverEnds if there is no end to what can be derived, and none was given.
    """
    scale = lcm(scale_of(plan.rules, plan.facts), facts.scale, *(p.denominator for p in (start, end) if p is not None))
    relations = dict.fromkeys([*plan.inputs, *(relation for stratum in plan.strata for relation in stratum.relations)])
    tables = together([facts, columns_of(plan.facts, scale, dictionary)], scale, relations)
    demand = _Demand(plan, start, end)
    for stratum in plan.strata:
        work = partial(_evaluated, stratum, tables, demand, scale, dictionary)
        try:
            found, _ = work() if profile is None else profile.measure(stratum, tables, work)
        except NeverEnds as problem:
            raise _in_units(problem, scale, stratum) from None
        tables.update(found)
    low, high = cells(Range(start, end), scale)
    answers = {(relation.name, relation.arity): tables[relation].clipped(low, high) for relation in plan.outputs}
    return FactSet(scale, answers)


def _in_units(problem: NeverEnds, scale: int, stratum: MetricStratum) -> NeverEnds:
    """The same with times in units of time instead of ticks."""
    since, period = (None if time is None else time / scale for time in (problem.since, problem.period))
    return NeverEnds(since, period, stratum.relations)


class _Demand:
    """From when to when each relation is needed; None is without end."""

    def __init__(self, plan: MetricPlan, start: Fraction | None, end: Fraction | None) -> None:
        self._first: dict[Relation, Fraction | None] = dict.fromkeys(plan.outputs, start)
        self._last: dict[Relation, Fraction | None] = dict.fromkeys(plan.outputs, end)
        for stratum in reversed(plan.strata):
            # Relations of a stratum need each other: what is asked of one is asked of all.
            self._share(stratum)
            for rule in stratum.rules:
                for source, offsets, _ in sources(rule):
                    if source not in stratum.relations:
                        self._ask(rule.head, source, offsets)

    def last(self, stratum: MetricStratum) -> Fraction | None:
        """Up to when a stratum that runs forward is needed."""
        return self._last.get(stratum.relations[0])

    def first(self, stratum: MetricStratum) -> Fraction | None:
        """From when on a stratum that runs backward is needed."""
        return self._first.get(stratum.relations[0])

    def _share(self, stratum: MetricStratum) -> None:
        firsts = [self._first[relation] for relation in stratum.relations if relation in self._first]
        lasts = [self._last[relation] for relation in stratum.relations if relation in self._last]
        forward = stratum.direction in (Direction.NOWHERE, Direction.FORWARD) or not stratum.is_recursive
        backward = stratum.direction in (Direction.NOWHERE, Direction.BACKWARD) or not stratum.is_recursive
        for relation in stratum.relations:
            self._first[relation] = _least(firsts) if backward else None
            self._last[relation] = _greatest(lasts) if forward else None

    def _ask(self, head: Relation, source: Relation, offsets: Range) -> None:
        first, last = self._first[head], self._last[head]
        earlier = None if first is None or offsets.high is None else first - offsets.high
        later = None if last is None or offsets.low is None else last - offsets.low
        self._first[source] = earlier if source not in self._first else _least([self._first[source], earlier])
        self._last[source] = later if source not in self._last else _greatest([self._last[source], later])


def _least(bounds: list[Fraction | None]) -> Fraction | None:
    known = [bound for bound in bounds if bound is not None]
    return min(known) if known and len(known) == len(bounds) else None


def _greatest(bounds: list[Fraction | None]) -> Fraction | None:
    known = [bound for bound in bounds if bound is not None]
    return max(known) if known and len(known) == len(bounds) else None


def _evaluated(
    stratum: MetricStratum, tables: Mapping[Relation, Facts], demand: _Demand, scale: int, dictionary: Dictionary
) -> tuple[dict[Relation, Facts], Carried]:
    if not stratum.is_recursive or stratum.direction is Direction.NOWHERE or stratum.stride is None:
        return Stratum(stratum, scale, dictionary).advance(tables, Carried())
    if stratum.direction is Direction.BOTH:
        return Stratum(stratum, scale, dictionary, most_rounds=_MOST_ROUNDS).advance(tables, Carried())
    seeds, recursive = _seeded(stratum, tables, scale, dictionary)
    read = {source for rule in recursive.rules for source, _, _ in sources(rule) if source not in stratum.relations}
    given = {relation: tables[relation] for relation in read if relation in tables}
    stride = int(stratum.stride * scale)
    if stratum.direction is Direction.FORWARD:
        last = demand.last(stratum)
        limit = int(FOREVER) if last is None else after(last, scale)
        return run_slices(Stratum(recursive, scale, dictionary), seeds, given, Through(stride, limit)), Carried()
    first = demand.first(stratum)
    limit = int(FOREVER) if first is None else after(-first, scale)
    flipped = Stratum(_mirrored_rules(recursive), scale, dictionary)
    found = run_slices(flipped, _mirrored_tables(seeds), _mirrored_tables(given), Through(stride, limit))
    return {relation: maximal([mirrored(facts)]) for relation, facts in found.items()}, Carried()


def _seeded(
    stratum: MetricStratum, tables: Mapping[Relation, Facts], scale: int, dictionary: Dictionary
) -> tuple[dict[Relation, Facts], MetricStratum]:
    """What a stratum starts from, worked out over all time, and the rules that are left."""
    members = set(stratum.relations)
    recursive = [rule for rule in stratum.rules if any(source in members for source, _, _ in sources(rule))]
    base = tuple(rule for rule in stratum.rules if rule not in recursive)
    begin = Stratum(replace(stratum, rules=base, is_recursive=False), scale, dictionary)
    seeds, _ = begin.advance(tables, Carried())
    return seeds, replace(stratum, rules=tuple(recursive))


def _mirrored_tables(tables: Mapping[Relation, Facts]) -> dict[Relation, Facts]:
    return {relation: maximal([mirrored(facts)]) for relation, facts in tables.items()}


def _mirrored_rules(stratum: MetricStratum) -> MetricStratum:
    return replace(stratum, rules=tuple(map(_mirrored_rule, stratum.rules)))


def _mirrored_rule(rule: NormalRule) -> NormalRule:
    match rule:
        case Moved() | Eroded():
            return replace(rule, offsets=negative(rule.offsets))
        case Lasting():
            return replace(rule, offsets=negative(rule.offsets), is_until=not rule.is_until)
        case _:
            return rule
