"""Everything may stand in a cycle that a sweep through time can decide: the core against the reference evaluator."""

from __future__ import annotations

import random

import pytest

from holdsfor import loads
from holdsfor.reference import Occurrence, Record, Windows
from holdsfor.syntax.terms import Compound, Const
from tests.core.families import by_reference, noted
from tests.core.runs import on_core

END = "terminatedAt(on(X)=true,T) :- happensAt(stop(X),T).\n"

CYCLES = {
    "findall": """
        initiatedAt(on(X)=true,T) :- happensAt(go(X),T), findall(Y,holdsAt(on(Y)=true,T),L), length(L,N), N < 2.
    """,
    "findall over events and the cycle": """
        initiatedAt(on(X)=true,T) :-
            happensAt(go(X),T), findall(Y,(happensAt(meet(X,Y),T), \\+ holdsAt(on(Y)=true,T)),L), length(L,0).
    """,
    "start of a statically determined fluent": """
        initiatedAt(on(X)=true,T) :- happensAt(go(X),T).
        terminatedAt(on(X)=true,T) :- happensAt(start(both(X)=true),T0), T0 < T, happensAt(go(X),T).
        holdsFor(both(X)=true,I) :- holdsFor(on(X)=true,A), holdsFor(lit=true,B), intersect_all([A,B],I).
        initiatedAt(lit=true,T) :- happensAt(meet(_,_),T), \\+ holdsAt(both(a)=true,T).
        terminatedAt(lit=true,T) :- happensAt(stop(X),T), happensAt(end(both(X)=true),T0), T0 < T.
    """,
    "end of a statically determined fluent": """
        initiatedAt(on(X)=true,T) :- happensAt(go(X),T), \\+ holdsAt(some=true,T).
        initiatedAt(on(b)=true,T) :- happensAt(end(some=true),T0), happensAt(meet(_,_),T), T0 < T, T - T0 < 5.
        holdsFor(some=true,I) :- holdsFor(on(a)=true,A), holdsFor(on(c)=true,B), union_all([A,B],I).
    """,
    "look-back at events": """
        initiatedAt(on(X)=true,T) :- happensAt(go(X),T), happensAt(stop(Y),T0), T0 < T, T - T0 < 4, \\+ holdsAt(on(Y)=true,T).
        initiatedAt(on(X)=true,T) :- happensAt(meet(X,_),T).
    """,
    "look-back at the cycle": """
        initiatedAt(on(X)=true,T) :- happensAt(go(X),T).
        initiatedAt(on(X)=true,T) :- happensAt(meet(X,Y),T), holdsAt(on(Y)=true,T0), T0 is T - 2.
        initiatedAt(on(X)=true,T) :- happensAt(meet(Y,X),T), initiatedAt(on(Y)=true,T0), T0 < T, T - T0 < 6.
    """,
    "several holdsFor rules": """
        initiatedAt(on(X)=true,T) :- happensAt(go(X),T), \\+ holdsAt(s(X)=true,T).
        initiatedAt(lit(X)=true,T) :- happensAt(meet(X,_),T), \\+ holdsAt(s(X)=true,T).
        terminatedAt(lit(X)=true,T) :- happensAt(meet(_,X),T).
        holdsFor(s(X)=true,I) :- holdsFor(on(X)=true,I1), holdsFor(lit(X)=true,I2), intersect_all([I1,I2],I).
        holdsFor(s(X)=true,I) :- holdsFor(lit(X)=true,I).
    """,
    "a union over different variables": """
        initiatedAt(on(X)=true,T) :- happensAt(go(X),T), \\+ holdsAt(s(X,c)=true,T).
        initiatedAt(lit(X)=true,T) :- happensAt(meet(X,_),T), \\+ holdsAt(s(a,X)=true,T).
        terminatedAt(lit(X)=true,T) :- happensAt(meet(_,X),T).
        holdsFor(s(X,Y)=true,I) :- holdsFor(on(X)=true,I1), holdsFor(lit(Y)=true,I2), union_all([I1,I2],I).
    """,
    "terminations for all instances": """
        initiatedAt(on(X)=true,T) :- happensAt(go(X),T), \\+ (terminatedAt(lit(X)=true,T0), T0 < T, T - T0 < 5).
        initiatedAt(lit(X)=true,T) :- happensAt(meet(X,_),T).
        terminatedAt(lit(_)=true,T) :- happensAt(stop(X),T), holdsAt(on(X)=true,T).
    """,
    "values that grow": """
        initiatedAt(on(X)=true,T) :- happensAt(go(X),T).
        initially(n(a)=0).
        initiatedAt(n(X)=M,T) :- happensAt(go(X),T), holdsAt(n(X)=N,T), M is N + 1.
        initiatedAt(n(X)=[T|L],T) :- happensAt(meet(X,Y),T), holdsAt(n(Y)=L,T).
        initiatedAt(n(X)=0,T) :- happensAt(stop(X),T), \\+ holdsAt(n(X)=0,T).
        initiatedAt(seen(N)=true,T) :- happensAt(meet(_,_),T), holdsAt(n(_)=N,T).
        initiatedAt(on(X)=true,T) :- happensAt(meet(X,_),T), holdsAt(n(X)=N,T), holdsAt(seen(N)=true,T).
    """,
}


def _records(seed: int) -> list[Record]:
    chance = random.Random(seed)
    found: list[Record] = []
    for _ in range(chance.randint(4, 24)):
        name, arity = chance.choice((("go", 1), ("stop", 1), ("meet", 2)))
        time = chance.randint(0, 20)
        term = Compound(name, tuple(Const(chance.choice("abc")) for _ in range(arity)))
        found.append(Occurrence(term, time, time + chance.choice((0, 0, 0, 3))))
    return found


@pytest.mark.parametrize("name", CYCLES)
def test_in_a_cycle(name: str) -> None:
    reasoner = loads(CYCLES[name] + END)
    shown = 0
    for seed in range(40):
        records = _records(seed)
        for windows in (None, Windows(8, 3, 0, 24)):
            wanted = by_reference(reasoner, records, windows)
            found = on_core(reasoner, records, windows, 2)
            assert found.intervals == wanted.intervals, records
            assert noted(found.failures) == noted(wanted.failures)
            shown += bool(wanted.intervals)
    assert shown > 40
