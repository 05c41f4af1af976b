"""Programs that the checks of metric rules let pass, and what they know of programs without text."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from holdsfor.compiler.metric.checks import check_metric, streaming_findings
from holdsfor.diagnostics import Source, errors_of
from holdsfor.frontend.dmtl import parse_metric
from holdsfor.ir.metric import Atom, Condition, MetricProgram, MetricRule, Range, Unary, UnaryOperator
from holdsfor.loading import read_source
from holdsfor.syntax.terms import Var
from tests.conformance.dmtl_cases import FOLDERS


def parsed(text: str) -> MetricProgram:
    program = parse_metric([Source("rules.dmtl", text)])
    assert program.diagnostics == ()
    return program


@pytest.mark.parametrize(
    "text",
    [
        "Q(X) :- Near(X,Y) Since[0,2] Ev(X)",
        "Q(X,Y) :- Near(X,Y) Since[0,2] Ev(X), Near(X,Y)",
        "Q(X) :- P(X), not R(X,_)",
        "Q(Z) :- P(X), Z = Y + 1, Y = X * 2",
        "Q(X, N) :- N = count(Y : R(X,Y)), N > 3",
        "Q(X) :- X = 3",
        "Path(X,Y) :- Road(X,Y)\nPath(X,Z) :- Path(X,Y), Road(Y,Z)",
        "Q(X) :- P(X), not R(X)\nR(X) :- S(X)\nS(X) :- P(X), R(X)",
        "C1(X) :- E(X)\nC2(X) :- C1(X)\nC3(X) :- C4(X)",
        "Level2(X) :- Level(X)\nQ(X) :- Warm(X), Warn(X)",
        "Q :- Top",
        "Q100(X) :- P(X), R100(X)",
    ],
)
def test_nothing_to_complain_about(text: str) -> None:
    program = parsed(text)
    assert [item.render() for item in check_metric(program) + streaming_findings(program)] == []


@pytest.mark.parametrize("text", ["Q(X) :- Diamondplus[0] P(X)", "Boxminus[0,0] Q(X) :- P(X)"])
def test_what_looks_no_further_than_now_may_stream(text: str) -> None:
    assert streaming_findings(parsed(text)) == []


def test_programs_built_in_python_have_findings_without_a_place() -> None:
    ahead = Unary(UnaryOperator.DIAMOND_PLUS, Range(Fraction(0), Fraction(1)), Atom("P", (Var("X"),)))
    box = UnaryOperator.BOX_MINUS, Range(Fraction(0), None, high_open=True)
    program = MetricProgram((MetricRule((box,), Atom("Q", (Var("Y"),)), (Condition(ahead),)),))
    assert [item.code for item in check_metric(program)] == ["HF612"]
    assert [item.code for item in streaming_findings(program)] == ["HF621", "HF621"]
    assert all(item.render() for item in check_metric(program) + streaming_findings(program))


def found(folder: Path) -> tuple[set[str], set[str]]:
    """Codes of errors, and of what keeps a program off a stream."""
    program = parse_metric([read_source(folder / "program.dmtl")])
    errors = errors_of((*program.diagnostics, *check_metric(program)))
    return {item.code for item in errors}, {item.code for item in streaming_findings(program)}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_conformance_programs_are_refused_as_they_should(folder: Path) -> None:
    run = json.loads((folder / "run.json").read_text())
    refused, off_stream = found(folder)
    if run["mode"] == "batch":
        assert not refused
    elif run["mode"] == "stream":
        assert (refused, off_stream) == (set(), set())
    elif run["batch_ok"]:
        assert (refused, off_stream) == (set(), {"HF621"})
    else:
        assert refused
