"""DatalogMTL: short stops of vehicles, and programs like those of the temporal LUBM benchmark."""

from __future__ import annotations

import csv
import gzip
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from pathlib import Path

import numpy as np
import pyarrow as pa

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.metric.facts import Facts, FactSet, Signature
from holdsfor.compiler.metric.plan import MetricPlan, make_metric_plan
from holdsfor.core.metric_driver import materialise
from holdsfor.core.metric_stream import MetricStream
from holdsfor.diagnostics import Source
from holdsfor.frontend.dmtl import parse_metric
from holdsfor.io.metric_text import read_metric_facts
from holdsfor.metric.goals import Goals, goals_of
from holdsfor.physical.metric_certificate import stream_bounds
from holdsfor.physical.metric_program import Arrival, lower_program

SHORT_STOP = """
NotPos(X) :- NotOnMap(X)
ShortStop(X) :- NotPos(X), Boxminus[1] Pos(X), Boxminus[2] NotPos(X)
ShortStop(X) :- NotPos(X), Boxminus[1] Pos(X), Boxminus[2] Pos(X), Boxminus[3] NotPos(X)
ShortStop(X) :- NotPos(X), Boxminus[1] Pos(X), Boxminus[2] Pos(X), Boxminus[3] Pos(X), Boxminus[4] NotPos(X)
ShortStop(X) :- NotPos(X), Boxminus[1] Pos(X), Boxminus[2] Pos(X), Boxminus[3] Pos(X), Boxminus[4] Pos(X),
    Boxminus[5] NotPos(X)
"""
RECURSIVE = """
Scientist(X) :- Diamondminus[1] FullProfessor(X)
FullProfessor(X) :- Diamondminus[1] Scientist(X)
Scientist(X) :- Diamondminus[1] DoctoralDegreeFrom(X, _)
FullProfessor(X) :- Diamondminus[1] UndergraduateDegreeFrom(X, _), Diamondminus[1] TeacherOf(X, _)
"""
STRAIGHT = """
LeaderOf(X, D) :- Diamondminus[0,1] WorksFor(X, D), Diamondminus[0,2] HeadOf(X, D)
Active(X) :- Diamondminus[0,3] PublicationAuthor(X, _)
Steady(X) :- Boxminus[0,1] Active(X)
Candidate(X, D) :- Steady(X), LeaderOf(X, D)
"""
LAST = Fraction(300)


@dataclass(frozen=True)
class Case:
    """A program, what it is asked, and a stream."""

    name: str
    plan: MetricPlan
    facts: FactSet
    dictionary: Dictionary
    step: Fraction
    first: Fraction
    last: Fraction


@dataclass
class Streamed:
    """What came of a stream: answers at its steps, the facts kept after each, and what each took of the processor."""

    answers: int = 0
    kept: list[int] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)


def plan_of(text: str, query: str) -> MetricPlan:
    """The plan of what a query needs."""
    return make_metric_plan(parse_metric([Source("program.dmtl", text)]), [query])


