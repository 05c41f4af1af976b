"""Metric rules from text."""

from __future__ import annotations

from fractions import Fraction

import pytest

from holdsfor.diagnostics import Source
from holdsfor.frontend.dmtl import metric_text, parse_metric
from holdsfor.ir import metric
from holdsfor.ir.metric import MetricFact, MetricProgram, MetricRule
from holdsfor.syntax.terms import Const


def program(text: str) -> MetricProgram:
    found = parse_metric([Source("rules.dmtl", text)])
    assert [item.render() for item in found.diagnostics] == []
    return found


def rule(text: str) -> MetricRule:
    (found,) = program(text).rules
    return found


def fact(text: str) -> MetricFact:
    (found,) = program(text).facts
    return found


def codes(text: str) -> list[tuple[int, str]]:
    return [(item.span.line, item.code) for item in parse_metric([Source("rules.dmtl", text)]).diagnostics]


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("<->[0,2]P(X)", "Diamondminus[0,2] P(X)"),
        ("<+>(0,2)P(X)", "Diamondplus(0,2) P(X)"),
        ("[-] [0,2] P(X)", "Boxminus[0,2] P(X)"),
        ("[+][1] P(X)", "Boxplus[1] P(X)"),
        ("SOMETIME[-2,-1] P(X)", "Diamondminus[1,2] P(X)"),
        ("SOMETIME(-2,0] P(X)", "Diamondminus[0,2) P(X)"),
        ("SOMETIME[1,2) P(X)", "Diamondplus[1,2) P(X)"),
        ("ALWAYS(-inf,-1) P(X)", "Boxminus(1,inf) P(X)"),
        ("ALWAYS[0,+inf) P(X)", "Boxplus[0,inf) P(X)"),
        ("Boxminus[0.50,4/6] P(X)", "Boxminus[0.5,2/3] P(X)"),
        ("Boxminus[0,4] Diamondminus[0,2] P(X)", "Boxminus[0,4] Diamondminus[0,2] P(X)"),
        ("P(X) Since[1,2] Diamondminus[3] Q(X)", "P(X) Since[1,2] Diamondminus[3] Q(X)"),
        ("(P(X) Until[1] Q(X)) Since[0,1) R(X)", "(P(X) Until[1] Q(X)) Since[0,1) R(X)"),
        ("not P(X) Since[1] Q(X)", "not (P(X) Since[1] Q(X))"),
        ("Top", "Top"),
        ("ub:Person( X , 'New York',\"it's\" )", "ub:Person(X,'New York','it\\'s')"),
        ("P(http://a.b/c#d, 2020-01-02, x%y)", "P(http://a.b/c#d,2020-01-02,x%y)"),
        ("Größe", "Größe"),
        ("X<Y+1", "X < Y + 1"),
        ("(X - 1) - (Y - 2) * -Z != 2.50", "X - 1 - (Y - 2) * -(Z) != 2.5"),
        ("X = 'Y'", "X = 'Y'"),
        ("N = sum( V,K:Diamondminus[0,1] P(V,K) )", "N = sum(V, K : Diamondminus[0,1] P(V,K))"),
    ],
)
def test_conditions(written: str, canonical: str) -> None:
    assert metric_text(rule(f"Q :- {written}").body[0]) == canonical


@pytest.mark.parametrize(
    ("written", "value"),
    [("7", 7), ("-7", -7), ("007", "007"), ("1.5", 1.5), ("1.50", "1.50"), ("1.0", 1), ("'7'", "7"), ("-0", "-0")]
    + [
        ("123456789012345", 123456789012345),
        ("1234567890123456", 1234567890123456),
        ("1.0e+17", 1e17),
        ("1e5", "1e5"),
        ("inf", "inf"),
    ],
)
def test_which_constants_are_numbers(written: str, value: object) -> None:
    assert fact(f"P({written})@0").args[0].value == value


@pytest.mark.parametrize(
    ("written", "during"),
    [
        ("3", metric.Range(Fraction(3), Fraction(3))),
        ("-1/3", metric.Range(Fraction(-1, 3), Fraction(-1, 3))),
        ("[ 1 , 2 )", metric.Range(Fraction(1), Fraction(2), high_open=True)),
        ("(-inf,4]", metric.Range(None, Fraction(4), low_open=True)),
        ("(-inf,inf)", metric.Range(None, None, low_open=True, high_open=True)),
        (".5", metric.Range(Fraction(1, 2), Fraction(1, 2))),
    ],
)
def test_times_of_facts(written: str, during: metric.Range) -> None:
    assert fact(f"P(a) @ {written}").during == during


@pytest.mark.parametrize(
    "text",
    [
        "A :- B\nC :- D",
        "A :- B.\nC :- D.",
        "A :- B. C :- D.",
        "A\n:- B\n\n# why\nC :-\nD",
        "A :- B # .\n C :- D % ,",
        "A :-\n    # why\n    B\n\nC :- D",
    ],
)
def test_where_rules_end(text: str) -> None:
    assert program(text).rules == (rule("A :- B"), rule("C :- D"))


