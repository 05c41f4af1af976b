"""Rules whose bodies begin alike, which the core solves together: against the reference, with every report."""

from __future__ import annotations

import random

import pytest

from holdsfor import loads
from holdsfor.diagnostics import Source
from holdsfor.reference import InputInterval, Occurrence, Record, Windows
from holdsfor.syntax.parser import parse
from holdsfor.syntax.terms import Term
from tests.core.families import by_reference, noted
from tests.core.runs import on_core

# One after the other: two that differ in the last condition; three of which rows choose some; one that has less in
# common with those before it; collected lists; starts; a chain in which the first has no more conditions.
RULES = """
initiatedAt(steep(X)=true, T) :- happensAt(seen(X,_L), T), holdsAt(angle(X)=A, T), holdsAt(other(X)=B, T), A - B > 1.
terminatedAt(steep(X)=true, T) :- happensAt(seen(X,_L), T), holdsAt(angle(X)=A, T), holdsAt(other(X)=B, T), A - B =< 1.
initiatedAt(kind(X,A)=low, T) :- happensAt(seen(X,L), T), L < 3, holdsAt(angle(X)=A, T), \\+ holdsAt(other(X)=A, T).
initiatedAt(kind(X,A)=mid, T) :- happensAt(seen(X,L), T), L > 1, holdsAt(angle(X)=A, T), \\+ holdsAt(other(X)=A, T).
initiatedAt(kind(X,A)=B, T) :- happensAt(seen(X,L), T), L > 3, holdsAt(angle(X)=A, T), holdsAt(other(X)=B, T).
terminatedAt(kind(X,_A)=_V, T) :- happensAt(stop(X), T).
initiatedAt(full(X)=true, T) :-
    happensAt(start(steep(X)=true), T), findall(A, holdsAt(kind(X,A)=low, T), Some), length(Some, N), N > 1.
initiatedAt(full(X)=false, T) :-
    happensAt(start(steep(X)=true), T), findall(A, holdsAt(kind(X,A)=low, T), Some), length(Some, N), N =< 1.
happensAt(marked(X,V), T) :- happensAt(end(steep(X)=true), T), holdsAt(kind(X,_A)=V, T).
happensAt(marked(X,B), T) :- happensAt(end(steep(X)=true), T), holdsAt(kind(X,_A)=_V, T), holdsAt(other(X)=B, T).
initiatedAt(found(X)=V, T) :- happensAt(marked(X,V), T), holdsAt(angle(X)=_A, T).
terminatedAt(found(X)=_V, T) :- happensAt(marked(X,V), T), holdsAt(angle(X)=A, T), A > V.
"""


def _term(text: str) -> Term:
    (clause,) = parse(Source("", f"{text}.")).clauses
    assert clause.head is not None
    return clause.head


def _records(chance: random.Random, count: int) -> list[Record]:
    found: list[Record] = []
    for _ in range(count):
        item, time = chance.choice("xy"), chance.randint(0, 60)
        if chance.random() < 0.4:
            fluent = _term(f"{chance.choice(['angle', 'angle', 'other'])}({item})")
            value = _term(chance.choice(["1", "2", "4", "5", "wide"]))
            found.append(InputInterval(fluent, value, time, time + chance.randint(1, 12), time))
        else:
            event = _term(chance.choice([f"seen({item},{chance.randint(0, 5)})", f"seen({item},4)", f"stop({item})"]))
            found.append(Occurrence(event, time, time))
    return found


@pytest.mark.parametrize("windows", [None, Windows(10, 10, 0, 60), Windows(25, 10, 0, 60)])
def test_rules_that_begin_alike_find_and_report_what_the_reference_does(windows: Windows | None) -> None:
    reasoner = loads(RULES)
    all_found, all_reports = 0, 0
    for seed in range(12):
        records = _records(random.Random(seed), 12 if seed % 3 == 0 else 120)
        wanted = by_reference(reasoner, records, windows)
        found = on_core(reasoner, records, windows, 2)
        assert found.intervals == wanted.intervals, seed
        assert found.events == wanted.events, seed
        assert found.conflicts == wanted.conflicts, seed
        assert noted(found.failures) == noted(wanted.failures), seed
        all_found += len(found.intervals) + len(found.events)
        all_reports += len(noted(found.failures))
    assert all_found > 100
    assert all_reports > 3
