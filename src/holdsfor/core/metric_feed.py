"""Runs a metric program on a stream whose facts may be late or retracted; answers are revised."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Self

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.metric.facts import Facts, FactSet, Signature, maximal, minus, no_facts
from holdsfor.columns.metric.timeline import cells, columns_of, rescaled, scale_of
from holdsfor.compiler.metric.plan import MetricPlan
from holdsfor.compiler.metric.rules import Relation
from holdsfor.core.metric_stream import ENDLESS, Intake, saved_scale
from holdsfor.core.notes import damaged
from holdsfor.ir.metric import Range
from holdsfor.physical.metric_program import Arrival


@dataclass(frozen=True)
class Revision:
    """The facts that a step added to the results, and those that it removed."""

    added: FactSet
    removed: FactSet


class MetricFeed(Intake):
    """A stream whose facts may be late by up to `lateness`, and may be retracted during that time."""

    def __init__(self, plan: MetricPlan, dictionary: Dictionary, lateness: Fraction, scale: int = 1) -> None:
        super().__init__(plan, dictionary, Arrival.REVISED, scale, lateness)
        self._lateness = lateness
        self._reached: int | None = None
        """The last cell that was evaluated."""
        self._oldest = -ENDLESS
        """The first cell that may still change."""
        self.driver.keep_changes(True)
        self.push(columns_of(plan.facts, scale_of((), plan.facts), dictionary))

    @property
    def unmatched(self) -> int:
        """The number of retractions of facts that did not exist or were too old."""
        found: int = self.driver.core.unmatched
        return found

    def push(self, facts: FactSet) -> None:
        """Pushes facts. Parts that are too late are counted and left out."""
        for relation, table in self._read(facts):
            self.late += int((table.start < self._oldest).sum())
            self.driver.push(relation, self._later(table.clipped(self._oldest, ENDLESS), relation, 1))

    def retract(self, facts: FactSet) -> None:
        """Retracts the given times of facts, regardless of their source."""
        for relation, table in self._read(facts):
            self.driver.retract(relation, self._later(table, relation, 1))

    def revise(self, until: Fraction) -> Revision:
        """Advances in time, up to and including a point, and returns the changes."""
        point = self._point(until)
        low, last = self._oldest, self._reached
        if last is not None:
            point = max(last, point)
            # A window with this border sees everything that may still change, and everything after the last step.
            self.driver.core.set_window(point - (low - 1) if low > -ENDLESS else None, None)
        known = None if self.driver.keeps_changes else self._results()
        self.driver.core.advance(point, self.driver.threads, False)
        self._reached = point
        self._oldest = point + 1 - 2 * int(self._lateness * self.scale)
        if known is None:
            differing = self.driver.changed()
        else:
            differing = {relation: (known[relation], now) for relation, now in self._results().items()}
        added: dict[Signature, Facts] = {}
        removed: dict[Signature, Facts] = {}
        for relation, (before, now) in differing.items():
            signature = (relation.name, relation.arity)
            was = maximal([before.clipped(low, low if last is None else last + 1)])
            whole = [now.clipped(low, point + 1)]
            if last is not None and last < point and known is None:
                # An interval without an end is unchanged for the core.
                whole.append(self.driver.facts(relation, after=last + 1).clipped(last + 1, point + 1))
            new = maximal(whole)
            added[signature] = self._later(minus(new, was), relation, -1)
            removed[signature] = self._later(minus(was, new), relation, -1)
        return Revision(FactSet(self.scale, added), FactSet(self.scale, removed))

    def advance(self, until: Fraction) -> None:
        """Advances in time, up to and including a point."""
        self.revise(until)

    def _results(self) -> dict[Relation, Facts]:
        return {relation: self.driver.facts(relation) for relation in self.plan.outputs}

    def answer(self, since: Fraction | None = None) -> FactSet:
        """All results after a point, or as far back as they are known."""
        assert self._reached is not None
        low = -ENDLESS if since is None else cells(Range(since, None, low_open=True), self.scale)[0]
        found = {
            (relation.name, relation.arity): self._later(facts.clipped(low, self._reached + 1), relation, -1)
            for relation, facts in self._results().items()
        }
        return FactSet(self.scale, found)

    def _refined(self, factor: int) -> None:
        if self._reached is None:
            # Nothing to compare with has been reported in other ticks.
            self.driver.keep_changes(True)
            return
        self._reached *= factor
        self._oldest = self._reached + 1 - 2 * int(self._lateness * self.scale)

    def save(self) -> bytes:
        """The state as bytes, for a feed with the same rules."""
        # The window of the last step does not determine the next one.
        self.driver.core.set_window(None, None)
        return bytes([self.driver.keeps_changes]) + self._saved(self._reached, self._oldest)

    @classmethod
    def load(cls, plan: MetricPlan, dictionary: Dictionary, state: bytes, lateness: Fraction) -> Self:
        """Continues from a saved state."""
        # The core loads a state only if it was saved as it is loaded: with changes, or without.
        keeps_changes, rest = state[:1], state[1:]
        feed = cls(plan, dictionary, lateness, saved_scale(rest))
        if keeps_changes not in (b"\0", b"\1"):
            raise damaged()
        feed.driver.keep_changes(keeps_changes == b"\1")
        feed._reached, oldest = feed._loaded(rest, 2)
        if oldest is None:
            raise damaged()
        feed._oldest = oldest
        return feed


def compared(before: FactSet, now: FactSet) -> Revision:
    """The facts that were added and removed."""
    scale = lcm(before.scale, now.scale)
    added: dict[Signature, Facts] = {}
    removed: dict[Signature, Facts] = {}
    for signature in before.tables.keys() | now.tables.keys():
        old, new = (_table(one, signature, scale) for one in (before, now))
        added[signature], removed[signature] = minus(new, old), minus(old, new)
    return Revision(FactSet(scale, added), FactSet(scale, removed))


def _table(facts: FactSet, signature: Signature, scale: int) -> Facts:
    table = facts.tables.get(signature)
    return no_facts(signature[1]) if table is None else maximal([rescaled(table, scale // facts.scale)])
