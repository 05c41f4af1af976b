"""A duration filter whose limit has no value fails, so that the next rule of the pair is used."""

from __future__ import annotations

import pytest

from holdsfor import loads

RULES = """
initiatedAt(a(X)=true,T) :- happensAt(on(X),T).
terminatedAt(a(X)=true,T) :- happensAt(off(X),T).
limit(x,0). limit(y,2).
holdsFor(b(X)=true,I) :- holdsFor(a(X)=true,I1), limit(X,N), {condition}.
holdsFor(b(X)=true,I) :- holdsFor(a(X)=true,I).
"""
EVENTS = {"on": [(1, "x"), (1, "y"), (5, "y")], "off": [(3, "x"), (3, "y"), (20, "y")]}


@pytest.mark.parametrize("condition", ["intDurGreater(I1,8/N,I)", "D is 8/N, intDurGreater(I1,D,I)"])
def test_a_limit_without_a_value(condition: str) -> None:
    found = loads(RULES.format(condition=condition)).recognise(EVENTS)
    assert {(row.fluent, row.start, row.end) for row in found if row.fluent[0] == "b"} == {
        ("b(x)", 2, 4),
        ("b(y)", 6, 21),
    }
    assert [one.rows for one in found.summary.without_value] == [1]
