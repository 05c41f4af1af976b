"""A metric program on a stream: time moves on slice by slice, and what is kept is what later slices need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm

from holdsfor.compiler.metric.plan import MetricPlan
from holdsfor.compiler.metric.rules import Relation
from holdsfor.core.metric_tables import ENDLESS, MetricTables
from holdsfor.diagnostics import HoldsforError
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.metric.carried import Carried, MetricState
from holdsfor.engine.metric.facts import Facts, FactSet, Signature, maximal, no_facts, stacked
from holdsfor.engine.metric.operators import moved
from holdsfor.engine.metric.profile import MetricProfile
from holdsfor.engine.metric.saved import PARTS
from holdsfor.engine.metric.timeline import after, cells, columns_of, require_near, rescaled, scale_of
from holdsfor.ir.metric import Range


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
        self._profile = profile
        self._read = {(relation.name, relation.arity): relation for relation in _written(plan)}
        self._tables = MetricTables(plan.strata, (*self._read.values(), *plan.outputs), dictionary)
        if profile is not None:
            self._tables.core.keep_profile()
        if state is None:
            delays = (delay.denominator for delay in plan.delays.values())
            self._tables.refine(lcm(scale_of(plan.rules, plan.facts), *delays))
            self.push(columns_of(plan.facts, scale_of((), plan.facts), dictionary))
        else:
            self._set(state)

    @property
    def scale(self) -> int:
        """The ticks to a unit of time."""
        return self._tables.scale

    @property
    def reached(self) -> int:
        """The first cell that was not worked out yet."""
        cell: int = self._tables.core.reached
        return cell

    @property
    def kept(self) -> int:
        """The number of facts that are kept of the past, and of what follows from it."""
        facts: int = self._tables.core.kept
        return facts

    @property
    def facts(self) -> int:
        """The same with input that waits for its time."""
        waiting: int = self._tables.core.waiting
        return self.kept + waiting

    def push(self, facts: FactSet) -> None:
        """Take in facts. What lies before the time that was reached is late, and left out."""
        self._tables.refine(facts.scale)
        factor = self.scale // facts.scale
        for signature, table in facts.tables.items():
            relation = self._read.get(signature)
            if relation is not None and table.rows:
                self.late += self._tables.push(relation, self._later(rescaled(table, factor), relation, 1))

    def advance(self, until: Fraction) -> FactSet:
        """What holds after the time that was reached, up to and with `until`: the facts of all predicates that rules
        define.
        """
        self._tables.refine(until.denominator)
        require_near(until, self.scale, "the time")
        high = after(until, self.scale)
        if high <= self.reached:
            return FactSet(
                self.scale, {_signature(relation): no_facts(relation.arity) for relation in self.plan.outputs}
            )
        self._tables.core.advance(high)
        if self._profile is not None:
            self._profile.set(self.plan.strata, self._tables.core.profile())
        found = {
            _signature(relation): self._later(self._tables.facts(relation), relation, -1)
            for relation in self.plan.outputs
        }
        return FactSet(self.scale, found)

    def _later(self, facts: Facts, relation: Relation, sign: int) -> Facts:
        """Facts of a relation as it is kept, which may be as it was some time ago; or back."""
        delay = self.plan.delays.get(relation)
        return facts if delay is None else moved(facts, int(delay * self.scale) * sign)

    # The state

    @property
    def state(self) -> MetricState:
        """All that is kept."""
        found = MetricState(self.scale, self.reached, [Carried() for _ in self.plan.strata])
        for kind, stratum, number, *columns in self._tables.core.parts():
            if kind == "armed":
                arity = self.plan.strata[stratum].rules[number].head.arity
                found.carried[stratum].armed[number] = self._tables.made(arity, *columns)
                continue
            relation = self._tables.relations[number]
            facts = self._tables.made(relation.arity, *columns)
            into = found.waiting if kind == "waiting" else getattr(found.carried[stratum], PARTS[kind])
            into[relation] = facts
        return found

    def _set(self, state: MetricState) -> None:
        self._tables.refine(state.scale)
        factor = self.scale // state.scale
        self._tables.core.reached = state.reached if factor == 1 else _finer(state.reached, factor)
        numbers = self._tables.numbers
        for relation, facts in state.waiting.items():
            self._tables.put_part("waiting", 0, numbers[relation], rescaled(facts, factor))
        for stratum, carried in enumerate(state.carried):
            for kind, name in PARTS.items():
                for key, facts in getattr(carried, name).items():
                    number = key if kind == "armed" else numbers[key]
                    self._tables.put_part(kind, stratum, number, rescaled(facts, factor))

    def past(self) -> object:
        """The state without facts that wait, for `go_back`."""
        found: object = self._tables.core.past()
        return found

    def go_back(self, past: object) -> None:
        """Be as before; nothing waits."""
        self._tables.core.set_state(past)


def _finer(cell: int, factor: int) -> int:
    return cell if abs(cell) >= ENDLESS else ((cell >> 1) * 2 * factor) | (cell & 1)


def _signature(relation: Relation) -> Signature:
    return relation.name, relation.arity


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
        most = max(most, stream.kept)
    low, high = cells(Range(start, end), stream.scale)
    found = {}
    for relation in plan.outputs:
        tables = _filled([rescaled(one.tables[_signature(relation)], stream.scale // one.scale) for one in answers])
        found[_signature(relation)] = (
            maximal([stacked(tables)]).clipped(low, high) if tables else no_facts(relation.arity)
        )
    return FactSet(stream.scale, found), most


def _filled(tables: Sequence[Facts]) -> list[Facts]:
    return [table for table in tables if table.rows]


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