def points(facts: Facts, scale: int, step: Fraction) -> int:
    """At how many multiples of a step the facts hold."""
    ticks = 2 * int(step * scale)
    return int((-(-facts.end // ticks) - -(-facts.start // ticks)).sum())


def in_batch(case: Case) -> FactSet:
    """Everything at once."""
    return materialise(case.plan, case.facts, case.dictionary, case.first, case.last)


def steps(case: Case) -> Iterator[tuple[Fraction, FactSet]]:
    """The facts of each step."""
    scale = case.facts.scale
    ordered = {name: table.take(np.argsort(table.start, kind="stable")) for name, table in case.facts.tables.items()}
    until = case.first
    while until <= case.last:
        low, high = 2 * int((until - case.step) * scale) + 1, 2 * int(until * scale) + 1
        yield until, FactSet(scale, {name: _between(table, low, high) for name, table in ordered.items()})
        until += case.step


def _between(table: Facts, low: int, high: int) -> Facts:
    first, last = np.searchsorted(table.start, [low, high])
    return Facts(tuple(column[first:last] for column in table.args), table.start[first:last], table.end[first:last])


def streamed(case: Case, arriving: list[tuple[Fraction, FactSet]]) -> Streamed:
    """The stream, step by step."""
    stream, found = MetricStream(case.plan, case.dictionary), Streamed()
    for until, facts in arriving:
        begin = time.process_time()
        stream.push(facts)
        answer = stream.advance(until)
        found.milliseconds.append(1e3 * (time.process_time() - begin))
        found.answers += sum(points(table, answer.scale, case.step) for table in answer.tables.values())
        found.kept.append(stream.facts)
    return found


def step_by_step(case: Case, arriving: Iterable[tuple[Fraction, FactSet]]) -> None:
    """The stream and nothing else, to be timed."""
    stream = MetricStream(case.plan, case.dictionary)
    for until, facts in arriving:
        stream.push(facts)
        stream.advance(until)


def certificate(case: Case) -> int:
    """How many intervals a stream may keep by its plan: for each instance, those of the bounds of its relations.

    Results that are a point have no bound in the plan: there may be one at each step of the reach of their operator.
    """
    scale = lcm(case.facts.scale, case.step.denominator)
    stages = lower_program(case.plan, scale, Arrival.FINAL).plan.stages
    (component,) = (one.metric for stage in stages for one in stage.components if one.metric is not None)
    ticks = int(case.step * component.scale)
    most = 0
    for one in (bound for stratum in component.part.strata for bound in stream_bounds(stratum)):
        assert one.intervals is not None or one.span is not None, "a relation is kept for ever"
        intervals = one.intervals if one.intervals is not None else (one.span or 0) // ticks + 1
        most += intervals * _instances(case, component.part.relations[one.relation].columns)
    return most


def _instances(case: Case, columns: int) -> int:
    """How many different arguments the facts have, for relations with so many columns."""
    tables = [table.args[:columns] for table in case.facts.tables.values() if len(table.args) >= columns]
    if not columns or not tables:
        return 1
    return len(np.unique(np.concatenate([np.stack(args, axis=1) for args in tables]), axis=0))


def asked(case: Case, question: str) -> FactSet:
    """The answer to a question with a constant, from the facts that can matter for it."""
    goals = Goals.of(case.plan, goals_of(case.plan, question), is_stream=False)
    facts = goals.read(case.facts, case.dictionary)
    found = materialise(goals.made.plan, facts, case.dictionary, case.first, case.last)
    return goals.answers(found, case.dictionary)


def chosen(case: Case, question: str) -> FactSet:
    """The answer to the same question, from everything that follows."""
    goals = Goals.of(case.plan, goals_of(case.plan, question), is_stream=False)
    return goals.chosen(in_batch(case), case.dictionary)


def frames(case: Case) -> dict[str, pa.Table]:
    """The facts as tables."""
    values = np.array(case.dictionary.values, dtype=object)
    found = {}
    for (name, arity), table in case.facts.tables.items():
        columns = {f"arg{place}": pa.array(values[table.args[place]].tolist()) for place in range(arity)}
        found[name] = pa.table({"time": table.start / (2 * case.facts.scale), **columns})
    return found


def short_stop(folder: Path, name: str) -> Case:
    """Vehicles that stand still for less than five seconds."""
    dictionary = Dictionary()
    facts = read_metric_facts([folder / f"{name}.txt.gz"], dictionary)
    case = Case(name, plan_of(SHORT_STOP, "ShortStop"), facts, dictionary, Fraction(1), *(_reach(facts)))
    with gzip.open(folder / f"expected_{name}.csv.gz", "rt") as file:
        expected = {
            (row["args"], str(moment))
            for row in csv.DictReader(file)
            for moment in range(int(row["start"]), int(row["end"]) + 1)
        }
    table = in_batch(case).tables["ShortStop", 1]
    found = {
        (str(dictionary.values[code]), str(cell // 2))
        for code, start, end in zip(*(c.tolist() for c in (table.args[0], table.start, table.end)), strict=True)
        for cell in range(start, end)
        if cell % 2 == 0
    }
    assert found == expected, f"{name}: other answers than expected"
    return case


def _reach(facts: FactSet) -> tuple[Fraction, Fraction]:
    first = min(int(table.start.min()) for table in facts.tables.values())
    last = max(int(table.end.max()) for table in facts.tables.values())
    return Fraction(first // 2, facts.scale), Fraction(last // 2, facts.scale)


def university(name: str, text: str, query: str, predicates: list[str], facts: int, people: int) -> Case:
    """Random facts about people at universities, at multiples of a half between 0 and 300."""
    random = np.random.default_rng(1)
    dictionary = Dictionary()
    codes = dictionary.encode(range(people))
    places = dictionary.encode(f"u{number}" for number in range(1000))
    tables: dict[Signature, Facts] = {}
    for predicate in predicates:
        person = random.integers(0, people, facts // len(predicates))
        start = 2 * random.integers(0, 601, len(person))
        tables[predicate, 2] = Facts((codes[person], places[person % 1000]), start, start + 1)
    return Case(name, plan_of(text, query), FactSet(2, tables), dictionary, Fraction(1, 2), Fraction(0), LAST)
