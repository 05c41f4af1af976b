"""Initiations that rules look back at, however long ago."""

from __future__ import annotations

from holdsfor import loads
from holdsfor.session import Session

RULES = """
initiatedAt(known(X)=true, T) :- happensAt(arrives(X), T).
initiatedAt(met(X)=true, T) :- happensAt(greets(X), T), initiatedAt(known(X)=true, T2), T2 < T.
terminatedAt(met(X)=true, T) :- happensAt(parts(X), T).
"""


def test_they_outlive_panes_in_which_nothing_is_initiated() -> None:
    session = Session(loads(RULES).plan)
    for time, name in enumerate(("arrives", "greets", "parts", "greets", "parts", "greets"), 1):
        session.push_one(name, 2 * time, "ann")
        session.query(2 * time)
    assert [(row.start, row.end) for row in session.query()["met"]] == [(5, 7), (9, 11), (13, float("inf"))]