@pytest.mark.parametrize(
    "text",
    ["A :- B(X),\nX < 3.", "A :- B(X)\n  , X < 3", "A :- B(\n X\n), X\n< 3.", "A :- B(X), X < 3.0."],
)
def test_rules_over_several_lines(text: str) -> None:
    assert program(text).rules == (rule("A :- B(X), X < 3"),)


def test_a_full_stop_after_a_number_ends_the_fact() -> None:
    assert [item.during.low for item in program("P@3.\nP@3.5.\nP@1/3. P@4").facts] == [
        Fraction(3),
        Fraction(7, 2),
        Fraction(1, 3),
        Fraction(4),
    ]


def test_parts_of_a_rule() -> None:
    found = rule("Boxplus[1,2] Boxminus[0,1) Q(X,n) :- A(X) Since[0,2] B(_), not C(X), N = count(Y : D(X,Y)), N > 3")
    assert [str(operator) for operator, _ in found.boxes] == ["Boxplus", "Boxminus"]
    assert found.head == metric.Atom("Q", (found.head.args[0], Const("n")))
    since, negation, aggregate, comparison = found.body
    assert (
        isinstance(since, metric.Condition)
        and isinstance(since.atom, metric.Binary)
        and since.span.text == "A(X) Since[0,2] B(_)"
    )
    assert isinstance(negation, metric.Condition) and negation.negated and negation.span.text == "not C(X)"
    assert isinstance(aggregate, metric.Aggregate) and aggregate.terms[0].name == "Y"
    assert isinstance(comparison, metric.Comparison) and comparison.span.text == "N > 3"


def test_each_anonymous_variable_is_another_one() -> None:
    (condition,) = rule("Q :- P(_,_)").body
    assert isinstance(condition, metric.Condition) and isinstance(condition.atom, metric.Atom)
    first, second = condition.atom.args
    assert first != second


def test_spans_of_operators() -> None:
    (condition,) = rule("Q(X) :- Diamondminus[0,2] P(X)").body
    assert isinstance(condition, metric.Condition) and isinstance(condition.atom, metric.Unary)
    assert condition.atom.range.span.text == "[0,2]"
    assert condition.atom.operand.span.text == "P(X)"


def test_all_errors_are_reported_and_the_other_rules_are_kept() -> None:
    text = "A(X) :- B(X\nB(X) :- C(X) D(X)\n\nC(X) :- D(X),\n    || E(X),\n    F(X)\nD(X) :- F(X)\nE(X)@3\nF(x)@2"
    assert codes(text) == [(1, "HF004"), (2, "HF001"), (5, "HF604"), (8, "HF605")]
    found = parse_metric([Source("", text)])
    assert metric_text(found) == "D(X) :- F(X)\nF(x)@2\n"


def test_reading_depth_is_limited() -> None:
    assert codes("Q :- " + "Boxminus[0,1] " * 200 + "P") == [(1, "HF005")]
    assert codes("Q :- " + "(" * 200 + "P" + ")" * 200) == [(1, "HF005")]
    assert codes("Q :- P(X), X < " + "(" * 200 + "1" + ")" * 200) == [(1, "HF005")]


def test_sources_are_one_program() -> None:
    found = parse_metric([Source("a", "A :- B"), Source("b", "B@1\nC :-")])
    assert (len(found.rules), len(found.facts)) == (1, 1)
    assert [item.span.source.name for item in found.diagnostics] == ["b"]


def test_an_empty_source_and_a_byte_order_mark() -> None:
    assert program("\ufeff") == MetricProgram(())
    assert program("\ufeffA :- B") == program("A :- B")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.1E10", 11 * 10**9),
        ("1E3", 1000),
        ("1.5e3", 1500),
        ("25e-2", Fraction(1, 4)),
        ("-2E+1", -20),
        ("1e60", 10**60),
    ],
)
def test_times_may_have_an_exponent(text: str, value: Fraction | int) -> None:
    (fact,) = parse_metric([Source("facts", f"P(a)@{text}")]).facts
    assert fact.during.low == value


@pytest.mark.parametrize("text", ["1e61", "1e-61", "1e999999999999", "1/2e3", "e3", "1e", "1e3.5"])
def test_numbers_that_are_none(text: str) -> None:
    (finding,) = parse_metric([Source("facts", f"P(a)@{text}")]).diagnostics
    assert finding.code == "HF602"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("A UNTIL[-2,-1) B", "A Since(1,2] B"),
        ("A UNTIL[1,2) B", "A Until[1,2) B"),
        ("A UNTIL(-inf,-1] B", "A Since[1,inf) B"),
        ("A UNTIL[-3] B", "A Since[3] B"),
        ("A UNTIL[0,inf) B", "A Until[0,inf) B"),
    ],
)
def test_until_in_capital_letters_goes_by_the_sign(written: str, meant: str) -> None:
    first, second = (parse_metric([Source("rules", f"P :- {text}")]) for text in (written, meant))
    assert first.rules == second.rules
    assert first.rules
