"""DatalogMTL: short stops of vehicles, and programs like those of the temporal LUBM benchmark.

    python benchmarks/dmtl.py [--short-stop FOLDER] [--facts 1000000] [--recursive 100000] [--plot memory.svg]

The folder (`examples/short_stop`) has `S1.txt.gz` and `S2.txt.gz` (facts in MeTeoR's format, a time-point a second) and
`expected_S1.csv.gz`, `expected_S2.csv.gz` (answers); they are compared before anything is timed. Streams are gone through in steps, each fed
with the facts of its own time only. CPU time; the best of several runs for short stops, one run for the others, facts
already in columns. `--plot` draws how many facts are kept while a stream runs.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import resource
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np

from holdsfor.compiler.metric.plan import MetricPlan, make_metric_plan
from holdsfor.diagnostics import Source
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.metric.facts import Facts, FactSet, Signature
from holdsfor.engine.metric.materialise import materialise
from holdsfor.engine.metric.stream import MetricStream
from holdsfor.frontend.dmtl import parse_metric
from holdsfor.io.metric_text import read_metric_facts

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
# What the originals took, in seconds: streaming, streaming without deepcopy, batch.
METEOR = {"S1": (66.0, 14.6, 3.8), "S2": (229.0, 50.0, 14.2)}


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
    """What came of a stream: answers at its steps, and the facts kept after each."""

    answers: int = 0
    kept: list[int] | None = None


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
    stream, found = MetricStream(case.plan, case.dictionary), Streamed(kept=[])
    assert found.kept is not None
    for until, facts in arriving:
        stream.push(facts)
        answer = stream.advance(until)
        found.answers += sum(points(table, answer.scale, case.step) for table in answer.tables.values())
        found.kept.append(stream.state.facts)
    return found


def seconds(work: Callable[[], object], repeat: int) -> float:
    """The least CPU time of several runs."""
    taken = []
    for _ in range(repeat):
        begin = time.process_time()
        work()
        taken.append(time.process_time() - begin)
    return min(taken)


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


def plot(path: Path, curves: dict[str, tuple[list[float], list[int]]]) -> None:
    """Draw how many facts are kept."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    wide = -(-len(curves) // 2)
    figure, axes = plt.subplots(2, wide, figsize=(3.2 * wide, 4.8), constrained_layout=True, squeeze=False)
    for axis in axes.flat[len(curves) :]:
        axis.set_axis_off()
    for axis, (name, (times, kept)) in zip(axes.flat, curves.items(), strict=False):
        axis.plot(times, kept, linewidth=1)
        axis.set(title=name, xlabel="time", ylabel="facts kept", ylim=(0, None))
        axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(path)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short-stop", type=Path)
    parser.add_argument("--facts", type=int, nargs="*", default=[10_000, 100_000, 1_000_000, 5_000_000])
    parser.add_argument("--recursive", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--plot", type=Path)
    chosen = parser.parse_args()
    curves: dict[str, tuple[list[float], list[int]]] = {}
    cases: list[tuple[Case, int]] = []
    if chosen.short_stop is not None:
        cases += [(short_stop(chosen.short_stop, name), 5) for name in METEOR]
    for count in chosen.facts:
        names = ["WorksFor", "HeadOf", "PublicationAuthor"]
        cases.append((university(f"straight {count:,}", STRAIGHT, "Candidate", names, count, count // 50), 1))
    for count in chosen.recursive:
        names = ["DoctoralDegreeFrom", "UndergraduateDegreeFrom", "TeacherOf"]
        cases.append((university(f"recursive {count:,}", RECURSIVE, "Scientist", names, count, count // 7), 1))
    print(
        "| | facts | answers | stream, s | ms a step | batch, s | most facts kept | × original stream, batch | RSS, MB |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | ---: |")
    for case, repeat in cases:
        arriving = list(steps(case))
        found = streamed(case, arriving)
        assert found.kept is not None
        batch = in_batch(case)
        answers = sum(points(table, batch.scale, case.step) for table in batch.tables.values())
        assert found.answers == answers, f"{case.name}: {found.answers} answers on the stream, {answers} in batch"
        curves[case.name] = [float(until) for until, _ in arriving], found.kept
        stream_s, batch_s = seconds(partial(streamed, case, arriving), repeat), seconds(partial(in_batch, case), repeat)
        theirs = METEOR.get(case.name)
        ratio = f"{theirs[0] / stream_s:.0f}, {theirs[2] / batch_s:.0f}" if theirs else ""
        facts = sum(table.rows for table in case.facts.tables.values())
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        print(
            f"| {case.name} | {facts:,} | {answers:,} | {stream_s:.3f} | {stream_s / len(arriving) * 1e3:.2f} "
            f"| {batch_s:.3f} | {max(found.kept):,} | {ratio} | {memory:,} |",
            flush=True,
        )
    if chosen.plot is not None:
        plot(chosen.plot, curves)


if __name__ == "__main__":
    main()
