"""A metric stream in Python whose facts may come late and be taken back."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.metric.facts import FactSet, Signature
from holdsfor.compiler.metric.plan import MetricPlan
from holdsfor.core.metric_feed import MetricFeed
from holdsfor.io.rejects import Rejects
from holdsfor.ir.metric import Atom
from holdsfor.metric.goals import Goals
from holdsfor.metric.inputs import Counted, FactsInput, MappingInput
from holdsfor.metric.result import MetricResult
from holdsfor.metric.times import Length, Time, exact, exact_length
from holdsfor.metric.unread import is_of_no_use, warn_of_unread
from holdsfor.times import TimeScale


@dataclass(frozen=True)
class Changes:
    """What a step has added to what is known, and what it has taken back."""

    added: MetricResult
    removed: MetricResult


class RevisingSession:
    """Push facts, take them back, and move on in time; what was said before is revised."""

    def __init__(
        self,
        plan: MetricPlan,
        known: Collection[Signature],
        lateness: Length,
        declared: TimeScale | None = None,
        unit: str | None = None,
        goals: tuple[Atom, ...] = (),
    ) -> None:
        self._goals = Goals.of(plan, goals, is_stream=True) if goals else None
        self._known, self._variables = known, plan.variables
        self._counted = Counted(declared, unit)
        self._dictionary = Dictionary()
        late = exact_length(lateness, "lateness", self._counted.unit)
        self._stream = MetricFeed(self._goals.made.plan if self._goals else plan, self._dictionary, late)

    @property
    def time_scale(self) -> TimeScale | None:
        """What one unit of time is, if the rules, the input or whoever gave it said so."""
        return self._counted.scale

    @property
    def late(self) -> int:
        """How many facts came later than they may, so that they, or their first part, were left out."""
        return self._stream.late

    @property
    def unmatched(self) -> int:
        """How many facts were taken back that were not there, or too long ago."""
        return self._stream.unmatched

    def push(
        self, facts: FactsInput, *, mapping: MappingInput = None, unit: str | None = None, strict: bool = False
    ) -> None:
        """Take in facts from files or tables."""
        self._stream.push(self._read(facts, mapping, unit, strict=strict))

    def retract(
        self, facts: FactsInput, *, mapping: MappingInput = None, unit: str | None = None, strict: bool = False
    ) -> None:
        """Take facts back: the time that they say, whoever said it."""
        self._stream.retract(self._read(facts, mapping, unit, strict=strict))

    def _read(self, facts: FactsInput, mapping: MappingInput, unit: str | None, *, strict: bool) -> FactSet:
        rejects = Rejects(strict=strict)
        reading = self._counted.read(
            self._known, facts, mapping=mapping, unit=unit, rejects=rejects, dictionary=self._dictionary
        )
        warn_of_unread(reading, self._known, is_empty=is_of_no_use(reading), stacklevel=4)
        return self._goals.read(reading.facts, self._dictionary) if self._goals else reading.facts

    def advance(self, until: Time) -> Changes:
        """Move on in time, and say what has changed since the last time, before it too."""
        revision = self._stream.revise(exact(until, "until", self._counted.unit))
        return Changes(self._result(revision.added), self._result(revision.removed))

    def answer(self) -> MetricResult:
        """All that is known, as far back as it may still change."""
        return self._result(self._stream.answer())

    def _result(self, facts: FactSet) -> MetricResult:
        if self._goals is not None:
            facts = self._goals.answers(facts, self._dictionary)
        return MetricResult(facts, self._dictionary, variables=self._variables, time_scale=self.time_scale)
