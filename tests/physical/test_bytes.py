"""Plans as bytes: they come back as they were, and wrong bytes are refused."""

from __future__ import annotations

import random

import pytest

from holdsfor.loading import loads
from holdsfor.physical.encode import fingerprint, from_bytes, to_bytes
from holdsfor.physical.lower import lower
from tests.physical.families import FAMILIES, scenarios

RULES = """
% A comment.
initiatedAt(f(X)=true, T) :- happensAt(on(X), T), X \\= a, T > 3.
terminatedAt(f(X)=true, T) :- happensAt(off(X), T), holdsAt(g(X)=true, T).
initiatedAt(g(X)=true, T) :- happensAt(off(X), T), near(X, Y), happensAt(on(Y), T0), T0 < T, T - T0 < 9.
holdsFor(h(X)=true, I) :- holdsFor(f(X)=true, A), holdsFor(g(X)=true, B), union_all([A, B], I).
near(a, b).
near(X, Y) :- next(Y, X), odd(X).
next(b, c).
odd(b).
"""

SAME = {
    "comments": RULES.replace("% A comment.", "% Another\n\n%one."),
    "layout": RULES.replace(", ", ",\n    "),
    "variables": RULES.replace("X", "Ship").replace("(A", "(First").replace("[A", "[First").replace(" A)", " First)"),
}
OTHER = {
    "a number": RULES.replace("T > 3", "T > 4"),
    "a comparison": RULES.replace("T > 3", "T >= 3"),
    "a distance": RULES.replace("T - T0 < 9", "T - T0 =< 9"),
    "a name": RULES.replace("h(X)", "k(X)"),
    "an operator": RULES.replace("union_all", "intersect_all"),
    "a fact": RULES.replace("near(a, b)", "near(a, c)"),
    "a fact behind a rule": RULES.replace("next(b, c)", "next(b, d)"),
    "a background rule": RULES.replace("next(Y, X), odd(X)", "next(X, Y), odd(X)"),
    "a rule less": RULES.replace("terminatedAt(f(X)=true, T) :- happensAt(off(X), T), holdsAt(g(X)=true, T).\n", ""),
    "another variable": RULES.replace("X \\= a, T > 3", "X \\= a, T > T"),
}


def _fingerprint(text: str) -> bytes:
    return fingerprint(lower(loads(text).plan).plan)


@pytest.mark.parametrize("family", FAMILIES)
def test_comes_back_as_it_was(family: str) -> None:
    for one in scenarios(family, range(500, 520)):
        plan = lower(one.reasoner.plan).plan
        data = to_bytes(plan)
        found = from_bytes(data)
        assert found == plan
        assert to_bytes(found) == data


@pytest.mark.parametrize("what", SAME)
def test_the_fingerprint_is_that_of_the_meaning(what: str) -> None:
    assert _fingerprint(SAME[what]) == _fingerprint(RULES)


@pytest.mark.parametrize("what", OTHER)
def test_another_meaning_has_another_fingerprint(what: str) -> None:
    assert _fingerprint(OTHER[what]) != _fingerprint(RULES)


def test_wrong_bytes_are_refused() -> None:
    data = to_bytes(lower(loads(RULES).plan).plan)
    chance = random.Random(7)
    for _ in range(300):
        changed = bytearray(data)
        for _ in range(chance.randint(1, 3)):
            changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
        cut = bytes(changed[: chance.choice((len(changed), chance.randrange(len(changed))))])
        try:
            plan = from_bytes(cut)
        except ValueError:
            continue
        # What is for reading only may differ.
        assert fingerprint(plan) == data[8:40] or cut[8:40] == fingerprint(plan)
