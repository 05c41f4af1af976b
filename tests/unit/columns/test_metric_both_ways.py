"""Recursion that looks both ways in time: it may drift one way on the whole, or come to an end by itself."""

from __future__ import annotations

from fractions import Fraction

from holdsfor import loads_metric

# What looks one unit ahead comes back by one unit, and goes on by a third.
FORWARD = """
A(X) :- Diamondplus[1] B(X)
B(X) :- Diamondminus[1] A(X)
A(X) :- Diamondminus[1/3] B(X)
B(a)@0
"""
BACKWARD = FORWARD.replace("Diamondminus[1/3]", "Diamondplus[7/3]")


def starts(rules: str, predicate: str, start: int, end: int) -> list[Fraction | None]:
    return [row.start for row in loads_metric(rules).materialise(start=start, end=end)[predicate]]


def test_drifting_forward() -> None:
    assert starts(FORWARD, "B", 0, 4) == [Fraction(4 * n, 3) for n in range(4)]
    assert starts(FORWARD, "A", -1, 3) == [Fraction(4 * n, 3) - 1 for n in range(4)]


def test_drifting_backward() -> None:
    assert starts(BACKWARD, "B", -4, 0) == [Fraction(4 * n, 3) for n in range(-3, 1)]


def test_a_drift_without_an_end_repeats() -> None:
    found = loads_metric(FORWARD).materialise()
    assert {(one.row.predicate, one.period) for one in found.repeating} == {
        ("A", Fraction(4, 3)),
        ("B", Fraction(4, 3)),
    }
    assert [row.start for row in found.between(4000, 4004)["B"]] == [Fraction(4 * n, 3) for n in range(3000, 3004)]


def test_what_comes_back_to_where_it_was() -> None:
    rules = "P :- Diamondplus[1] Q\nQ :- Diamondminus[1] P\nQ@5\n"
    found = loads_metric(rules).materialise()
    assert [(row.predicate, row.start) for row in found] == [("P", Fraction(4)), ("Q", Fraction(5))]


def test_both_ways_without_end() -> None:
    rules = "P :- Diamondplus[1] P\nP :- Diamondminus[1] P\nP@0\n"
    reasoner = loads_metric(rules)
    assert [row.start for row in reasoner.materialise(start=0, end=3)] == [0, 1, 2, 3]
    found = reasoner.materialise()
    assert {one.period for one in found.repeating} == {1, -1}
    assert [row.start for row in found.between(-2, 1)] == [-2, -1, 0, 1]
    assert len(found.holds_at(10**9)) == len(found.holds_at(-(10**9))) == 1


def test_a_delay_that_is_finer_than_what_the_delayed_rules_say() -> None:
    rules = "Boxplus[0.5,1.5] P(X) :- Diamondminus[0,1] Diamondplus[0,1] E(X)\nE(a)@0\n"
    found = loads_metric(rules).materialise(start=0, end=6, step=1, delay="inf")
    assert [(row.start, row.end) for row in found["P"]] == [(Fraction(0), Fraction(5, 2))]
