"""Fluents whose pairs are known beforehand, as bits: against the reference, whatever happens at one time-point."""

from __future__ import annotations

import random

import pytest

from holdsfor import Result, loads
from holdsfor.diagnostics import Source
from holdsfor.reference import Occurrence, Record, Windows
from holdsfor.syntax.parser import parse
from tests.core.families import by_reference
from tests.core.runs import on_core

RULES = """
initiatedAt(mode(X)=low, T) :- happensAt(level(X,L), T), L < 3.
initiatedAt(mode(X)=high, T) :- happensAt(level(X,L), T), L > 2.
terminatedAt(mode(X)=_Any, T) :- happensAt(stop(X), T).
initiatedAt(in(X,Kind)=true, T) :- happensAt(enter(X,Place), T), kind(Place,Kind).
terminatedAt(in(X,Kind)=true, T) :- happensAt(leave(X,Place), T), kind(Place,Kind).
terminatedAt(in(X,_Kind)=true, T) :- happensAt(stop(X), T).
initiatedAt(alarm(X)=true, T) :- happensAt(level(X,L), T), L > 4, holdsAt(in(X,port)=true, T).
initiatedAt(alarm(X)=other, T) :- happensAt(enter(X,_Place), T), \\+ holdsAt(mode(X)=_Any, T).
terminatedAt(alarm(X)=true, T) :- happensAt(level(X,L), T), L < 1, holdsAt(mode(X)=_Any, T).
terminatedAt(alarm(X)=other, T) :- happensAt(end(mode(X)=low), T).
initiatedAt(busy(X)=true, T) :- happensAt(enter(X,_Place), T), holdsAt(mode(X)=high, T).
terminatedAt(busy(X)=true, T) :- happensAt(leave(X,_Place), T).
fi(busy(X)=true, busy(X)=false, 4).
initiatedAt(tired(X)=true, T) :- happensAt(stop(X), T), holdsAt(busy(X)=false, T).
terminatedAt(tired(X)=true, T) :- happensAt(level(X,_L), T), \\+ holdsAt(busy(X)=true, T).
kind(a, port). kind(b, port). kind(b, sea). kind(c, sea).
"""
POSTPONED = "p(busy(_X)=true).\n"
INITIALLY = "initially(in(x,lake)=true).\ninitially(mode(y)=odd).\ninitially(mode(x)=low).\n"
DECLARED = "grounding(mode(X)=low) :- item(X).\ngrounding(alarm(X)=V) :- item(X), valid(V).\nitem(x). valid(true).\n"


def _records(chance: random.Random, count: int) -> list[Record]:
    found: list[Record] = []
    for _ in range(count):
        item, place, level = chance.choice("xyz"), chance.choice("abcd"), chance.randint(0, 6)
        text = chance.choice(
            (f"level({item},{level})", f"stop({item})", f"enter({item},{place})", f"leave({item},{place})")
        )
        (clause,) = parse(Source("", f"{text}.")).clauses
        assert clause.head is not None
        time = chance.randint(0, 60)
        found.append(Occurrence(clause.head, time, time))
    return found


@pytest.mark.parametrize("more", ["", POSTPONED, INITIALLY, DECLARED, POSTPONED + INITIALLY + DECLARED])
@pytest.mark.parametrize("windows", [None, Windows(10, 10, 0, 60), Windows(25, 10, 0, 60)])
def test_bits_are_what_the_reference_says(more: str, windows: Windows | None) -> None:
    reasoner = loads(RULES + more)
    for seed in range(12):
        records = _records(random.Random(seed), 8 if seed % 3 == 0 else 90)
        wanted = by_reference(reasoner, records, windows)
        found = on_core(reasoner, records, windows, 2)
        assert found.intervals == wanted.intervals, seed
        assert found.events == wanted.events, seed


def test_what_earlier_rules_began_ends_as_rules_say() -> None:
    """A pair that holds, although no rule begins it any more, has no bit: the key is evaluated without bits."""
    rules = """
    initiatedAt(in(X,port)=true, T) :- happensAt(enter(X), T).
    terminatedAt(in(X,_Kind)=true, T) :- happensAt(stop(X), T).
    """
    session = loads(rules).session(window=5)
    session.push({"enter": [(1, "x")]})
    session.query(3)
    assert _shown(session.query(10)) == [("in(x,port)", 2, None)]
    session.swap(loads(rules.replace("port", "sea")))
    session.push({"stop": [(12, "x")], "enter": [(13, "x")]})
    assert _shown(session.query(14)) == [("in(x,port)", 2, 13), ("in(x,sea)", 14, None)]


def _shown(result: Result) -> list[tuple[str, int, int | None]]:
    return [(row["fluent"], row["start"], row["end"]) for row in result.to_arrow().to_pylist()]
