"""A metric program on a stream: time moves on slice by slice, and what is kept is what later slices need."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import lcm

from holdsfor.compiler.metric.plan import Direction, MetricPlan
from holdsfor.compiler.metric.rules import Relation
from holdsfor.diagnostics import HoldsforError
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.metric.facts import Facts, FactSet, maximal, no_facts, stacked
from holdsfor.engine.metric.operators import by, moved
from holdsfor.engine.metric.profile import MetricProfile
from holdsfor.engine.metric.stratum import Carried, Stratum
from holdsfor.engine.metric.timeline import after, cells, columns_of, finer_cell, require_near, rescaled, scale_of
from holdsfor.engine.tables import FOREVER
from holdsfor.ir.metric import Range


@dataclass
class MetricState:
    """All that is known of the past and the future at the end of a slice."""

    scale: int
    reached: int = -int(FOREVER)
    """The first cell that was not worked out yet."""
    carried: list[Carried] = field(default_factory=list)
    waiting: dict[Relation, Facts] = field(default_factory=dict)
    """Input from the next cell on."""

    @property
    def facts(self) -> int:
        """The number of facts that are kept."""
        return sum(one.facts for one in self.carried) + sum(table.rows for table in self.waiting.values())


class MetricStream:
    """A forward-propagating program, fed facts and moved on in time."""

    def __init__(
        self,
        plan: MetricPlan,
        dictionary: Dictionary,
        state: MetricState | None = None,
        profile: MetricProfile | None = None,
    ) -> None:
        if not plan.is_forward:
            raise HoldsforError("the program looks into the future, so it cannot run on a stream")
        self.plan = plan
        self.late = 0
        self.profile = profile
        self._dictionary = dictionary
        self._read = {(relation.name, relation.arity): relation for relation in _written(plan)}
        if state is None:
            delays = (delay.denominator for delay in plan.delays.values())
            scale = lcm(scale_of(plan.rules, plan.facts), *delays)
            state = MetricState(scale, carried=[Carried() for _ in plan.strata])
            self.state = state
            self._prepare()
            self.push(columns_of(plan.facts, scale, dictionary))
        else:
            self.state = state
            self._prepare()

    def _prepare(self) -> None:
        scale = self.state.scale
        self._strata = [Stratum(stratum, scale, self._dictionary) for stratum in self.plan.strata]
        strides = [
            stratum.stride
            for stratum in self.plan.strata
            if stratum.is_recursive and stratum.direction is Direction.FORWARD and stratum.stride is not None
        ]
        self._stride = int(min(strides) * scale) if strides else None

    def push(self, facts: FactSet) -> None:
        """Take in facts. What lies before the time that was reached is late, and left out."""
        self._refine(facts.scale)
        factor = self.state.scale // facts.scale
        for signature, table in facts.tables.items():
            relation = self._read.get(signature)
            if relation is None or not table.rows:
                continue
            added = self._later(rescaled(table, factor), relation, 1)
            late = added.start < self.state.reached
            if late.any():
                self.late += int(late.sum())
                added = added.clipped(self.state.reached, int(FOREVER))
            before = self.state.waiting.get(relation)
            self.state.waiting[relation] = maximal([added] if before is None else [before, added])

    def _refine(self, scale: int) -> None:
        """A finer time-line, if facts need one."""
        finer = lcm(self.state.scale, scale)
        factor = finer // self.state.scale
        if factor == 1:
            return
        state = self.state
        self.state = MetricState(
            finer,
            finer_cell(state.reached, factor),
            [one.rescaled(factor) for one in state.carried],
            {relation: rescaled(table, factor) for relation, table in state.waiting.items()},
        )
        self._prepare()

    def advance(self, until: Fraction) -> FactSet:
        """What holds after the time that was reached, up to and with `until`: the facts of all predicates that rules
        define.
        """
        self._refine(until.denominator)
        require_near(until, self.state.scale, "the time")
        high = after(until, self.state.scale)
        found: dict[Relation, list[Facts]] = {relation: [] for relation in self.plan.outputs}
        for end in self._ends(high):
            for relation, facts in self._slice(end).items():
                found[relation].append(facts)
        return FactSet(
            self.state.scale,
            {
                (relation.name, relation.arity): maximal(tables) if tables else no_facts(relation.arity)
                for relation, tables in found.items()
            },
        )

    def _ends(self, high: int) -> Iterator[int]:
        """Long slices are cut where recursion would have to go round many times inside them."""
        low = self.state.reached
        if self._stride is not None and low > -FOREVER:
            stride = max(self._stride, (high - low) // 2000)
            while (end := ((low >> 1) + stride) * 2 + 1) < high:
                yield end
                low = end
        if high > low:
            yield high

    def _slice(self, high: int) -> dict[Relation, Facts]:
        state = self.state
        low = state.reached
        tables = {relation: facts.clipped(low, high) for relation, facts in state.waiting.items()}
        if high < FOREVER:
            state.waiting = {
                relation: rest
                for relation, facts in state.waiting.items()
                if (rest := facts.clipped(high, int(FOREVER))).rows
            }
        carried: list[Carried] = []
        for planned, stratum, before in zip(self.plan.strata, self._strata, state.carried, strict=True):
            work = partial(stratum.advance, tables, before, (low, high))
            now, kept = work() if self.profile is None else self.profile.measure(planned, tables, work)
            carried.append(kept)
            tables.update(now)
        state.carried, state.reached = carried, high
        return {relation: self._later(tables[relation], relation, -1) for relation in self.plan.outputs}

    def _later(self, facts: Facts, relation: Relation, sign: int) -> Facts:
        """Facts of a relation as it is kept, which may be as it was some time ago; or back."""
        delay = self.plan.delays.get(relation)
        if delay is None:
            return facts
        ticks = int(delay * self.state.scale) * sign
        return moved(facts, by(ticks))


def stepped_run(
    plan: MetricPlan,
    facts: FactSet,
    dictionary: Dictionary,
    start: Fraction,
    end: Fraction,
    step: Fraction,
    profile: MetricProfile | None = None,
) -> tuple[FactSet, int]:
    """A stream that has been recorded, gone through in steps: the facts from start to end, and the most that were kept."""
    stream = MetricStream(plan, dictionary, profile=profile)
    stream.push(facts)
    answers, most = [], 0
    for until in _steps(start, end + max(plan.delays.values(), default=0), step):
        answers.append(stream.advance(until))
        most = max(most, sum(carried.facts for carried in stream.state.carried))
    low, high = cells(Range(start, end), stream.state.scale)
    found = {}
    for relation in plan.outputs:
        signature = relation.name, relation.arity
        tables = [rescaled(one.tables[signature], stream.state.scale // one.scale) for one in answers]
        found[signature] = maximal([stacked(tables)]).clipped(low, high) if tables else no_facts(relation.arity)
    return FactSet(stream.state.scale, found), most


def _steps(start: Fraction, end: Fraction, step: Fraction) -> Iterator[Fraction]:
    until = start
    while until < end:
        yield until
        until += step
    yield end


def _written(plan: MetricPlan) -> Iterator[Relation]:
    yield from plan.inputs
    for stratum in plan.strata:
        yield from (relation for relation in stratum.relations if relation.is_written)
