"""Random scenarios whose time-points are a clock tick apart.

Rules and streams are those of other scenarios. Times are stretched by the tick, with some in between two time-points, and so
are delays, which must be multiples of it, and the distances of metric operators. Durations and looks back stay as they are:
they need not be.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from hypothesis import assume
from hypothesis import strategies as st

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.report import Texts, event_table, interval_table
from holdsfor.columns.stream import from_records
from holdsfor.columns.windows import WindowPlan
from holdsfor.io.builder import Reading
from holdsfor.io.rejects import Rejects
from holdsfor.ir import Algebra, Declaration, DeclarationKind, DelayRule, Distance, IntervalRule, Literal, Program, Rule
from holdsfor.loading import Reasoner, from_program
from holdsfor.recognition import Recognition
from holdsfor.reference import Occurrence, Record
from holdsfor.syntax.terms import Compound, Const, Term
from tests.strategies.engine_runs import Scenario, scenario
from tests.strategies.scenario_words import Pen
from tests.strategies.scenarios import EVERYTHING, Features
from tests.strategies.streams import Span

TICKS = (2, 3, 7, 40)


@dataclass(frozen=True, repr=False)
class TickScenario:
    """A scenario in time, and its clock tick."""

    base: Scenario
    tick: int
    records: list[Record]
    span: Span | None
    reasoner: Reasoner

    def __repr__(self) -> str:
        shown = replace(self.base, records=self.records, span=self.span)
        return f"clock tick {self.tick}; delays of the rules are multiplied by it\n{shown!r}"


def tick_scenario(pen: Pen, features: Features = EVERYTHING, *, windowed: bool, late: int = 0) -> TickScenario | None:
    """A scenario with the choices of a pen; None if its rules have no meaning."""
    base = scenario(pen, features, windowed=windowed, late=late)
    return None if base is None else stretched(pen, base)


def stretched(pen: Pen, base: Scenario) -> TickScenario:
    """A scenario with a clock tick."""
    tick = pen.pick(TICKS)
    jitter = pen.chance(50)
    records = [_stretched(pen, record, tick, jitter=jitter) for record in base.records]
    span = base.span and Span(
        *(number * tick for number in (base.span.size, base.span.step, base.span.start, base.span.end))
    )
    program = base.reasoner.analysis.written
    return TickScenario(
        base, tick, records, span, from_program(_with_longer_times(program, tick)).with_clock_tick(tick)
    )


@st.composite
def tick_scenarios(
    draw: Callable[..., int], features: Features = EVERYTHING, *, windowed: bool, late: int = 0
) -> TickScenario:
    """Scenarios for Hypothesis."""
    found = tick_scenario(Pen.of(draw), features, windowed=windowed, late=late)
    assume(found is not None)
    assert found is not None
    return found


def _stretched(pen: Pen, record: Record, tick: int, *, jitter: bool) -> Record:
    def moved() -> int:
        return pen.number(0, tick - 1) if jitter else 0

    if isinstance(record, Occurrence):
        late = (record.arrival - record.time) * tick
        time = record.time * tick + moved()
        return replace(record, time=time, arrival=time + late)
    if record.is_point:
        time = record.start * tick + moved()
        return replace(record, start=time, end=time + 1, arrival=record.arrival * tick)
    end = record.end if record.end == math.inf else int(record.end) * tick + moved()
    return replace(record, start=record.start * tick + moved(), end=end, arrival=record.arrival * tick)


def _with_longer_times(program: Program, tick: int) -> Program:
    return replace(program, rules=tuple(_longer(rule, tick) for rule in program.rules))


def _longer(rule: Rule, tick: int) -> Rule:
    if isinstance(rule, IntervalRule):
        return replace(rule, body=tuple(_farther(literal, tick) for literal in rule.body))
    if isinstance(rule, Declaration) and rule.kind is DeclarationKind.FORGET:
        return replace(rule, args=(rule.args[0], _times(rule.args[1], tick)))
    return replace(rule, delay=_times(rule.delay, tick)) if isinstance(rule, DelayRule) else rule


def _times(delay: Term, tick: int) -> Term:
    if isinstance(delay, Const) and isinstance(delay.value, int):
        return Const(delay.value * tick)
    return Compound("*", (delay, Const(tick)))


def _farther(literal: Literal, tick: int) -> Literal:
    if not isinstance(literal, Algebra) or literal.distance is None:
        return literal
    low, high = literal.distance.low * tick, literal.distance.high
    return replace(literal, distance=Distance(low, None if high is None else high * tick))


Report = list[list[tuple[object, ...]]]
"""Rows of intervals and rows of derived events."""


def reported(scenario: TickScenario, *, by_reference: bool) -> Report:
    """The rows of a run, by the engine or by the reference evaluator."""
    dictionary = Dictionary()
    stream = from_records(scenario.records, scenario.reasoner.analysis.entities, dictionary)
    reading = Reading(stream, dictionary, len(scenario.records), {}, set(), Rejects())
    span = scenario.span
    windows = None if span is None else WindowPlan(span.size, span.step, span.start, span.end)
    recognition = Recognition(scenario.reasoner.plan, reading, windows)
    if by_reference:
        tables = [recognition.by_reference()]
    else:
        texts = Texts(dictionary)
        tables = [(interval_table(answer, texts), event_table(answer, texts)) for answer in recognition]
    found: Report = [[], []]
    for pair in tables:
        for rows, table in zip(found, pair, strict=True):
            rows.extend(tuple(row.values()) for row in table.to_pylist())
    return [sorted(rows, key=str) for rows in found]
