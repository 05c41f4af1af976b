"""Small metric programs whose answers can be worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from holdsfor.diagnostics import Source
from holdsfor.frontend.dmtl import parse_metric
from holdsfor.ir.metric import Range
from holdsfor.reference.metric import Endless, NotStratified, evaluate


def answer(text: str, start: int | None = 0, end: int | None = 10) -> dict[str, list[str]]:
    """The maximal intervals of each ground atom whose name begins with P or Q, as text."""
    program = parse_metric([Source("test", text)])
    horizon = None if start is None or end is None else Range(Fraction(start), Fraction(end))
    return {
        f"{predicate}({','.join(str(arg.value) for arg in args)})": [_text(one) for one in during]
        for (predicate, args), during in evaluate(program, (), horizon, rounds=200).items()
        if predicate[0] in "PQ"
    }


def _text(span: Range) -> str:
    low = "-inf" if span.low is None else str(span.low)
    high = "inf" if span.high is None else str(span.high)
    return f"{'(' if span.low_open else '['}{low},{high}{')' if span.high_open else ']'}"


def test_the_paper_s_example() -> None:
    text = """
        Flag(X,Z) :- Monit(X,Z), Boxminus[0,4] Diamondminus[0,2] Signal(Z)
        Boxplus[0,3] Monit(X,Z) :- Flag(Y,Z), Connect(X,Y)
        P(X) :- Monit(X,s)
        Monit(b,s)@[0,6]
        Signal(s)@1
        Signal(s)@3
        Signal(s)@5
        Connect(a,b)@5.5
    """
    assert answer(text) == {"P(a)": ["[11/2,17/2]"], "P(b)": ["[0,6]"]}


def test_recursion_ends_at_the_horizon() -> None:
    assert answer("P(X) :- Diamondminus[0,1] P(X)\nP(a)@3") == {"P(a)": ["[3,10]"]}
    assert answer("P(X) :- Diamondplus[0,1] P(X)\nP(a)@3") == {"P(a)": ["[0,3]"]}


def test_what_lies_past_the_horizon_counts() -> None:
    text = "R(X) :- Diamondminus[1,1] R(X)\nR(a)@0\nP(X) :- Diamondplus[3,4] R(X)"
    assert answer(text, 8, 10) == {"P(a)": ["[8,10]"]}
    assert answer("P(X) :- Diamondminus[3,inf) E(X)\nE(a)@-1000", 8, 10) == {"P(a)": ["[8,10]"]}


def test_recursion_without_a_horizon_may_be_endless() -> None:
    with pytest.raises(Endless):
        answer("P(X) :- Diamondminus[1,1] P(X)\nP(a)@3", None)
    assert answer("P(X) :- Diamondminus[1,1] P(X), E\nP(a)@3\nE@[4,5]", None) == {"P(a)": ["[3,3]", "[4,4]", "[5,5]"]}


def test_recursion_both_ways_is_not_cut() -> None:
    with pytest.raises(Endless):
        answer("P(X) :- Diamondminus[1,1] P(X)\nP(X) :- Diamondplus[1,1] P(X)\nP(a)@3")


def test_infinite_intervals() -> None:
    assert answer("P(X) :- Diamondminus[1,inf) E(X)\nE(a)@(2,3)", None) == {"P(a)": ["(3,inf)"]}
    assert answer("P(X) :- Boxminus[1,inf) E(X)\nE(a)@(-inf,3)", None) == {"P(a)": ["(-inf,4)"]}
    assert answer("P(X) :- E(X), not F(X)\nE(a)@(-inf,inf)\nF(a)@2", None) == {"P(a)": ["(-inf,2)", "(2,inf)"]}


def test_the_left_of_since_need_not_hold_now_or_then() -> None:
    assert answer("P :- L Since[0,5] R\nL@(2,4)\nR@2") == {"P()": ["[2,4]"]}
    assert answer("P :- L Since(0,1] R\nL@3\nR@2") == {}


def test_not_with_a_blank_is_for_no_value() -> None:
    assert answer("P(X) :- E(X), not L(X,_)\nE(a)@[0,4]\nL(a,b)@[1,2]\nL(a,c)@[2,3]") == {"P(a)": ["[0,1)", "(3,4]"]}


def test_aggregates_are_of_distinct_values_at_every_time() -> None:
    facts = "V(a,1)@[0,4]\nV(b,1)@[2,6]\nV(b,5)@3"
    assert answer(f"P(N) :- N = count(X : V(X,_))\n{facts}") == {"P(1)": ["[0,2)", "(4,6]"], "P(2)": ["[2,4]"]}
    assert answer(f"P(N) :- N = sum(M : V(_,M))\n{facts}") == {"P(1)": ["[0,3)", "(3,6]"], "P(6)": ["[3,3]"]}
    assert answer(f"P(N) :- N = sum(M, X : V(X,M))\n{facts}") == {
        "P(1)": ["[0,2)", "(4,6]"],
        "P(2)": ["[2,3)", "(3,4]"],
        "P(7)": ["[3,3]"],
    }
    assert answer(f"P(X,N) :- N = max(M : V(X,M)), N > 1\n{facts}") == {"P(b,5)": ["[3,3]"]}
    assert answer(f"P(N) :- N = min(M : Diamondminus[0,1] V(b,M))\n{facts}") == {"P(1)": ["[2,7]"]}


def test_equations_give_values() -> None:
    assert answer("P(X,K) :- V(X,M), K = 2 * M + 1, X != b\nV(a,1)@0\nV(b,2)@0") == {"P(a,3)": ["[0,0]"]}


def test_only_numbers_are_less_or_greater() -> None:
    assert answer("P(X) :- E(X), X < 5\nE(a)@0\nE(3)@0\nE(7)@0") == {"P(3)": ["[0,0]"]}


def test_negation_must_be_stratified() -> None:
    program = parse_metric([Source("test", "P(X) :- E(X), not Q(X)\nQ(X) :- E(X), not P(X)")])
    with pytest.raises(NotStratified):
        evaluate(program)
