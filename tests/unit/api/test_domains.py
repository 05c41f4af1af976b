"""Domains that input fills: instances stay in them for all of time, until every record that put them in is taken back."""

from __future__ import annotations

import math

from holdsfor import loads

RULES = """
dynamicDomain(phone(_)).
grounding(dial(P, Q)) :- phone(P), phone(Q).
grounding(line(P)=busy) :- phone(P).
grounding(line(P)=free) :- phone(P).
initially(line(_)=free).
initiatedAt(line(P)=busy, T) :- happensAt(dial(P, _), T).
"""
Rows = list[tuple[str, str, float, float]]


def _rows(result: object) -> Rows:
    assert hasattr(result, "__iter__")
    return sorted((row.fluent, row.value, row.start, row.end) for row in result)


def test_an_instance_has_its_initial_value_from_the_beginning_and_keeps_it() -> None:
    session = loads(RULES).session(window=10)
    session.push({"dial": [(5, "ann", "bob")]})
    wanted: Rows = [("line(ann)", "busy", 6, math.inf), ("line(bob)", "free", 0, math.inf)]
    assert _rows(session.query(10)) == [*wanted[:1], ("line(ann)", "free", 0, 6), *wanted[1:]]
    session.push({"dial": [(55, "cem", "ann")]})
    later: Rows = [("line(cem)", "busy", 56, math.inf), ("line(cem)", "free", 0, 56)]
    assert _rows(session.query(60)) == [*wanted, *later]


def test_a_retraction_takes_back_what_a_record_alone_has_put_in() -> None:
    session = loads(RULES).session()
    session.push({"dial": [(1, "ann", "bob"), (2, "ann", "cem"), (3, "cem", "bob")]})
    assert {row.fluent for row in session.query(5)} == {"line(ann)", "line(bob)", "line(cem)"}
    session.retract({"dial": [(1, "ann", "bob")]})
    assert {row.fluent for row in session.query(5)} == {"line(ann)", "line(bob)", "line(cem)"}
    session.retract({"dial": [(3, "cem", "bob")]})
    assert {row.fluent for row in session.query(5)} == {"line(ann)", "line(cem)"}


def test_background_facts_meet_what_input_has_put_into_domains() -> None:
    session = loads("""
dynamicDomain(phone(_)).
grounding(dial(P)) :- phone(P).
grounding(line(P)=free) :- phone(P), known(P).
grounding(line(P)=busy) :- phone(P), known(P).
initially(line(_)=free).
initiatedAt(line(P)=busy, T) :- happensAt(dial(P), T).
known(ann).
""").session()
    session.push({"dial": [(3, "ann"), (4, "bob")]})
    ann: Rows = [("line(ann)", "busy", 4, math.inf), ("line(ann)", "free", 0, 4)]
    bob: Rows = [("line(bob)", "busy", 5, math.inf), ("line(bob)", "free", 0, 5)]
    assert _rows(session.query(5)) == ann
    # That bob has a line is known only since he dialled: the fact counts for him if the domain is as it was.
    session.add_background({"known": [("bob",), ("cem",)]})
    assert _rows(session.query(6)) == [*ann, *bob]
    # And input goes on to fill it.
    session.push({"dial": [(7, "cem")]})
    cem: Rows = [("line(cem)", "busy", 8, math.inf), ("line(cem)", "free", 0, 8)]
    assert _rows(session.query(8)) == [*ann, *bob, *cem]
    session.retract({"dial": [(4, "bob")]})
    assert _rows(session.query(9)) == [*ann, *cem]
    session.retract_background({"known": [("cem",)]})
    assert _rows(session.query(10)) == ann
