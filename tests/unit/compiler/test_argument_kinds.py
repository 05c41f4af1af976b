"""Which values arguments can have: what the columns of the input and the rules say."""

from __future__ import annotations

import pytest

from holdsfor import loads, loads_metric
from holdsfor.compiler.analysis.argument_kinds import (
    ANY,
    NUMBER,
    TEXT,
    VALUE,
    WHOLE,
    Kinds,
    Place,
    ValueKind,
    argument_kinds,
    metric_argument_kinds,
)

RULES = """
initiatedAt(cart(U)=N, T) :- happensAt(adds(U,P,N), T).
terminatedAt(cart(U)=_, T) :- happensAt(gone(U), T).
fi(cart(U)=N, late(U)=N, 5).
initiatedAt(late(U)=N, T) :- happensAt(never(U,N), T).
initiatedAt(sized(M)=true, T) :- happensAt(adds(_,_,N), T), M is N * 2 + 1.
initiatedAt(mean(M)=true, T) :- happensAt(adds(_,_,N), T), M is N / 2.
initiatedAt(circle(M)=true, T) :- happensAt(adds(_,_,N), T), M is N * pi.
initiatedAt(priced(P)=true, T) :- happensAt(adds(_,P,_), T).
initiatedAt(tier(L)=true, T) :- happensAt(adds(U,_,_), T), level(U, L).
initiatedAt(pair(X)=true, T) :- happensAt(adds(X,_,_), T).
initiatedAt(pair(X)=true, T) :- happensAt(says(X), T).
initiatedAt(both(X)=true, T) :- happensAt(adds(X,_,_), T), happensAt(any(X), T).
initiatedAt(either(X)=true, T) :- happensAt(adds(A,B,C), T), (X = A ; X = C).
initiatedAt(at(T)=true, T) :- happensAt(says(_), T).
initiatedAt(placed(pos(X,1))=true, T) :- happensAt(says(X), T).
initiatedAt(found(X)=true, T) :- happensAt(any(X), T).
happensAt(counted(U, N), T) :- happensAt(says(U), T), findall(X, happensAt(any(X), T), L), length(L, N).
holdsFor(busy(U)=true, I) :- holdsFor(cart(U)=3, I1), holdsFor(late(U)=2, I2), union_all([I1,I2], I).
holdsFor(chain(U)=true, I) :- holdsFor(busy(U)=true, I).
level(1, gold).
level(2, X) :- other(X).
other(2.5).
"""
INPUTS: dict[Place, Kinds] = {
    ("adds", 3, 0): WHOLE,
    ("adds", 3, 1): NUMBER,
    ("adds", 3, 2): WHOLE,
    ("gone", 1, 0): TEXT,
    ("says", 1, 0): TEXT,
    ("any", 1, 0): ANY,
}


@pytest.mark.parametrize(
    ("name", "place", "expected"),
    [
        ("cart", 0, WHOLE),
        ("cart", VALUE, WHOLE),
        ("late", 0, ANY),
        ("sized", 0, WHOLE),
        ("mean", 0, NUMBER),
        ("circle", 0, NUMBER),
        ("priced", 0, NUMBER),
        ("tier", 0, TEXT | NUMBER),
        ("pair", 0, WHOLE | TEXT),
        ("both", 0, WHOLE),
        ("either", 0, WHOLE),
        ("at", 0, WHOLE),
        ("placed", 0, frozenset({ValueKind.TERM})),
        ("found", 0, ANY),
        ("busy", 0, WHOLE),
        ("chain", 0, WHOLE),
    ],
)
def test_fluents(name: str, place: int, expected: Kinds) -> None:
    assert argument_kinds(loads(RULES).analysis.written, INPUTS)[name, 1, place] == expected


def test_events() -> None:
    found = argument_kinds(loads(RULES).analysis.written, INPUTS)
    assert [found["counted", 2, place] for place in (0, 1)] == [TEXT, WHOLE]


def test_metric_predicates() -> None:
    rules = """
    Hot(X) :- Boxminus[0,2] High(X)
    Hot(zone) :- High(_)
    Lasting(X,Y) :- High(X) Since[0,2] Low(Y), Low(X)
    Far(X) :- Hot(X), not Low(X)
    """
    kinds = metric_argument_kinds(loads_metric(rules).program, {("High", 1, 0): WHOLE, ("Low", 1, 0): TEXT})
    assert kinds["Hot", 1, 0] == WHOLE | TEXT
    assert kinds["Lasting", 2, 0] == TEXT
    assert kinds["Lasting", 2, 1] == TEXT
    assert kinds["Far", 1, 0] == WHOLE | TEXT
