"""All that follows from a finite set of facts: stratum by stratum, each over the whole of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import lcm

from holdsfor.compiler.metric.delays import TooFarAhead, looking_back
from holdsfor.compiler.metric.mirror import mirrored_stratum
from holdsfor.compiler.metric.plan import Direction, MetricPlan, MetricStratum, plan_rules
from holdsfor.compiler.metric.rules import NormalRule, Relation, sources
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.metric.facts import Facts, FactSet, maximal
from holdsfor.engine.metric.operators import by, mirrored, moved
from holdsfor.engine.metric.profile import MetricProfile
from holdsfor.engine.metric.slices import Through, run_slices
from holdsfor.engine.metric.stratum import Carried, NeverEnds, Stratum
from holdsfor.engine.metric.timeline import after, cells, columns_of, is_near, require_near, scale_of, together
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
    made = materialise_strata(plan, plan.strata, tables, scale, dictionary, start, end, profile)
    require_near(start, scale, "the start")
    require_near(end, scale, "the end")
    low, high = cells(Range(start, end), scale)
    answers = {(relation.name, relation.arity): made[relation].clipped(low, high) for relation in plan.outputs}
    return FactSet(scale, answers)


def materialise_strata(
    plan: MetricPlan,
    strata: Sequence[MetricStratum],
    given: Mapping[Relation, Facts],
    scale: int,
    dictionary: Dictionary,
    start: Fraction | None = None,
    end: Fraction | None = None,
    profile: MetricProfile | None = None,
) -> dict[Relation, Facts]:
    """The maximal facts of all relations of some strata of a plan, as far as the outputs of the plan need them from
    start to end.

    `given` are maximal facts of what the strata read, and of their own relations. Raises NeverEnds.
    """
    tables = dict(given)
    demand = _Demand(plan, start, end)
    made: dict[Relation, Facts] = {}
    for stratum in strata:
        work = partial(_evaluated, stratum, tables, demand.of(stratum), scale, dictionary)
        try:
            found, _ = work() if profile is None else profile.measure(stratum, tables, work)
        except NeverEnds as problem:
            raise _in_units(problem, scale, stratum) from None
        tables.update(found)
        made.update(found)
    return made


def _in_units(problem: NeverEnds, scale: int, stratum: MetricStratum) -> NeverEnds:
    """The same with times in units of time instead of ticks."""
    since, period = (None if time is None else time / scale for time in (problem.since, problem.period))
    return NeverEnds(since, period, stratum.relations)


class _Demand:
    """From when to when each relation is needed; None is without end."""

    def __init__(self, plan: MetricPlan, start: Fraction | None, end: Fraction | None) -> None:
        self._first: dict[Relation, Fraction | None] = dict.fromkeys(plan.outputs, start)
        self._last: dict[Relation, Fraction | None] = dict.fromkeys(plan.outputs, end)
        self._asked: dict[int, tuple[Fraction | None, Fraction | None]] = {}
        for stratum in reversed(plan.strata):
            # Relations of a stratum need each other: what is asked of one is asked of all.
            self._share(stratum)
            for rule in stratum.rules:
                for source, offsets, _ in sources(rule):
                    if source not in stratum.relations:
                        self._ask(rule.head, source, offsets)

    def of(self, stratum: MetricStratum) -> tuple[Fraction | None, Fraction | None]:
        """From when to when others need a stratum."""
        return self._asked[stratum.number]

    def _share(self, stratum: MetricStratum) -> None:
        firsts = [self._first[relation] for relation in stratum.relations if relation in self._first]
        lasts = [self._last[relation] for relation in stratum.relations if relation in self._last]
        first, last = self._asked[stratum.number] = _least(firsts), _greatest(lasts)
        before, beyond = _margins(stratum)
        for relation in stratum.relations:
            self._first[relation] = None if first is None or before is None else first - before
            self._last[relation] = None if last is None or beyond is None else last + beyond

    def _ask(self, head: Relation, source: Relation, offsets: Range) -> None:
        first, last = self._first[head], self._last[head]
        earlier = None if first is None or offsets.high is None else first - offsets.high
        later = None if last is None or offsets.low is None else last - offsets.low
        self._first[source] = earlier if source not in self._first else _least([self._first[source], earlier])
        self._last[source] = later if source not in self._last else _greatest([self._last[source], later])


def _margins(stratum: MetricStratum) -> tuple[Fraction | None, Fraction | None]:
    """How much earlier and later than it is asked about a stratum may need what it reads; None is without end."""
    none = Fraction(0)
    if not stratum.is_recursive or stratum.direction is Direction.NOWHERE:
        return none, none
    if stratum.direction is not Direction.BOTH:
        return (None, none) if stratum.direction is Direction.FORWARD else (none, None)
    with suppress(TooFarAhead):
        return None, max(looking_back(_recursive(stratum))[1].values(), default=none)
    with suppress(TooFarAhead):
        return max(looking_back(_recursive(mirrored_stratum(stratum)))[1].values(), default=none), None
    return None, None


def _recursive(stratum: MetricStratum) -> tuple[NormalRule, ...]:
    """The rules that read what the stratum makes."""
    return tuple(rule for rule in stratum.rules if any(source in stratum.relations for source, _, _ in sources(rule)))


def _least(bounds: list[Fraction | None]) -> Fraction | None:
    known = [bound for bound in bounds if bound is not None]
    return min(known) if known and len(known) == len(bounds) else None


def _greatest(bounds: list[Fraction | None]) -> Fraction | None:
    known = [bound for bound in bounds if bound is not None]
    return max(known) if known and len(known) == len(bounds) else None


def _evaluated(
    stratum: MetricStratum,
    tables: Mapping[Relation, Facts],
    asked: tuple[Fraction | None, Fraction | None],
    scale: int,
    dictionary: Dictionary,
) -> tuple[dict[Relation, Facts], Carried]:
    """A stratum over all of time, as far as it is asked about."""
    first, last = asked
    beyond = first is None or not is_near(first, scale), last is None or not is_near(last, scale)
    if not stratum.is_recursive or stratum.direction is Direction.NOWHERE or stratum.stride is None:
        return Stratum(stratum, scale, dictionary, asked_beyond=beyond).advance(tables, Carried())
    recursion = _Recursion.of(stratum, tables, scale, dictionary, beyond)
    before = None if first is None else -first
    if stratum.direction is Direction.FORWARD:
        return recursion.forward(last), Carried()
    if stratum.direction is Direction.BACKWARD:
        return _mirrored_tables(recursion.mirrored().forward(before)), Carried()
    # With looks ahead and looks back, it may still drift one way on the whole.
    with suppress(TooFarAhead):
        return recursion.drifting(last), Carried()
    with suppress(TooFarAhead):
        return _mirrored_tables(recursion.mirrored().drifting(before)), Carried()
    return recursion.over_all_time(), Carried()


@dataclass(frozen=True)
class _Recursion:
    """The recursive rules of a stratum, what they start from, and what they read of others."""

    stratum: MetricStratum
    seeds: dict[Relation, Facts]
    given: dict[Relation, Facts]
    scale: int
    dictionary: Dictionary
    beyond: tuple[bool, bool]
    """Whether somebody asks about times before, or after, all that are told apart."""

    @classmethod
    def of(
        cls,
        stratum: MetricStratum,
        tables: Mapping[Relation, Facts],
        scale: int,
        dictionary: Dictionary,
        beyond: tuple[bool, bool],
    ) -> _Recursion:
        """A stratum with what its other rules derive, which is worked out over all time."""
        recursive = _recursive(stratum)
        base = tuple(rule for rule in stratum.rules if rule not in recursive)
        # Recursion may carry what lies anywhere into what is asked for.
        begin = Stratum(
            replace(stratum, rules=base, is_recursive=False), scale, dictionary, asked_beyond=_before(stratum, beyond)
        )
        seeds, _ = begin.advance(tables, Carried())
        read = {source for rule in recursive for source, _, _ in sources(rule) if source not in stratum.relations}
        given = {relation: tables[relation] for relation in read if relation in tables}
        return cls(replace(stratum, rules=recursive), seeds, given, scale, dictionary, beyond)

    def mirrored(self) -> _Recursion:
        """The same with time running the other way."""
        flipped = mirrored_stratum(self.stratum)
        low, high = self.beyond
        seeds, given = _mirrored_tables(self.seeds), _mirrored_tables(self.given)
        return replace(self, stratum=flipped, seeds=seeds, given=given, beyond=(high, low))

    def forward(self, until: Fraction | None) -> dict[Relation, Facts]:
        """Facts are carried forward, slice by slice."""
        assert self.stratum.stride is not None
        limit = int(FOREVER) if until is None else after(until, self.scale)
        through = Through(int(self.stratum.stride * self.scale), limit)
        stratum = Stratum(self.stratum, self.scale, self.dictionary, asked_beyond=(False, limit >= int(FOREVER)))
        return run_slices(stratum, self.seeds, self.given, through)

    def drifting(self, until: Fraction | None) -> dict[Relation, Facts]:
        """The same with relations as they were some time ago, so that no rule looks ahead; raises TooFarAhead."""
        rules, delays = looking_back(self.stratum.rules)
        plan = plan_rules(rules, keep=self.stratum.relations)
        last = None if until is None else until + max(delays.values(), default=Fraction(0))
        ticks = {relation: int(delays.get(relation, 0) * self.scale) for relation in self.stratum.relations}
        tables = self.given | {relation: moved(facts, by(ticks[relation])) for relation, facts in self.seeds.items()}
        for stratum in plan.strata:
            tables.update(_evaluated(stratum, tables, (None, last), self.scale, self.dictionary)[0])
        return {relation: moved(tables[relation], by(-ticks[relation])) for relation in self.stratum.relations}

    def over_all_time(self) -> dict[Relation, Facts]:
        """Whatever follows, perhaps without end."""
        everywhere = True, True
        endless = Stratum(self.stratum, self.scale, self.dictionary, most_rounds=_MOST_ROUNDS, asked_beyond=everywhere)
        return endless.advance(self.given | self.seeds, Carried())[0]


def _before(stratum: MetricStratum, beyond: tuple[bool, bool]) -> tuple[bool, bool]:
    """Whether the rules of a stratum ask beyond all times that are told apart, by what others ask of it."""
    low, high = beyond
    return (
        low or stratum.direction is not Direction.BACKWARD,
        high or stratum.direction is not Direction.FORWARD,
    )


def _mirrored_tables(tables: Mapping[Relation, Facts]) -> dict[Relation, Facts]:
    return {relation: maximal([mirrored(facts)]) for relation, facts in tables.items()}
