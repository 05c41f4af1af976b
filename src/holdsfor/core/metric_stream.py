"""Runs a metric program on a stream: facts are pushed, time advances, and only the state for later times is kept."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from fractions import Fraction
from math import lcm
from typing import Self

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.metric.facts import Facts, FactSet, maximal, no_facts, stacked
from holdsfor.columns.metric.operators import moved
from holdsfor.columns.metric.profile import MetricProfile
from holdsfor.columns.metric.timeline import cells, columns_of, finer_cell, require_near, rescaled, scale_of
from holdsfor.columns.tables import FOREVER
from holdsfor.compiler.metric.plan import MetricPlan
from holdsfor.compiler.metric.rules import Relation
from holdsfor.core.metric_driver import MetricDriver
from holdsfor.core.notes import damaged, number_note, read_integer, read_integer_or_none, read_parts
from holdsfor.diagnostics import HoldsforError
from holdsfor.ir.metric import Range
from holdsfor.physical.metric_program import Arrival, read_relations
from holdsfor.syntax.terms import Compound

ENDLESS = int(FOREVER)
_ZERO = Fraction(0)
_SCALE = struct.Struct("<q")


class Intake:
    """A program that derives nothing before its premises, and the intake of its facts."""

    def __init__(
        self, plan: MetricPlan, dictionary: Dictionary, arrival: Arrival, scale: int, lateness: Fraction = _ZERO
    ) -> None:
        if not plan.is_forward:
            raise HoldsforError("the program looks into the future, so it cannot run on a stream")
        self.plan = plan
        self.late = 0
        """The number of late facts, which were left out completely or in part."""
        self._relations = {(relation.name, relation.arity): relation for relation in read_relations(plan)}
        delays = (delay.denominator for delay in plan.delays.values())
        scale = lcm(scale, scale_of(plan.rules, plan.facts), lateness.denominator, *delays)
        self.driver = MetricDriver(plan, dictionary, scale, arrival)

    @property
    def scale(self) -> int:
        """The number of ticks per time unit."""
        return self.driver.scale

    @property
    def kept(self) -> int:
        """The number of past facts and results that are kept."""
        found: int = self.driver.core.carried
        return found

    @property
    def facts(self) -> int:
        """The number of kept facts, with input that waits for its time or may still be retracted."""
        waiting: int = self.driver.core.rows
        return self.kept + waiting

    def _read(self, facts: FactSet) -> list[tuple[Relation, Facts]]:
        """The facts that rules use, on the time-line of the program."""
        self._refine(facts.scale)
        factor = self.scale // facts.scale
        found = []
        for signature, table in facts.tables.items():
            relation = self._relations.get(signature)
            if relation is not None and len(table.start):
                found.append((relation, rescaled(table, factor)))
        return found

    def _later(self, facts: Facts, relation: Relation, sign: int) -> Facts:
        """Moves facts of a relation by its delay, forward or back."""
        delays = self.plan.delays
        delay = delays.get(relation) if delays else None
        return facts if delay is None else moved(facts, int(delay * self.scale) * sign)

    def _point(self, until: Fraction) -> int:
        """The cell of a time."""
        self._refine(until.denominator)
        require_near(until, self.scale, "the time")
        return 2 * until.numerator * (self.scale // until.denominator)

    def _refine(self, scale: int) -> None:
        if self.scale % scale:
            factor = lcm(self.scale, scale) // self.scale
            self.driver.refine(factor)
            self._refined(factor)

    def _refined(self, factor: int) -> None:
        """Called after the ticks per time unit were multiplied."""
        raise NotImplementedError

    # Saved states: the scale comes first, because the driver needs it when it is created.

    def _saved(self, *numbers: int | None) -> bytes:
        note = Compound("stream", tuple(map(number_note, (*numbers, self.late))))
        return _SCALE.pack(self.scale) + self.driver.save(note)

    def _loaded(self, state: bytes, numbers: int) -> list[int | None]:
        """Loads a state; returns the saved numbers."""
        *found, late = read_parts(self.driver.load(state[_SCALE.size :]), "stream", numbers + 1)
        self.late = read_integer(late)
        return [read_integer_or_none(one) for one in found]


def saved_scale(state: bytes) -> int:
    """The number of ticks per time unit of a saved state."""
    if len(state) < _SCALE.size:
        raise damaged()
    found: int = _SCALE.unpack_from(state)[0]
    if found < 1:
        raise damaged()
    return found


class MetricStream(Intake):
    """A stream whose facts are in time order; its results are final."""

    def __init__(self, plan: MetricPlan, dictionary: Dictionary, scale: int = 1) -> None:
        super().__init__(plan, dictionary, Arrival.FINAL, scale)
        self.reached = -ENDLESS
        """The first cell that has not been evaluated."""
        if plan.facts:
            self.push(columns_of(plan.facts, scale_of((), plan.facts), dictionary))

    def push(self, facts: FactSet) -> None:
        """Pushes facts. Parts before the reached time are late and left out."""
        for relation, table in self._read(facts):
            self.late += self.driver.push_final(relation, self._later(table, relation, 1))

    def advance(self, until: Fraction) -> FactSet:
        """The results after the reached time, up to and including `until`: the facts of all predicates that rules
        define.
        """
        point = self._point(until)
        if point < self.reached:
            return FactSet(
                self.scale,
                {(relation.name, relation.arity): no_facts(relation.arity) for relation in self.plan.outputs},
            )
        self.driver.core.advance(point, 1, False)
        self.reached = point + 1
        found = {
            (relation.name, relation.arity): self._later(self.driver.facts(relation), relation, -1)
            for relation in self.plan.outputs
        }
        return FactSet(self.scale, found)

    def _refined(self, factor: int) -> None:
        self.reached = finer_cell(self.reached, factor)

    def save(self) -> bytes:
        """The state as bytes, for a stream with the same rules."""
        return self._saved(self.reached)

    @classmethod
    def load(cls, plan: MetricPlan, dictionary: Dictionary, state: bytes) -> Self:
        """Continues from a saved state."""
        stream = cls(plan, dictionary, saved_scale(state))
        (reached,) = stream._loaded(state, 1)
        if reached is None:
            raise damaged()
        stream.reached = reached
        return stream


def stepped_run(
    plan: MetricPlan,
    facts: FactSet,
    dictionary: Dictionary,
    start: Fraction,
    end: Fraction,
    step: Fraction,
    profile: MetricProfile | None = None,
) -> tuple[FactSet, int]:
    """Runs over a recorded stream in steps: returns the facts from start to end, and the maximum of kept facts."""
    scale = lcm(facts.scale, start.denominator, end.denominator, step.denominator)
    stream = MetricStream(plan, dictionary, scale)
    if profile is not None:
        stream.driver.measure()
    stream.push(facts)
    answers, most = [], 0
    for until in steps(start, end + max(plan.delays.values(), default=_ZERO), step):
        answers.append(stream.advance(until))
        most = max(most, stream.kept)
    if profile is not None:
        stream.driver.measured(profile)
    return together(plan, answers, stream.scale, start, end), most


def together(plan: MetricPlan, answers: list[FactSet], scale: int, start: Fraction, end: Fraction) -> FactSet:
    """The answers of all steps on one time-line, from start to end."""
    low, high = cells(Range(start, end), scale)
    found = {}
    for relation in plan.outputs:
        signature = (relation.name, relation.arity)
        tables = [one.tables[signature] for one in answers if one.tables[signature].rows]
        found[signature] = maximal([stacked(tables)]).clipped(low, high) if tables else no_facts(relation.arity)
    return FactSet(scale, found)


def steps(start: Fraction, end: Fraction, step: Fraction) -> Iterator[Fraction]:
    """The times at which a run stops."""
    until = start
    while until < end:
        yield until
        until += step
    yield end
