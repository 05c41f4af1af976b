"""A metric program that has been read and checked, ready to be run."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING

from holdsfor.compiler.analysis.similar import suggest
from holdsfor.compiler.metric.checks import check_metric, streaming_findings
from holdsfor.compiler.metric.checks.uses import body_atoms
from holdsfor.compiler.metric.delays import TooFarAhead, delayed_plan
from holdsfor.compiler.metric.durations import in_units
from holdsfor.compiler.metric.plan import MetricPlan, looks_back, make_metric_plan
from holdsfor.diagnostics import (
    Diagnostic,
    HoldsforError,
    ProgramError,
    Severity,
    Source,
    errors_of,
    in_reading_order,
    require_text,
)
from holdsfor.explain.limits import DEPTH
from holdsfor.frontend.dmtl import parse_metric
from holdsfor.frontend.dmtl.numbers import number_text
from holdsfor.ir.metric import MetricProgram
from holdsfor.metric.times import Length, Time, exact
from holdsfor.times import TimeScale, unit_of

if TYPE_CHECKING:
    # NumPy and Arrow take longer to import than everything else together; they wait until there is data.
    from holdsfor.explain.asking import MetricExplainer
    from holdsfor.explain.explanation import Explanation
    from holdsfor.metric.inputs import FactsInput, MappingInput, MetricReading
    from holdsfor.metric.result import MetricResult
    from holdsfor.metric.revising import RevisingSession
    from holdsfor.metric.session import MetricSession
    from holdsfor.viz.program_graph import ProgramGraph

_MOST_NAMED = 6


@dataclass(frozen=True, repr=False)
class MetricReasoner:
    """A metric program. `diagnostics` has all findings."""

    program: MetricProgram
    diagnostics: tuple[Diagnostic, ...]

    def __repr__(self) -> str:
        rules = self.program.rules
        derived = list(dict.fromkeys(rule.head.predicate for rule in rules))
        names = ", ".join(derived[:_MOST_NAMED]) + ", …" * (len(derived) > _MOST_NAMED)
        return f"<MetricReasoner: {len(rules)} rule{'' if len(rules) == 1 else 's'}; derives {names or 'nothing'}>"

    @property
    def time_scale(self) -> TimeScale | None:
        """The time unit, if the rules declare it: `:- time_unit(s).`"""
        return self.program.time_scale

    @cached_property
    def plan(self) -> MetricPlan:
        """The plan of the program; raises ProgramError if it has errors."""
        self.require_no_errors()
        return make_metric_plan(self.program)

    def plan_of(self, query: str | Iterable[str] | None) -> MetricPlan:
        """The plan of what some predicates need; None is all of them."""
        if query is None:
            return self.plan
        wanted = [text.partition("(")[0].strip() for text in ([query] if isinstance(query, str) else query)]
        known = sorted({rule.head.predicate for rule in self.program.rules})
        for name in wanted:
            if name not in known:
                close = suggest(name, known)
                hint = f"did you mean {close}?" if close else f"there are {', '.join(known) or 'none'}"
                raise HoldsforError(f"no rule derives {name}; {hint}")
        self.require_no_errors()
        return make_metric_plan(self.program, wanted)

    @cached_property
    def signatures(self) -> frozenset[tuple[str, int]]:
        """The predicates of the rules, by name and arity."""
        read = {atom.signature for rule in self.program.rules for atom in body_atoms(rule)}
        return frozenset(read | {rule.head.signature for rule in self.program.rules})

    @cached_property
    def streaming_findings(self) -> tuple[Diagnostic, ...]:
        """The constructs that cannot run on a stream. Looking ahead is allowed if it starts as far in the past."""
        if not errors_of(self.diagnostics) and self.plan.is_forward:
            return ()
        found = tuple(streaming_findings(self.program))
        if found or errors_of(self.diagnostics):
            return found
        rule = next(rule.origin for rule in self.plan.rules if not looks_back(rule))
        message = (
            "on a stream, it is not yet known what the variables may be that only the left side of Since or Until has"
        )
        hint = "run it in batch, or bind them on the right side too"
        with suppress(TooFarAhead):
            needed = number_text(max(delayed_plan(self.plan).delays.values()))
            hint = f"let the answers come {needed} later with --delay, {hint}"
        return (Diagnostic("HF621", Severity.ERROR, message, rule.span, hint),)

    def materialise(
        self,
        facts: FactsInput = (),
        *,
        start: Time | None = None,
        end: Time | None = None,
        step: Length | None = None,
        tick: Length | None = None,
        delay: Length | None = None,
        query: str | Iterable[str] | None = None,
        mapping: MappingInput = None,
        unit: str | None = None,
        strict: bool = False,
    ) -> MetricResult:
        """All derived facts, within the closed interval from `start` to `end`.

        `facts` are files of facts (`P(a)@[1,2)`), or tables by predicate name (pandas, polars, Arrow, DuckDB, lists of
        tuples or dicts) with columns `time`, or `start` and `end`, and the arguments in order. With `step`, time
        advances from start to end as on a stream; the answer is the same. `delay` is how much later answers can come
        than the times they are about, for programs that look ahead (`"inf"`: without limit). All times are multiples of
        `tick`, which is derived from program and facts by default; facts at other times are set aside. Malformed rows
        cause a warning, and so do unknown names if the result is empty.

        `unit` is the time unit: `s`, `ms`, `us`, `ns`, `min`, `h` or `d`; the rules can declare it too. If it is known,
        times can be datetimes or text such as "2026-03-01T12:00Z", and durations timedeltas or text such as "1h".

        `query` is predicates, or queries with constants such as `P(a, X)`: only what these need is evaluated.

        >>> loads_metric("Recent(X) :- Diamondminus[0,1/2] Alarm(X)").materialise({"Alarm": [(3, "pump")]})
        1 interval of 1 predicate
        predicate  args  start  start_closed  end  end_closed
        Recent     pump  3              true  3.5        true
        """
        from holdsfor.io.rejects import Rejects
        from holdsfor.metric.goals import goals_of
        from holdsfor.metric.inputs import declared_unit, read_facts
        from holdsfor.metric.session import MetricRun, RunSpan, streamed_plan
        from holdsfor.metric.ticks import require_ticks
        from holdsfor.metric.times import length_or_none
        from holdsfor.metric.unread import warn_of_other_times, warn_of_unread

        plan = self.plan_of(query)
        known = declared_unit(facts, mapping, unit, self.time_scale)
        if step is not None:
            plan = streamed_plan(self, plan, delay, known, is_recorded=True)
        every = length_or_none(tick, "tick", known)
        if every is not None:
            require_ticks(plan, every)
        reading = read_facts(
            self.signatures,
            facts,
            mapping=mapping,
            unit=unit,
            declared=self.time_scale,
            rejects=Rejects(strict=strict),
            tick=every,
        )
        span = RunSpan.of(start, end, step, reading.unit)
        explainer = partial(_explainer, self.program, reading, (span.start, span.end))
        found = MetricRun(plan, reading, span, goals=goals_of(plan, query)).result().with_explainer(explainer)
        is_empty = not found and not self.program.facts
        warn_of_unread(reading, self.signatures, is_empty=is_empty)
        if is_empty:
            warn_of_other_times(reading, span.start, span.end)
        return found

    def stream(
        self, *, query: str | Iterable[str] | None = None, delay: Length | None = None, unit: str | None = None
    ) -> MetricSession:
        """A stream to which facts are pushed, and which advances in time. `query` is as in `materialise`.

        >>> stream = loads_metric("Recent(X) :- Diamondminus[0,1/2] Alarm(X)").stream()
        >>> stream.push({"Alarm": [(3, "pump")]})
        >>> len(stream.advance(2)), len(stream.advance(3)), stream.facts_held
        (0, 1, 1)
        """
        from holdsfor.metric.goals import goals_of
        from holdsfor.metric.session import MetricSession, streamed_plan
        from holdsfor.metric.swapping import PlannedProgram

        known = unit_of(self.time_scale, unit)
        plan = streamed_plan(self, self.plan_of(query), delay, known)
        return MetricSession(
            PlannedProgram(self.program, plan), self.signatures, self.time_scale, known, goals_of(plan, query)
        )

    def session(
        self,
        *,
        lateness: Length,
        query: str | Iterable[str] | None = None,
        delay: Length | None = None,
        unit: str | None = None,
    ) -> RevisingSession:
        """A stream whose facts can be late, by at most `lateness`, and can be retracted; results are then revised.
        `query` is as in `materialise`.

        >>> session = loads_metric("Missed(X) :- Diamondminus[2] Alarm(X), not Diamondminus[0,2] Ack(X)").session(lateness=5)
        >>> session.push({"Alarm": [(3, "pump")], "Ack": []})
        >>> len(session.advance(6).added)
        1
        >>> session.push({"Ack": [(4, "pump")]})
        >>> session.advance(7).removed
        1 interval of 1 predicate
        predicate  args  start  start_closed  end  end_closed
        Missed     pump  5              true  5          true
        """
        from holdsfor.metric.goals import goals_of
        from holdsfor.metric.revising import RevisingSession
        from holdsfor.metric.session import streamed_plan
        from holdsfor.metric.swapping import PlannedProgram

        known = unit_of(self.time_scale, unit)
        plan = streamed_plan(self, self.plan_of(query), delay, known)
        return RevisingSession(
            PlannedProgram(self.program, plan), self.signatures, lateness, self.time_scale, known, goals_of(plan, query)
        )

    def graph(self) -> ProgramGraph:
        """The dependency graph of the predicates, for notebooks and files."""
        from holdsfor.viz.metric import metric_view
        from holdsfor.viz.program_graph import ProgramGraph

        self.require_no_errors()
        return ProgramGraph(metric_view(self.program))

    def explain(
        self,
        question: str,
        at: Time,
        *,
        facts: FactsInput = (),
        start: Time | None = None,
        end: Time | None = None,
        mapping: MappingInput = None,
        unit: str | None = None,
        depth: int | None = DEPTH,
    ) -> Explanation:
        """Explain why a fact holds at a time, or why not; evaluates only what the question needs.

        >>> recent = loads_metric("Recent(X) :- Diamondminus[0,1/2] Alarm(X)")
        >>> recent.explain("Recent(pump)", 3.25, facts={"Alarm": [(3, "pump")]}).holds
        True
        """
        explainer, known = self._explainer(facts, start, end, mapping, unit)
        return explainer.explain(question, exact(at, "at", known), depth=depth)

    def why(
        self,
        question: str,
        at: Time,
        *,
        facts: FactsInput = (),
        start: Time | None = None,
        end: Time | None = None,
        mapping: MappingInput = None,
        unit: str | None = None,
        depth: int | None = DEPTH,
    ) -> Explanation:
        """Why a fact holds at a time; raises HoldsforError if it does not."""
        explainer, known = self._explainer(facts, start, end, mapping, unit)
        return explainer.explain(question, exact(at, "at", known), depth=depth).required(holds=True)

    def why_not(
        self,
        question: str,
        at: Time,
        *,
        facts: FactsInput = (),
        start: Time | None = None,
        end: Time | None = None,
        mapping: MappingInput = None,
        unit: str | None = None,
        depth: int | None = DEPTH,
    ) -> Explanation:
        """Why a fact does not hold at a time; raises HoldsforError if it does."""
        explainer, known = self._explainer(facts, start, end, mapping, unit)
        return explainer.explain(question, exact(at, "at", known), depth=depth).required(holds=False)

    def _explainer(
        self, facts: FactsInput, start: Time | None, end: Time | None, mapping: MappingInput, unit: str | None
    ) -> tuple[MetricExplainer, str | None]:
        """An explainer for facts that have been read, and their time unit."""
        from holdsfor.metric.inputs import read_facts
        from holdsfor.metric.session import RunSpan

        self.require_no_errors()
        reading = read_facts(self.signatures, facts, mapping=mapping, unit=unit, declared=self.time_scale)
        span = RunSpan.of(start, end, unit=reading.unit)
        return _explainer(self.program, reading, (span.start, span.end), known=self.signatures), reading.unit

    def require_no_errors(self) -> None:
        """Raise ProgramError if there is an error among the findings."""
        errors = errors_of(self.diagnostics)
        if errors:
            raise ProgramError(errors)


def _explainer(
    program: MetricProgram,
    reading: MetricReading,
    within: tuple[Fraction | None, Fraction | None],
    known: Collection[tuple[str, int]] = (),
) -> MetricExplainer:
    """An explainer for facts that have been read. It is created on demand, because most runs need no explanations."""
    from holdsfor.explain.asking import MetricExplainer
    from holdsfor.metric.unread import unread

    notes = tuple(unread(reading, known, is_empty=bool(known) and not program.facts))
    return MetricExplainer(program, reading.facts, reading.dictionary, within, notes, reading.time_scale)


def from_metric_program(program: MetricProgram) -> MetricReasoner:
    """Check a metric program, without raising for mistakes in it."""
    resolved, of_time = in_units(program, program.time_scale, program.time_goals)
    return MetricReasoner(resolved, tuple(in_reading_order([*resolved.diagnostics, *of_time, *check_metric(resolved)])))


def from_metric_sources(sources: Iterable[Source]) -> MetricReasoner:
    """Check rule texts as one metric program, without raising for mistakes in them."""
    return from_metric_program(parse_metric(sources))


def loads_metric(text: str, name: str = "<rules>") -> MetricReasoner:
    """Load metric rules and facts from a string; raises ProgramError with all diagnostics.

    >>> loads_metric("Q(X) :- Boxminus[0,2] P(X)").plan.outputs[0].name
    'Q'
    """
    require_text(text, "loads_metric")
    reasoner = from_metric_sources([Source(name, text)])
    reasoner.require_no_errors()
    return reasoner
