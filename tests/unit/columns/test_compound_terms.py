"""Compound terms on the engine and on the reference evaluator: one small program for each thing that was once wrong."""

import pytest

from holdsfor import loads
from holdsfor.reference import Occurrence, Record
from holdsfor.syntax.terms import Compound, Const
from tests.strategies.engine_runs import Scenario, check_engine, on_reference

PROGRAMS = {
    "a value whose head adds to it, in a cycle": (
        """
        initiatedAt(f(X)=a, T) :- happensAt(e(X), T).
        initiatedAt(f(X)=b, T) :- happensAt(e(X), T), holdsAt(g(X)=q(a), T).
        holdsFor(s(X)=q(Y), I) :- holdsFor(f(X)=Y, I).
        initiatedAt(g(X)=V, T) :- happensAt(e(X), T), holdsAt(s(X)=V, T).
        """,
        6,
    ),
    "no row of the fluent yet": (
        """
        initiatedAt(f(X)=p(X,X), T) :- happensAt(never(X), T).
        initiatedAt(g(X)=true, T) :- happensAt(e(X), T), findall(Z, holdsAt(f(X)=p(a,Z), T), L), length(L, 0).
        """,
        2,
    ),
    "if-then-else inside of a negation": (
        """
        initiatedAt(f(X)=p(X,k), T) :- happensAt(e(X), T).
        initiatedAt(g(X)=true, T) :- happensAt(e(X), T), \\+ (holdsAt(f(X)=p(Y,k), T) -> Y \\= a ; X = b).
        """,
        3,
    ),
    "a variable at two places of a termination": (
        """
        initiatedAt(f(X,Y)=p(X,Y), T) :- happensAt(e(X), T), other(X,Y).
        other(a,a). other(a,b). other(b,b).
        terminatedAt(f(X,X)=_, T) :- happensAt(e(b), T).
        """,
        4,
    ),
}


@pytest.mark.parametrize(("text", "rows"), PROGRAMS.values(), ids=PROGRAMS)
def test_program(text: str, rows: int) -> None:
    events = [(1, "a"), (2, "b"), (3, "a"), (5, "b"), (6, "a"), (8, "b")]
    records: list[Record] = [Occurrence(Compound("e", (Const(name),)), time, time) for time, name in events]
    scenario = Scenario(text, records, None, loads(text))
    check_engine(scenario)
    assert len(on_reference(scenario.reasoner, records, None).intervals) == rows


def test_checks_end_whatever_variables_are_called() -> None:
    loads("initiatedAt(f=p(X,Y), T) :- happensAt(e(X,Y), T).\nfi(f=p(_,V1), f=q(V1), 3).\nfi(f=q(V0), f=none, 3).")


def test_a_question_may_have_a_number_where_rules_have_terms() -> None:
    reasoner = loads("initiatedAt(seen(X)=true, T) :- happensAt(per(vote(X)), T).")
    assert reasoner.analysis.entities.event(Compound("per", (Const(5),))) not in reasoner.analysis.entities.table
