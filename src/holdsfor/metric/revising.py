"""A metric stream in Python whose facts may be late and may be retracted."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.metric.facts import FactSet, Signature
from holdsfor.core.metric_feed import MetricFeed, Revision, compared
from holdsfor.io.rejects import Rejects
from holdsfor.ir.metric import Atom
from holdsfor.metric.goals import Goals
from holdsfor.metric.inputs import Counted, FactsInput, MappingInput
from holdsfor.metric.result import MetricResult
from holdsfor.metric.session import given_facts, other_rules
from holdsfor.metric.swapping import PlannedProgram, Streams
from holdsfor.metric.times import Length, Time, exact, exact_length
from holdsfor.metric.unread import is_of_no_use, warn_of_unread
from holdsfor.physical.exactness import SwapPlan
from holdsfor.times import TimeScale

if TYPE_CHECKING:
    from holdsfor.metric.reasoner import MetricReasoner


@dataclass(frozen=True)
class Changes:
    """The facts that a step has added to the answer, and those that it has removed."""

    added: MetricResult
    removed: MetricResult


@dataclass(frozen=True)
class Swapped:
    """The plan of a swap of rules, and the differences with the cause *rule changed*."""

    plan: SwapPlan
    changes: Changes


class RevisingSession:
    """A stream: push and retract facts, and advance in time; earlier answers are revised."""

    def __init__(
        self,
        rules: PlannedProgram,
        known: Collection[Signature],
        lateness: Length,
        declared: TimeScale | None = None,
        unit: str | None = None,
        goals: tuple[Atom, ...] = (),
    ) -> None:
        self._goals = Goals.of(rules.plan, goals, is_stream=True) if goals else None
        plan = self._goals.made.plan if self._goals else rules.plan
        self._known = known
        self._counted = Counted(declared, unit)
        self._dictionary = Dictionary()
        late = exact_length(lateness, "lateness", self._counted.unit)
        self._streams = Streams(replace(rules, plan=plan), lambda plan: MetricFeed(plan, self._dictionary, late), late)

    @property
    def time_scale(self) -> TimeScale | None:
        """The time unit and zone, if the rules, the input or the caller declare them."""
        return self._counted.scale

    @property
    def late(self) -> int:
        """The number of late facts, of which all or the first part was not used."""
        return self._streams.late + self._streams.main.late

    @property
    def unmatched(self) -> int:
        """The number of retracted facts that were unknown or too old."""
        return self._streams.unmatched + self._streams.main.unmatched

    def push(
        self, facts: FactsInput, *, mapping: MappingInput = None, unit: str | None = None, strict: bool = False
    ) -> None:
        """Push facts from files or tables."""
        self._streams.push(self._read(facts, mapping, unit, strict=strict))

    def retract(
        self, facts: FactsInput, *, mapping: MappingInput = None, unit: str | None = None, strict: bool = False
    ) -> None:
        """Retract facts: at the times that they name, whichever push had them."""
        self._streams.retract(self._read(facts, mapping, unit, strict=strict))

    def _read(self, facts: FactsInput, mapping: MappingInput, unit: str | None, *, strict: bool) -> FactSet:
        rejects = Rejects(strict=strict)
        reading = self._counted.read(
            self._known, facts, mapping=mapping, unit=unit, rejects=rejects, dictionary=self._dictionary
        )
        warn_of_unread(reading, self._known, is_empty=is_of_no_use(reading), stacklevel=4)
        return self._goals.read(reading.facts, self._dictionary) if self._goals else reading.facts

    def advance(self, until: Time) -> Changes:
        """Advance to a time, and return the changes since the last call, also at earlier times."""
        revision = revised(self._streams, exact(until, "until", self._counted.unit))
        return Changes(self._result(revision.added), self._result(revision.removed))

    def answer(self) -> MetricResult:
        """All derived facts, as far back as they may still change."""
        return self._result(self._streams.answers(MetricFeed.answer))

    def plan_swap(self, rules: MetricReasoner, *, backfill: bool = False) -> SwapPlan:
        """The effect of a `swap`: which answers are exact at once, which later, and which need a backfill."""
        return self._streams.plan_swap(other_rules(rules, self._goals, self._counted.unit), is_filled=backfill)

    def swap(self, rules: MetricReasoner, *, backfill: FactsInput | None = None, unit: str | None = None) -> Swapped:
        """Replace the rules, at the time of the last `advance`.

        The new rules are applied to all facts that are kept. The plan says which answers are exact; the changes are the
        differences from the earlier answers. `backfill` has all facts from the beginning, for the other answers.
        """
        streams = self._streams
        other = other_rules(rules, self._goals, self._counted.unit)
        given = given_facts(self._counted, rules, backfill, unit, self._dictionary)
        before = _answers_that_may_change(streams)
        plan = streams.swap(other, given)
        self._known = {*self._known, *rules.signatures}
        revision = compared(before, _answers_that_may_change(streams))
        return Swapped(plan, Changes(self._result(revision.added), self._result(revision.removed)))

    def _result(self, facts: FactSet) -> MetricResult:
        if self._goals is not None:
            facts = self._goals.answers(facts, self._dictionary)
        return MetricResult(
            facts, self._dictionary, variables=self._streams.rules.plan.variables, time_scale=self.time_scale
        )


def revised(streams: Streams[MetricFeed], until: Fraction) -> Revision:
    """Advances streams to a time; returns the changes."""
    if streams.earlier:
        # After a swap of rules, several streams answer.
        border, before = streams.border, _answers_that_may_change(streams)
        for stream in streams.all:
            stream.advance(until)
        found = compared(before, streams.answers(lambda stream: stream.answer(border)))
    else:
        found = streams.main.revise(until)
    streams.advanced(until)
    return found


def _answers_that_may_change(streams: Streams[MetricFeed]) -> FactSet:
    if not streams.has_begun:
        return FactSet(1, {})
    return streams.answers(lambda stream: stream.answer(streams.border))
