"""All that follows from a finite set of facts: stratum by stratum, each over all of time that is asked about."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction

from holdsfor.compiler.metric.checks.extremes import times_too_far
from holdsfor.compiler.metric.delays import TooFarAhead, looking_back
from holdsfor.compiler.metric.demand import Demand, recursive_rules
from holdsfor.compiler.metric.mirror import mirrored_stratum
from holdsfor.compiler.metric.plan import Direction, MetricPlan, MetricStratum, plan_rules
from holdsfor.compiler.metric.rules import Relation, sources
from holdsfor.core.metric_tables import ENDLESS, MetricTables
from holdsfor.diagnostics import ProgramError
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.metric.carried import NeverEnds
from holdsfor.engine.metric.facts import Facts, maximal, minus
from holdsfor.engine.metric.operators import mirrored, moved
from holdsfor.engine.metric.profile import MetricProfile
from holdsfor.engine.metric.timeline import after, is_near

_MOST_ROUNDS = 10_000
"""What goes both ways in time may never end; after so many rounds it is taken to."""
_ALL_TIME = (-ENDLESS, ENDLESS)
_Asked = tuple[Fraction | None, Fraction | None]


def materialise_strata(
    plan: MetricPlan,
    strata: Sequence[MetricStratum],
    given: Mapping[Relation, Facts],
    scale: int,
    dictionary: Dictionary,
    start: Fraction | None = None,
    end: Fraction | None = None,
    profile: MetricProfile | None = None,
    wanted: Collection[Relation] | None = None,
) -> dict[Relation, Facts]:
    """The maximal facts of the relations of some strata of a plan, or of those that are wanted, as far as the outputs of
    the plan need them from start to end.

    `given` are facts of what the strata read, and of their own relations. Raises NeverEnds.
    """
    demand = Demand(plan, start, end)
    run = _Run(strata, given, scale, dictionary)
    if profile is not None:
        run.tables.core.keep_profile()
    for number, stratum in enumerate(strata):
        try:
            run.evaluate(number, stratum, demand.of(stratum))
        except NeverEnds as problem:
            raise _in_units(problem, scale, stratum) from None
    if profile is not None:
        profile.set(strata, run.tables.core.profile())
    made = [relation for stratum in strata for relation in stratum.relations]
    return {relation: run.tables.facts(relation) for relation in made if wanted is None or relation in wanted}


def _in_units(problem: NeverEnds, scale: int, stratum: MetricStratum) -> NeverEnds:
    """The same with times in units of time instead of ticks."""
    since, period = (None if time is None else time / scale for time in (problem.since, problem.period))
    return NeverEnds(since, period, stratum.relations)


class _Run:
    """Strata that are evaluated one after the other."""

    def __init__(
        self,
        strata: Sequence[MetricStratum],
        given: Mapping[Relation, Facts],
        scale: int,
        dictionary: Dictionary,
    ) -> None:
        self._scale, self._dictionary = scale, dictionary
        self.tables = MetricTables(strata, given, dictionary, scale)
        for relation, facts in given.items():
            self.tables.replace(relation, facts)

    def evaluate(self, number: int, stratum: MetricStratum, asked: _Asked) -> None:
        """A stratum, as far as it is asked about."""
        first, last = asked
        beyond = first is None or not is_near(first, self._scale), last is None or not is_near(last, self._scale)
        if not stratum.is_recursive or stratum.direction is Direction.NOWHERE or stratum.stride is None:
            self._within(number, stratum, _ALL_TIME, beyond)
            return
        limits = self._limits(stratum, first, last)
        if limits is not None:
            self._within(number, stratum, limits, _before(stratum, beyond))
        elif _drifts(stratum) or _drifts(mirrored_stratum(stratum)):
            recursion = _Recursion.of(stratum, self._read(stratum), self._scale, self._dictionary, beyond)
            for relation, facts in recursion.without_limit().items():
                self.tables.replace(relation, facts)
        elif not self._within(number, stratum, _ALL_TIME, (True, True), _MOST_ROUNDS):
            raise NeverEnds

    def _limits(self, stratum: MetricStratum, first: Fraction | None, last: Fraction | None) -> tuple[int, int] | None:
        """The time outside of which nothing that is asked for is derived from what the stratum derives; None if there is
        no end to it.
        """
        with suppress(TooFarAhead):
            ahead = _ahead(stratum)
            return None if last is None else self._until(last + ahead)
        with suppress(TooFarAhead):
            back = _ahead(mirrored_stratum(stratum))
            found = None if first is None else self._until(back - first)
            return None if found is None else (1 - found[1], ENDLESS)
        return None

    def _until(self, last: Fraction) -> tuple[int, int] | None:
        return (-ENDLESS, after(last, self._scale)) if is_near(last, self._scale) else None

    def _within(
        self,
        number: int,
        stratum: MetricStratum,
        limits: tuple[int, int],
        asked_beyond: tuple[bool, bool],
        most_rounds: int | None = None,
    ) -> bool:
        core = self.tables.core
        if not core.evaluate(number, *limits, most_rounds):
            return False
        if any(asked_beyond):
            require_told_apart(stratum, core.lies_beyond(number), asked_beyond)
        return True

    def _read(self, stratum: MetricStratum) -> dict[Relation, Facts]:
        """What a stratum reads, and what is given of its own relations."""
        read = {source for rule in stratum.rules for source, _, _ in sources(rule)}
        return {relation: self.tables.facts(relation) for relation in read | set(stratum.relations)}


def require_told_apart(stratum: MetricStratum, beyond: tuple[bool, bool], asked: tuple[bool, bool]) -> None:
    """Raise ProgramError if somebody asks about times that are not told apart."""
    if any(lies and wanted for lies, wanted in zip(beyond, asked, strict=True)):
        raise ProgramError([times_too_far(tuple(dict.fromkeys(rule.origin for rule in stratum.rules)))])


def _ahead(stratum: MetricStratum) -> Fraction:
    """How far recursion that carries facts forward on the whole looks ahead on its way; raises TooFarAhead."""
    return max(looking_back(recursive_rules(stratum))[1].values(), default=Fraction(0))


def _drifts(stratum: MetricStratum) -> bool:
    with suppress(TooFarAhead):
        _ahead(stratum)
        return True
    return False


def _before(stratum: MetricStratum, beyond: tuple[bool, bool]) -> tuple[bool, bool]:
    """Whether the rules of a stratum ask beyond all times that are told apart, by what others ask of it."""
    low, high = beyond
    return (
        low or stratum.direction is not Direction.BACKWARD,
        high or stratum.direction is not Direction.FORWARD,
    )


@dataclass(frozen=True)
class _Recursion:
    """The recursive rules of a stratum, what they start from, and what they read of others; nobody says how far to go."""

    stratum: MetricStratum
    seeds: dict[Relation, Facts]
    given: dict[Relation, Facts]
    scale: int
    dictionary: Dictionary

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
        recursive = recursive_rules(stratum)
        base = replace(
            stratum, rules=tuple(rule for rule in stratum.rules if rule not in recursive), is_recursive=False
        )
        begin = _Run([base], tables, scale, dictionary)
        # Recursion may carry what lies anywhere into what is asked for.
        begin._within(0, base, _ALL_TIME, _before(stratum, beyond))  # noqa: SLF001 -- its own class
        seeds = {relation: begin.tables.facts(relation) for relation in stratum.relations}
        read = {source for rule in recursive for source, _, _ in sources(rule) if source not in stratum.relations}
        given = {relation: tables[relation] for relation in read if relation in tables}
        return cls(replace(stratum, rules=recursive), seeds, given, scale, dictionary)

    def without_limit(self) -> dict[Relation, Facts]:
        """All that follows; raises NeverEnds."""
        with suppress(TooFarAhead):
            return self.drifting()
        return _mirrored_tables(self.mirrored().drifting())

    def mirrored(self) -> _Recursion:
        """The same with time running the other way."""
        flipped = mirrored_stratum(self.stratum)
        return replace(self, stratum=flipped, seeds=_mirrored_tables(self.seeds), given=_mirrored_tables(self.given))

    def drifting(self) -> dict[Relation, Facts]:
        """Facts are carried forward. Relations are kept as they were some time ago, so that no rule looks ahead; raises
        TooFarAhead.
        """
        rules, delays = looking_back(self.stratum.rules)
        if not any(delays.values()):
            return self.forward()
        plan = plan_rules(rules, keep=self.stratum.relations)
        ticks = {relation: int(delays.get(relation, 0) * self.scale) for relation in self.stratum.relations}
        tables = self.given | {relation: moved(facts, ticks[relation]) for relation, facts in self.seeds.items()}
        run = _Run(plan.strata, tables, self.scale, self.dictionary)
        for number, stratum in enumerate(plan.strata):
            run.evaluate(number, stratum, (None, None))
        return {relation: moved(run.tables.facts(relation), -ticks[relation]) for relation in self.stratum.relations}

    def forward(self) -> dict[Relation, Facts]:
        """Facts are carried forward, slice by slice, until nothing is left or the state comes back."""
        assert self.stratum.stride is not None
        tables = MetricTables([self.stratum], (), self.dictionary, self.scale)
        for relation, facts in (self.given | self.seeds).items():
            tables.push(relation, facts)
        back = tables.core.advance_by(min(int(self.stratum.stride * self.scale), ENDLESS), ENDLESS)
        found = {relation: tables.facts(relation) for relation in self.stratum.relations}
        if back is not None:
            since, again = back
            if again is None:
                raise NeverEnds(Fraction(since >> 1))
            raise _never_ends(found, since, again)
        require_told_apart(self.stratum, tables.core.lies_beyond(0), (False, True))
        return found


def _never_ends(found: Mapping[Relation, Facts], since: int, high: int) -> NeverEnds:
    """What repeats, with the shortest period that the facts found so far show, in ticks."""
    tables = [maximal([facts]).clipped(since, high) for facts in found.values()]
    whole = (high - since) >> 1
    period = min(ticks for ticks in range(1, whole + 1) if whole % ticks == 0 and _repeats(tables, ticks, since, high))
    return NeverEnds(Fraction(since >> 1), Fraction(period))


def _repeats(tables: Sequence[Facts], ticks: int, since: int, high: int) -> bool:
    for facts in tables:
        later, same = moved(facts, ticks).clipped(since + 2 * ticks, high), facts.clipped(since + 2 * ticks, high)
        if minus(later, same).rows or minus(same, later).rows:
            return False
    return True


def _mirrored_tables(tables: Mapping[Relation, Facts]) -> dict[Relation, Facts]:
    return {relation: mirrored(facts) for relation, facts in tables.items()}
