"""Runs of metric programs: over all facts at once, step by step, or as a stream."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, lcm
from typing import TYPE_CHECKING

import numpy as np

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import EMPTY
from holdsfor.columns.metric.endless import NeverEnds
from holdsfor.columns.metric.facts import FactSet, Signature, no_facts
from holdsfor.columns.metric.profile import MetricProfile
from holdsfor.columns.metric.report import Row, rows
from holdsfor.columns.metric.timeline import columns_of, point_of
from holdsfor.columns.tables import FOREVER
from holdsfor.compiler.metric.checks import streaming_findings
from holdsfor.compiler.metric.delays import TooFarAhead, delayed_plan
from holdsfor.compiler.metric.plan import Direction, MetricPlan
from holdsfor.core.metric_driver import materialise
from holdsfor.core.metric_stream import MetricStream, stepped_run
from holdsfor.diagnostics import Diagnostic, HoldsforError, ProgramError, Severity
from holdsfor.frontend.dmtl.numbers import number_text
from holdsfor.io.rejects import Rejects
from holdsfor.ir.metric import Atom, MetricFact, MetricProgram, Range
from holdsfor.metric.goals import Goals
from holdsfor.metric.inputs import Counted, FactsInput, MappingInput, MetricReading
from holdsfor.metric.result import MetricResult, MetricSummary
from holdsfor.metric.swapping import PlannedProgram, Streams
from holdsfor.metric.times import Length, Time, exact, exact_length, exact_or_none, length_or_none
from holdsfor.metric.unread import is_of_no_use, warn_of_unread
from holdsfor.physical.exactness import SwapPlan
from holdsfor.syntax.terms import Const
from holdsfor.times import TimeScale

if TYPE_CHECKING:
    from holdsfor.metric.reasoner import MetricReasoner


class DerivesForever(HoldsforError):
    """An endless derivation: the repeating facts, their beginning and their period."""

    def __init__(self, found: NeverEnds, direction: Direction) -> None:
        self.predicates = tuple(relation.name for relation in found.relations if relation.is_written)
        self.since, self.period = found.since, found.period
        is_backward = direction is Direction.BACKWARD
        repeats = "no end of it was found"
        if self.since is not None and self.period is not None:
            since = number_text(self.since)
            where = f"before {since}" if is_backward else f"from {since} on"
            repeats = f"{where} it repeats every {number_text(self.period)}"
        needed = "give it a start (--start)" if is_backward else "give it an end (--end)"
        if direction is Direction.BOTH:
            needed = "its rules carry facts both forward and backward in time"
        super().__init__(f"the program derives {', '.join(self.predicates)} for ever ({repeats}); {needed}")


@dataclass(frozen=True)
class RunSpan:
    """The start, end and step of a run; for None, the facts decide."""

    start: Fraction | None = None
    end: Fraction | None = None
    step: Fraction | None = None

    @classmethod
    def of(cls, start: Time | None, end: Time | None, step: Length | None = None, unit: str | None = None) -> RunSpan:
        """A span whose values are valid."""
        made = cls(
            exact_or_none(start, "start", unit), exact_or_none(end, "end", unit), length_or_none(step, "step", unit)
        )
        if made.start is not None and made.end is not None and made.end < made.start:
            raise HoldsforError(f"end {number_text(made.end)} lies before start {number_text(made.start)}")
        if made.step is not None and made.step <= 0:
            raise HoldsforError(f"the step must be greater than 0, not {number_text(made.step)}")
        return made

    def over(self, facts: FactSet) -> tuple[Fraction, Fraction]:
        """Start and end; where they are missing, the first and last time of the facts."""
        finite = [
            column[np.abs(column) < FOREVER] for table in facts.tables.values() for column in (table.start, table.end)
        ]
        times = np.concatenate([EMPTY, *finite])
        first, last = (int(times.min()), int(times.max())) if len(times) else (0, 0)
        start = point_of(first, facts.scale) if self.start is None else self.start
        end = point_of(last, facts.scale) if self.end is None else self.end
        return start, max(start, end)


class MetricRun:
    """One run over facts that have been read."""

    def __init__(
        self,
        plan: MetricPlan,
        reading: MetricReading,
        span: RunSpan,
        *,
        goals: tuple[Atom, ...] = (),
        profile: bool = False,
    ) -> None:
        self._goals = Goals.of(plan, goals, is_stream=span.step is not None) if goals else None
        self.plan = self._goals.made.plan if self._goals else plan
        self.profile = MetricProfile() if profile else None
        self._reading, self._span = reading, span
        read = reading.rows - sum(reading.unknown.values())
        self.summary = MetricSummary(read, reading.unknown, reading.rejects.count, reading.rejects.first)

    def result(self) -> MetricResult:
        """The derived facts."""
        found = self._whole() if self._span.step is None else self._stepped(self._span.step)
        return self._result(self._goals.answers(found, self._reading.dictionary) if self._goals else found)

    def _facts(self) -> FactSet:
        reading = self._reading
        return self._goals.read(reading.facts, reading.dictionary) if self._goals else reading.facts

    def by_reference(self, program: MetricProgram) -> MetricResult:
        """The derived facts, by the reference evaluator."""
        # Imported here: most runs do not need it.
        from holdsfor.reference.metric import Endless, evaluate

        reading, span = self._reading, self._span
        given = [
            MetricFact(row.predicate, tuple(map(Const, row.args)), _range(row))
            for row in rows(reading.facts, reading.dictionary)
        ]
        try:
            found = evaluate(program, given, Range(span.start, span.end, span.start is None, span.end is None))
        except Endless:
            raise HoldsforError("the program derives for ever, or nearly so; give it an end (--end)") from None
        facts = [MetricFact(name, args, during) for (name, args), ranges in found.items() for during in ranges]
        bounds = [bound for fact in facts for bound in (fact.during.low, fact.during.high) if bound is not None]
        columns = columns_of(facts, lcm(*(bound.denominator for bound in bounds)), reading.dictionary)
        outputs = self._goals.made.predicates.values() if self._goals else self.plan.outputs
        wanted = {(relation.name, relation.arity) for relation in outputs}
        tables = {signature: columns.tables.get(signature, no_facts(signature[1])) for signature in wanted}
        whole = FactSet(columns.scale, tables)
        return self._result(self._goals.chosen(whole, reading.dictionary) if self._goals else whole)

    def _result(self, facts: FactSet) -> MetricResult:
        self.summary.intervals = sum(table.rows for table in facts.tables.values())
        return MetricResult(
            facts,
            self._reading.dictionary,
            self.summary,
            self.plan.variables,
            time_scale=self._reading.time_scale,
        )

    def _whole(self) -> FactSet:
        reading, span = self._reading, self._span
        try:
            return materialise(self.plan, self._facts(), reading.dictionary, span.start, span.end, self.profile)
        except NeverEnds as found:
            directions = [one.direction for one in self.plan.strata if set(one.relations) & set(found.relations)]
            raise DerivesForever(found, directions[0] if directions else Direction.BOTH) from None

    def _stepped(self, step: Fraction) -> FactSet:
        reading = self._reading
        start, end = self._span.over(reading.facts)
        found, kept = stepped_run(self.plan, self._facts(), reading.dictionary, start, end, step, self.profile)
        self.summary.most_kept = kept
        self.summary.steps = 1 - (start - end) // step
        return found


def _range(row: Row) -> Range:
    return Range(row.start, row.end, not row.start_closed, not row.end_closed)


class MetricSession:
    """A stream: push facts, then advance in time."""

    def __init__(
        self,
        rules: PlannedProgram,
        known: Collection[Signature],
        declared: TimeScale | None = None,
        unit: str | None = None,
        goals: tuple[Atom, ...] = (),
    ) -> None:
        self._goals = Goals.of(rules.plan, goals, is_stream=True) if goals else None
        plan = self._goals.made.plan if self._goals else rules.plan
        self._known = known
        self._counted = Counted(declared, unit)
        self._dictionary = Dictionary()
        self._streams = Streams(replace(rules, plan=plan), lambda plan: MetricStream(plan, self._dictionary))

    @property
    def facts_held(self) -> int:
        """The number of facts that rules still need, including those after the present time."""
        return sum(stream.facts for stream in self._streams.all)

    @property
    def late(self) -> int:
        """The number of late facts, of which all or the first part was not used."""
        return self._streams.late + self._streams.main.late

    @property
    def delay(self) -> Fraction:
        """The greatest delay between a time and the answer about it."""
        return max(self._streams.rules.plan.delays.values(), default=Fraction(0))

    @property
    def time_scale(self) -> TimeScale | None:
        """The time unit, if the rules, the input or the caller declare it."""
        return self._counted.scale

    def push(
        self, facts: FactsInput, *, mapping: MappingInput = None, unit: str | None = None, strict: bool = False
    ) -> None:
        """Add facts from files or tables. Facts before the time of the last `advance` are late."""
        reading = self._counted.read(
            self._known,
            facts,
            mapping=mapping,
            unit=unit,
            rejects=Rejects(strict=strict),
            dictionary=self._dictionary,
        )
        warn_of_unread(reading, self._known, is_empty=is_of_no_use(reading))
        self._streams.push(self._goals.read(reading.facts, self._dictionary) if self._goals else reading.facts)

    def advance(self, until: Time) -> MetricResult:
        """The facts after the time of the last `advance`, up to and including `until`."""
        point = exact(until, "until", self._counted.unit)
        found = self._streams.advance(point, lambda stream: stream.advance(point))
        if self._goals is not None:
            found = self._goals.answers(found, self._dictionary)
        variables = self._streams.rules.plan.variables
        return MetricResult(found, self._dictionary, variables=variables, time_scale=self.time_scale)

    def plan_swap(self, rules: MetricReasoner, *, backfill: bool = False) -> SwapPlan:
        """The effect of a `swap`: which answers are exact at once, which later, and which need a backfill."""
        return self._streams.plan_swap(self._other(rules), is_filled=backfill)

    def swap(self, rules: MetricReasoner, *, backfill: FactsInput | None = None, unit: str | None = None) -> SwapPlan:
        """Replace the rules, at the time of the last `advance`; earlier answers are final.

        The new rules are applied to all facts that are kept. The returned plan says which answers are exact. `backfill`
        has all facts from the beginning, for the other answers.
        """
        other = self._other(rules)
        plan = self._streams.swap(other, given_facts(self._counted, rules, backfill, unit, self._dictionary))
        self._known = {*self._known, *rules.signatures}
        return plan

    def _other(self, rules: MetricReasoner) -> PlannedProgram:
        return other_rules(rules, self._goals, self._counted.unit)


def other_rules(rules: MetricReasoner, goals: Goals | None, unit: str | None) -> PlannedProgram:
    """The rules of a session after a swap."""
    if goals is not None:
        raise HoldsforError("a session that answers queries with constants cannot change its rules")
    if not isinstance(getattr(rules, "program", None), MetricProgram):
        raise HoldsforError("the new rules of this session are metric rules: holdsfor.loads_metric(text)")
    return PlannedProgram(rules.program, streamed_plan(rules, rules.plan, inf, unit))


def given_facts(
    counted: Counted, rules: MetricReasoner, facts: FactsInput | None, unit: str | None, dictionary: Dictionary
) -> FactSet | None:
    """The facts of a backfill."""
    if facts is None:
        return None
    reading = counted.read(rules.signatures, facts, unit=unit, rejects=Rejects(), dictionary=dictionary)
    return reading.facts


def streamed_plan(
    reasoner: MetricReasoner,
    plan: MetricPlan,
    delay: Length | None,
    unit: str | None = None,
    *,
    is_recorded: bool = False,
) -> MetricPlan:
    """The plan of a program on a stream; raises ProgramError if the program looks ahead.

    On a recorded stream answers need not be immediate. So they may be delayed, unless an operator itself looks ahead.
    """
    if plan.is_forward:
        return plan
    if delay is None and is_recorded and not list(streaming_findings(reasoner.program)):
        delay = inf
    if delay is None:
        raise ProgramError(reasoner.streaming_findings)
    try:
        delayed = delayed_plan(plan)
    except TooFarAhead as problem:
        raise ProgramError(_too_far(reasoner, problem)) from None
    needed = max(delayed.delays.values(), default=Fraction(0))
    allowed = None if delay in (inf, "inf") else exact_length(delay, "delay", unit)
    if allowed is not None and needed > allowed:
        raise HoldsforError(
            f"answers come {number_text(needed)} later than what they are about; the delay allows {number_text(allowed)}"
        )
    return delayed


def _too_far(reasoner: MetricReasoner, problem: TooFarAhead) -> list[Diagnostic]:
    _, start, end = problem.rule.span
    inside = [
        found
        for found in reasoner.streaming_findings
        if found.span.source == problem.rule.span.source and start <= found.span.start <= end
    ]
    if inside:
        return inside
    message = "no delay is long enough for this rule"
    hint = "it asks about its own future; run it in batch"
    return [Diagnostic("HF621", Severity.ERROR, message, problem.rule.span, hint)]
