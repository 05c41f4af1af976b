"""The DatalogMTL conformance cases: programs, facts and right answers, in a form that any evaluator can be run on."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

from holdsfor.diagnostics import Severity, Source
from holdsfor.frontend.dmtl import parse_metric
from holdsfor.ir.metric import MetricFact, MetricProgram, Range
from holdsfor.reference.metric import Materialisation, evaluate
from holdsfor.syntax.terms import Const

ROOT = Path(__file__).parent / "datalogmtl"
DELAYED = frozenset({"03-since-own-variables"})
"""Cases without operators that look ahead, whose answers come later on a stream all the same."""
ENDLESS = frozenset({"01-forever-then-back"})
"""Cases in which what goes on for ever is read the other way: the reference finds no period."""
FOLDERS = [
    folder for kind in ("cases", "extensions", "reject", "2026-11") for folder in sorted(ROOT.glob(f"{kind}/*/"))
]

Row: TypeAlias = tuple[str, str, Fraction, bool, Fraction, bool]
"""Predicate, arguments joined by `|`, start, whether it is included, end, whether it is included."""
Answer: TypeAlias = tuple[str, str, Fraction]
"""Predicate, arguments, and a time at which it holds."""
Evaluator: TypeAlias = Callable[
    [MetricProgram, tuple[MetricFact, ...], Fraction, Fraction, Fraction | None], Iterable[Row]
]
"""Program, facts, start, end and step (None: in one go) to the rows of every head predicate."""


@dataclass(frozen=True)
class Case:
    """One case with its expected answers; `rows` is None where the program means nothing."""

    name: str
    mode: str
    program: str
    facts: str
    query: str
    start: Fraction
    end: Fraction
    step: Fraction | None
    alt_steps: tuple[Fraction, ...]
    times: tuple[Fraction, ...]
    rows: frozenset[Row] | None
    answers: frozenset[Answer] | None

    def parsed(self) -> tuple[MetricProgram, tuple[MetricFact, ...]]:
        """The program and the facts; findings of the front end are errors here."""
        program = parse_metric([Source("program.dmtl", self.program)])
        facts = parse_metric([Source("facts.txt", self.facts)])
        errors = [found for found in (*program.diagnostics, *facts.diagnostics) if found.severity is Severity.ERROR]
        assert not errors, errors
        return program, facts.facts


def _folder_case(folder: Path) -> Case:
    run: dict[str, Any] = json.loads((folder / "run.json").read_text())
    expected, answers = folder / "expected.csv", folder / "answers.csv"
    return Case(
        folder.name,
        run["mode"],
        (folder / "program.dmtl").read_text(),
        (folder / "facts.txt").read_text(),
        run["query"],
        Fraction(run["horizon"][0]),
        Fraction(run["horizon"][1]),
        Fraction(run["step"]) if "step" in run else None,
        tuple(map(Fraction, run.get("alt_steps", ()))),
        tuple(map(Fraction, run.get("times", ()))),
        frozenset(_row(*row.values()) for row in _csv(expected)) if expected.exists() else None,
        frozenset((row["predicate"], row["args"], Fraction(row["t"])) for row in _csv(answers))
        if answers.exists()
        else None,
    )


def _random_case(line: str) -> Case:
    run: dict[str, Any] = json.loads(line)
    return Case(
        run["id"],
        "stream",
        "\n".join(run["program"]),
        "\n".join(run["facts"]),
        run["query"],
        Fraction(run["horizon"][0]),
        Fraction(run["horizon"][1]),
        Fraction(run["step"]),
        (),
        tuple(map(Fraction, run["times"])),
        frozenset(_row(*row) for row in run["expected"]),
        frozenset((predicate, args, Fraction(time)) for predicate, args, time in run["answers"]),
    )


def _csv(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def _row(predicate: str, args: str, start: str, closed: str | bool, end: str, end_closed: str | bool) -> Row:
    return predicate, args, Fraction(start), closed in (True, "true"), Fraction(end), end_closed in (True, "true")


CASES = [_folder_case(folder) for folder in FOLDERS]
RANDOM_CASES = [_random_case(line) for line in (ROOT / "random" / "random_cases.jsonl").read_text().splitlines()]
ANSWERED = [case for case in CASES if case.rows is not None]
"""Cases that can be run, those that have to be refused on a stream included."""
ENDING = [case for case in ANSWERED if case.name not in ENDLESS]
STREAMED = [case for case in ANSWERED if case.mode == "stream"]
REFUSED = [case for case in CASES if case.mode == "reject"]


def on_reference(
    program: MetricProgram,
    facts: tuple[MetricFact, ...],
    start: Fraction,
    end: Fraction,
    step: Fraction | None = None,
) -> list[Row]:
    """The reference evaluator as an evaluator of cases."""
    heads = {rule.head.predicate for rule in program.rules}
    found = evaluate(program, facts, Range(start, end))
    return rows_of({atom: during for atom, during in found.items() if atom[0] in heads})


def rows_of(found: Materialisation) -> list[Row]:
    """Bounded intervals as rows."""
    rows: list[Row] = []
    for (predicate, args), ranges in found.items():
        for during in ranges:
            assert during.low is not None and during.high is not None
            rows.append((predicate, joined(args), during.low, not during.low_open, during.high, not during.high_open))
    return rows


def joined(args: tuple[Const, ...]) -> str:
    """Arguments as expected tables write them."""
    return "|".join(str(arg.value) for arg in args)


def answers_in(rows: Iterable[Row], query: str, times: Iterable[Fraction]) -> frozenset[Answer]:
    """The query's answers at given times."""
    return frozenset(
        (predicate, args, time)
        for predicate, args, start, start_closed, end, end_closed in rows
        if predicate == query
        for time in times
        if time in Range(start, end, not start_closed, not end_closed)
    )


def check(case: Case, evaluator: Evaluator, *, step: Fraction | None = None) -> None:
    """Compare what an evaluator finds with what is right."""
    program, facts = case.parsed()
    rows = list(evaluator(program, facts, case.start, case.end, step))
    assert len(rows) == len(set(rows))
    assert set(rows) == case.rows
    if case.answers is not None:
        assert answers_in(rows, case.query, case.times) == case.answers
