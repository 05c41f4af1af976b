"""A metric stream whose past may change: facts come late and are taken back, and answers are revised.

States are kept at the points where time stopped, as far back as facts may be late. A change goes back to the last one
before it, and what follows is worked out again.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from holdsfor.compiler.metric.plan import MetricPlan
from holdsfor.core.metric_stream import MetricStream
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.metric.facts import Facts, FactSet, Signature, maximal, meets, minus, no_facts
from holdsfor.engine.metric.timeline import after, columns_of, finer_cell, rescaled, scale_of
from holdsfor.engine.tables import FOREVER

ENDLESS = int(FOREVER)


@dataclass(frozen=True)
class Revision:
    """What is known after a step that was not known before it, and what was and is no longer."""

    added: FactSet
    removed: FactSet


@dataclass(frozen=True)
class _Stop:
    """A point at which time stopped, the state there, and what was found after the stop before it."""

    until: Fraction | None
    state: object
    found: FactSet


class RevisingStream:
    """A forward-propagating program on a stream whose facts may be late by up to `lateness`."""

    def __init__(self, plan: MetricPlan, dictionary: Dictionary, lateness: Fraction) -> None:
        self._lateness = lateness
        self._known = columns_of(plan.facts, scale_of((), plan.facts), dictionary)
        self._changed = ENDLESS
        """The first cell of which something has changed, on the time-line of what is known."""
        self._stream = MetricStream(plan, dictionary)
        self._stops = [_Stop(None, self._stream.past(), FactSet(1, {}))]
        self.late = 0
        self.unmatched = 0

    def push(self, facts: FactSet) -> None:
        """Take in facts; those that are later than they may be are counted and left out, or their first part is."""
        self._refine(facts.scale)
        for signature, table in facts.tables.items():
            added = rescaled(table, self._known.scale // facts.scale)
            self.late += int((added.start < self._oldest).sum())
            self._set(signature, maximal([self._table(signature), added.clipped(self._oldest, ENDLESS)]))

    def retract(self, facts: FactSet) -> None:
        """Take facts back: the time that they say, whoever said it. Those that were never there, or too long ago, are
        counted.
        """
        self._refine(facts.scale)
        for signature, table in facts.tables.items():
            before = self._table(signature)
            gone = rescaled(table, self._known.scale // facts.scale).clipped(self._oldest, ENDLESS)
            self._set(signature, minus(before, maximal([gone])))
            self.unmatched += table.rows - int(meets(gone, before).sum())

    @property
    def _oldest(self) -> int:
        """The first cell that may still change."""
        until = self._stops[0].until
        return -ENDLESS if until is None else after(until, self._known.scale)

    def _table(self, signature: Signature) -> Facts:
        found = self._known.tables.get(signature)
        return no_facts(signature[1]) if found is None else found

    def _set(self, signature: Signature, table: Facts) -> None:
        before = self._table(signature)
        for changed in (minus(table, before), minus(before, table)):
            if changed.rows:
                self._changed = min(self._changed, changed.bounds[0])
        self._known = FactSet(self._known.scale, {**self._known.tables, signature: table})

    def _refine(self, scale: int) -> None:
        finer = lcm(self._known.scale, scale)
        factor = finer // self._known.scale
        tables = {signature: rescaled(table, factor) for signature, table in self._known.tables.items()}
        self._known, self._changed = FactSet(finer, tables), finer_cell(self._changed, factor)

    def advance(self, until: Fraction) -> Revision:
        """Move on in time, and revise what has changed before it."""
        self._refine(until.denominator)
        before = self.answer()
        stops = [stop.until for stop in self._stops if stop.until is not None]
        while len(self._stops) > 1 and after(self._stops[-1].until or until, self._known.scale) > self._changed:
            self._stops.pop()
        stream = self._stream
        stream.go_back(self._stops[-1].state)
        stream.push(self._known)
        start = self._stops[-1].until
        for stop in [*(one for one in stops if start is None or one > start), until]:
            if self._stops[-1].until is None or stop > self._stops[-1].until:
                found = stream.advance(stop)
                self._stops.append(_Stop(stop, stream.past(), found))
        self._changed = ENDLESS
        revision = _compared(before, self.answer())
        self._forget(until - self._lateness)
        return revision

    def answer(self) -> FactSet:
        """All that was found, as far back as it may still change."""
        scale = lcm(*(stop.found.scale for stop in self._stops))
        tables: dict[Signature, list[Facts]] = {}
        for stop in self._stops:
            for signature, table in stop.found.tables.items():
                tables.setdefault(signature, []).append(rescaled(table, scale // stop.found.scale))
        return FactSet(scale, {signature: maximal(parts) for signature, parts in tables.items()})

    def _forget(self, until: Fraction) -> None:
        """Let go of what no late fact can change any more."""
        while len(self._stops) > 1 and (next_stop := self._stops[1].until) is not None and next_stop <= until:
            self._stops.pop(0)
        tables = {name: table.clipped(self._oldest, ENDLESS) for name, table in self._known.tables.items()}
        self._known = FactSet(self._known.scale, tables)


def _compared(before: FactSet, now: FactSet) -> Revision:
    scale = lcm(before.scale, now.scale)
    added: dict[Signature, Facts] = {}
    removed: dict[Signature, Facts] = {}
    for signature in dict.fromkeys((*before.tables, *now.tables)):
        old, new = (
            rescaled(one.tables.get(signature, no_facts(signature[1])), scale // one.scale) for one in (before, now)
        )
        added[signature], removed[signature] = minus(new, old), minus(old, new)
    return Revision(FactSet(scale, added), FactSet(scale, removed))
