"""Pairs that read what is said of one of the two: only they are worked out again."""

from __future__ import annotations

from holdsfor import loads
from holdsfor.session import Session

RULES = """
initiatedAt(slow(V)=true, T) :- happensAt(brake(V), T).
terminatedAt(slow(V)=true, T) :- happensAt(speed_up(V), T).
initiatedAt(meeting(V,W)=true, T) :- happensAt(hail(V,W), T), holdsAt(slow(V)=true, T).
terminatedAt(meeting(V,W)=true, T) :- happensAt(speed_up(W), T).
terminatedAt(meeting(V,W)=true, T) :- happensAt(end(slow(V)=true), T).
"""


def session_of_pairs() -> Session:
    """A hundred pairs of two hundred, all slow."""
    session = loads(RULES).session()
    session.push({"brake": [(1, f"v{number}") for number in range(200)]})
    session.push({"hail": [(5, f"v{number}", f"v{number + 100}") for number in range(100)]})
    session.changes(10)
    return session


def told(session: Session) -> list[tuple[str, str, int | None, list[str]]]:
    return [(change.op, change.fluent, change.end, list(map(str, change.causes))) for change in session.changes()]


def test_a_change_of_one_reaches_its_pairs() -> None:
    session = session_of_pairs()
    session.push_one("speed_up", 20, "v107")
    assert told(session) == [
        ("close", "slow(v107)", 21, ["arrived speed_up(v107) at 20"]),
        ("close", "meeting(v7,v107)", 21, ["arrived speed_up(v107) at 20"]),
    ]


def test_a_pair_that_comes_later_knows_what_was_said_before() -> None:
    session = session_of_pairs()
    session.push_one("hail", 30, "v1", "v2")
    assert told(session) == [("open", "meeting(v1,v2)", None, ["arrived hail(v1,v2) at 30"])]
    session.retract_one("brake", 1, "v1")
    assert {(op, fluent) for op, fluent, *_ in told(session)} == {
        ("retract", "slow(v1)"),
        ("retract", "meeting(v1,v101)"),
        ("retract", "meeting(v1,v2)"),
    }
