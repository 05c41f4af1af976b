"""Logical plans: strata, their order and inputs."""

from holdsfor import loads
from holdsfor.compiler.plan import Stratum


def strata(text: str) -> dict[str, Stratum]:
    return {symbol.name: stratum for stratum in loads(text).plan.strata for symbol in stratum.members}


def test_strata_come_after_what_they_read() -> None:
    plan = loads(
        """
        holdsFor(c(X)=true, I) :- holdsFor(b(X)=true, I1), holdsFor(a(X)=true, I2), union_all([I1,I2], I).
        initiatedAt(b(X)=true, T) :- happensAt(e(X), T), holdsAt(a(X)=true, T).
        initiatedAt(a(X)=true, T) :- happensAt(e(X), T).
        """
    ).plan
    assert [(s.members[0].name, s.level) for s in plan.strata] == [("a", 1), ("b", 2), ("c", 3)]
    assert [str(symbol) for symbol in plan.inputs] == ["e/1"]


def test_derived_events_are_strata() -> None:
    plan = loads(
        """
        happensAt(big(X), T) :- happensAt(pay(X,N), T), N > 10.
        happensAt(odd(X), T) :- happensAt(big(X), T), \\+ holdsAt(known(X)=true, T).
        initiatedAt(known(X)=true, T) :- happensAt(big(X), T).
        """
    ).plan
    assert [s.members[0].name for s in plan.strata] == ["big", "known", "odd"]


def test_nested_fluents_that_rules_name_stay_apart() -> None:
    found = loads(
        """
        initiatedAt(per(open(M))=true, T) :- happensAt(propose(M), T).
        initiatedAt(per(close(M))=true, T) :- happensAt(vote(M), T), holdsAt(per(open(M))=true, T).
        """
    ).plan.strata
    assert [str(s.members[0]) for s in found] == ["per(open/1)", "per(close/1)"]


def test_a_variable_for_the_inner_term_keeps_them_together() -> None:
    found = loads(
        """
        initiatedAt(per(open(M))=true, T) :- happensAt(propose(M), T).
        initiatedAt(per(close(M))=true, T) :- happensAt(vote(M), T), holdsAt(per(open(M))=true, T).
        terminatedAt(per(Act)=true, T) :- happensAt(forbid(Act), T).
        """
    ).plan.strata
    assert [str(s.members[0]) for s in found] == ["per/1"]


def test_temporal_helpers_are_unfolded() -> None:
    found = strata(
        """
        initiatedAt(alarm(X)=true, T) :- happensAt(tick(X), T), too_close(X, T).
        too_close(X, T) :- holdsAt(distance(X)=D, T), D < 5.
        initiatedAt(distance(X)=D, T) :- happensAt(measure(X,D), T).
        """
    )
    assert [str(symbol) for symbol in found["alarm"].inputs] == ["tick/1", "distance/1"]
