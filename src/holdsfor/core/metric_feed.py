"""A program of metric rules on a stream: facts come in and are taken back, time goes on, answers follow it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from holdsfor.compiler.metric.plan import MetricPlan
from holdsfor.compiler.metric.rules import Relation
from holdsfor.core.metric_driver import MetricDriver
from holdsfor.core.notes import damaged, number_note, read_integer, read_integer_or_none, read_parts
from holdsfor.diagnostics import HoldsforError
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.metric.facts import Facts, FactSet, Signature, maximal, minus, no_facts, stacked
from holdsfor.engine.metric.operators import moved
from holdsfor.engine.metric.profile import MetricProfile
from holdsfor.engine.metric.timeline import cells, columns_of, finer_cell, require_near, rescaled, scale_of
from holdsfor.engine.tables import FOREVER
from holdsfor.ir.metric import Range
from holdsfor.physical.metric_program import read_relations
from holdsfor.syntax.terms import Compound

_ENDLESS = int(FOREVER)
_ZERO = Fraction(0)


@dataclass(frozen=True)
class Revision:
    """What is known after a step that was not known before it, and what was and is no longer."""

    added: FactSet
    removed: FactSet


class MetricFeed:
    """A program that derives nothing for a time before what it is derived from, fed facts and moved on in time.

    Facts may come late by up to `lateness`, and be taken back for as long.
    """

    def __init__(self, plan: MetricPlan, dictionary: Dictionary, lateness: Fraction = _ZERO, scale: int = 1) -> None:
        if not plan.is_forward:
            raise HoldsforError("the program looks into the future, so it cannot run on a stream")
        self.plan = plan
        self._lateness = lateness
        self._relations: dict[Signature, Relation] = {
            (relation.name, relation.arity): relation for relation in read_relations(plan)
        }
        delays = (delay.denominator for delay in plan.delays.values())
        scale = lcm(scale, scale_of(plan.rules, plan.facts), lateness.denominator, *delays)
        self.driver = MetricDriver(plan, dictionary, scale, is_stream=True)
        self._reached: int | None = None
        """The last cell that was worked out: the point where time stopped."""
        self._oldest = -_ENDLESS
        """The first cell that may still change."""
        self.late = 0
        self._push(columns_of(plan.facts, scale_of((), plan.facts), dictionary))

    @property
    def scale(self) -> int:
        """The ticks to a unit of time."""
        return self.driver.scale

    @property
    def kept(self) -> int:
        """The number of facts that are kept of the past, and of what follows from it."""
        found: int = self.driver.core.carried
        return found

    @property
    def facts(self) -> int:
        """The same with input that waits for its time, or may still be taken back."""
        waiting: int = self.driver.core.rows
        return self.kept + waiting

    @property
    def unmatched(self) -> int:
        """How many facts were taken back that were not there, or too long ago."""
        found: int = self.driver.core.unmatched
        return found

    def push(self, facts: FactSet) -> None:
        """Take in facts. What is later than it may be is counted and left out."""
        self._push(facts)

    def _push(self, facts: FactSet) -> None:
        for relation, table in self._read(facts):
            self.late += int((table.start < self._oldest).sum())
            self.driver.push(relation, self._later(table.clipped(self._oldest, _ENDLESS), relation, 1))

    def retract(self, facts: FactSet) -> None:
        """Take facts back: the time that they say, whoever said it."""
        for relation, table in self._read(facts):
            self.driver.retract(relation, self._later(table, relation, 1))

    def _read(self, facts: FactSet) -> list[tuple[Relation, Facts]]:
        self._refine(facts.scale)
        factor = self.scale // facts.scale
        return [
            (self._relations[signature], rescaled(table, factor))
            for signature, table in facts.tables.items()
            if signature in self._relations and table.rows
        ]

    def advance(self, until: Fraction) -> None:
        """Move on in time, up to and with a point."""
        self._refine(until.denominator)
        require_near(until, self.scale, "the time")
        point = 2 * int(until * self.scale)
        if self._reached is not None:
            point = max(self._reached, point)
            # A window that ends there sees what may still change, and what comes after the last stop.
            self.driver.core.set_window(point - (self._oldest - 1) if self._oldest > -_ENDLESS else None, None)
        self.driver.core.advance(point, self.driver.threads, False)
        self._reached = point
        self._oldest = point + 1 - 2 * int(self._lateness * self.scale)

    def answer(self, since: Fraction | None = None) -> FactSet:
        """All that was found after a point, or as far back as it is known."""
        assert self._reached is not None
        low = -_ENDLESS if since is None else cells(Range(since, None, low_open=True), self.scale)[0]
        found = {
            (relation.name, relation.arity): self._later(
                self.driver.facts(relation).clipped(low, self._reached + 1), relation, -1
            )
            for relation in self.plan.outputs
        }
        return FactSet(self.scale, found)

    def _later(self, facts: Facts, relation: Relation, sign: int) -> Facts:
        """Facts of a relation as it is kept, which may be as it was some time ago; or back."""
        delay = self.plan.delays.get(relation)
        return facts if delay is None else moved(facts, int(delay * self.scale) * sign)

    def _refine(self, scale: int) -> None:
        factor = lcm(self.scale, scale) // self.scale
        if factor == 1:
            return
        self.driver.refine(factor)
        self._oldest = finer_cell(self._oldest, factor)
        if self._reached is not None:
            self._reached *= factor
            self._oldest = self._reached + 1 - 2 * int(self._lateness * self.scale)

    # State

    def save(self) -> bytes:
        """The state as bytes, for a feed with the same rules."""
        # The window of the last step says nothing about the next one.
        self.driver.core.set_window(None, None)
        note = Compound("feed", tuple(map(number_note, (self.scale, self._reached, self._oldest, self.late))))
        found: bytes = self.driver.save(note)
        return found

    @classmethod
    def load(cls, plan: MetricPlan, dictionary: Dictionary, state: bytes, lateness: Fraction, scale: int) -> MetricFeed:
        """Go on from a saved state; the ticks to a unit of time must be those of the one that saved it."""
        feed = cls(plan, dictionary, lateness, scale)
        noted = feed.driver.load(state)
        found, reached, oldest, late = read_parts(noted, "feed", 4)
        if read_integer(found) != feed.scale:
            raise damaged()
        feed._reached, feed._oldest = read_integer_or_none(reached), read_integer(oldest)
        feed.late = read_integer(late)
        return feed


class RevisingFeed(MetricFeed):
    """The same, telling what has changed."""

    def __init__(self, plan: MetricPlan, dictionary: Dictionary, lateness: Fraction) -> None:
        super().__init__(plan, dictionary, lateness)
        self._known = FactSet(1, {})

    def revise(self, until: Fraction) -> Revision:
        """Move on in time, and say what has changed as far back as it could."""
        self.advance(until)
        before, self._known = self._known, self.answer()
        return _compared(before, self._known)


def _compared(before: FactSet, now: FactSet) -> Revision:
    scale = lcm(before.scale, now.scale)
    added: dict[Signature, Facts] = {}
    removed: dict[Signature, Facts] = {}
    for signature, table in now.tables.items():
        old = before.tables.get(signature)
        new = maximal([rescaled(table, scale // now.scale)])
        known = new.take(new.start < new.start) if old is None else maximal([rescaled(old, scale // before.scale)])
        added[signature], removed[signature] = minus(new, known), minus(known, new)
    return Revision(FactSet(scale, added), FactSet(scale, removed))


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
    stream = MetricFeed(plan, dictionary, scale=lcm(facts.scale, start.denominator, end.denominator, step.denominator))
    if profile is not None:
        stream.driver.measure()
    stream.push(facts)
    answers: list[FactSet] = []
    most = 0
    reached: Fraction | None = None
    for until in _steps(start, end + max(plan.delays.values(), default=_ZERO), step):
        stream.advance(until)
        answers.append(stream.answer(reached))
        most = max(most, stream.kept)
        reached = until
    if profile is not None:
        stream.driver.measured(profile)
    low, high = cells(Range(start, end), stream.scale)
    found = {}
    for relation in plan.outputs:
        signature = (relation.name, relation.arity)
        tables = [one.tables[signature] for one in answers if one.tables[signature].rows]
        found[signature] = maximal([stacked(tables)]).clipped(low, high) if tables else no_facts(relation.arity)
    return FactSet(stream.scale, found), most


def _steps(start: Fraction, end: Fraction, step: Fraction) -> Iterator[Fraction]:
    until = start
    while until < end:
        yield until
        until += step
    yield end
