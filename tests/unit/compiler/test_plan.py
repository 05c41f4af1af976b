"""Plans: order, methods, inputs, border state, partition keys, their text and data."""

import json

import pytest

from holdsfor import loads
from holdsfor.compiler.analysis.partition import Spread
from holdsfor.compiler.describe import plan_data, plan_text
from holdsfor.compiler.plan import Method, Stratum

AREA = """
initiatedAt(withinArea(V,A)=true, T) :- happensAt(entersArea(V,Z), T), areaType(Z, A).
terminatedAt(withinArea(V,A)=true, T) :- happensAt(leavesArea(V,Z), T), areaType(Z, A).
terminatedAt(withinArea(V,_)=true, T) :- happensAt(gap_start(V), T).
areaType(z1, fishing).
"""


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
    assert [(s.members[0].name, s.level, s.method) for s in plan.strata] == [
        ("a", 1, Method.COLUMNAR),
        ("b", 2, Method.COLUMNAR),
        ("c", 3, Method.ALGEBRA),
    ]
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
    assert [(str(s.members[0]), s.method) for s in found] == [
        ("per(open/1)", Method.COLUMNAR),
        ("per(close/1)", Method.COLUMNAR),
    ]


def test_a_variable_for_the_inner_term_keeps_them_together() -> None:
    found = loads(
        """
        initiatedAt(per(open(M))=true, T) :- happensAt(propose(M), T).
        initiatedAt(per(close(M))=true, T) :- happensAt(vote(M), T), holdsAt(per(open(M))=true, T).
        terminatedAt(per(Act)=true, T) :- happensAt(forbid(Act), T).
        """
    ).plan.strata
    assert [(str(s.members[0]), s.method) for s in found] == [("per/1", Method.SWEEP)]


@pytest.mark.parametrize(
    ("text", "state"),
    [
        (AREA, "the value that holds at the border, and since when"),
        (
            "initiatedAt(f(X)=a, T) :- happensAt(e(X), T). fi(f(X)=a, f(X)=b, 5).",
            "the earliest pending attempt of f(X)=a (delay 5)",
        ),
        (
            "initiatedAt(f(X)=a, T) :- happensAt(e(X), T). fi(f(X)=a, f(X)=b, 5). p(f(X)=a).",
            "the latest pending attempt of f(X)=a (delay 5)",
        ),
        (
            "holdsFor(s(X)=true, I) :- holdsFor(a(X)=true, I1), holdsFor(b(X)=true, I2), seq(I1, I2, I).",
            "the last unmatched left interval of each seq",
        ),
        (
            "holdsFor(s(X)=true, I) :- holdsFor(a(X)=true, I1), holdsFor(b(X)=true, I2), allen(during,I1,I2,source,I).",
            "intervals that can still take part in during",
        ),
        (
            "initiatedAt(f(X)=a, T) :- happensAt(e(X), T), happensAt(d(X), T0), T0 < T, T - T0 =< 30.",
            "the last 30 time-points of d(X)",
        ),
    ],
)
def test_border_state(text: str, state: str) -> None:
    (stratum,) = loads(text).plan.strata
    assert state in stratum.border_state


def test_a_key_is_inferred_from_the_variable_all_rules_share() -> None:
    key = strata(AREA)["withinArea"].key
    assert key.spread is Spread.KEYED
    assert {str(symbol): position for symbol, position in key.positions} == {
        "withinArea/2": 0,
        "entersArea/2": 0,
        "leavesArea/2": 0,
        "gap_start/1": 0,
    }
    assert key.reason == "every rule carries V through all its events and fluents"


def test_a_key_may_be_another_argument_of_the_input() -> None:
    key = strata("initiatedAt(owes(C,M)=true, T) :- happensAt(sell(M,C), T), happensAt(sign(C), T).")["owes"].key
    assert {str(symbol): position for symbol, position in key.positions} == {"owes/2": 0, "sell/2": 1, "sign/1": 0}


def test_a_cycle_shares_one_key() -> None:
    found = strata(
        """
        initiatedAt(a(X,Y)=true, T) :- happensAt(e(Y,X), T), \\+ holdsAt(b(Y)=true, T).
        initiatedAt(b(Y)=true, T) :- happensAt(g(Y), T), holdsAt(a(_,Y)=true, T).
        """
    )
    assert found["a"] is found["b"]
    assert found["a"].key.spread is Spread.KEYED
    assert dict(found["a"].key.positions)[found["a"].members[0]] in (0, 1)


def test_pairs_are_relational_and_name_their_exchanges() -> None:
    found = strata(
        """
        initiatedAt(slow(V)=true, T) :- happensAt(slow_start(V), T).
        terminatedAt(slow(V)=true, T) :- happensAt(slow_end(V), T).
        holdsFor(meeting(V,W)=true, I) :-
            holdsFor(near(V,W)=true, I1), holdsFor(slow(V)=true, I2), holdsFor(slow(W)=true, I3),
            intersect_all([I1,I2,I3], I).
        """
    )
    key = found["meeting"].key
    assert key.spread is Spread.RELATIONAL
    assert [(str(e.symbol), e.columns, e.key) for e in key.exchanges] == [
        ("near/2", (0, 1), (0, 1)),
        ("slow/1", (0,), (0,)),
    ]


def test_a_cycle_that_ties_instances_together_stays_in_one_place() -> None:
    key = strata(
        "initiatedAt(ill(X)=true, T) :- happensAt(meet(X,Y), T), holdsAt(ill(Y)=true, T).initially(ill(zero)=true)."
    )["ill"].key
    assert key.spread is Spread.SINGLE
    assert "share no argument" in key.reason


def test_a_fluent_without_arguments_stays_in_one_place() -> None:
    key = strata("initiatedAt(on=true, T) :- happensAt(press, T).")["on"].key
    assert (key.spread, key.reason) == (Spread.SINGLE, "on/0 has no arguments to split by")


def test_delays_that_reach_other_instances_are_swept() -> None:
    found = strata(
        """
        initiatedAt(turn(P)=N, T) :- happensAt(begin(P,N), T).
        fi(turn(P)=N, turn(Q)=M, 5) :- next(P, Q), N < 9, M is N + 1.
        next(a, b). next(b, a).
        """
    )
    assert found["turn"].method is Method.SWEEP


def test_plan_text() -> None:
    assert plan_text(loads(AREA).plan) == (
        "input events   entersArea/2, leavesArea/2, gap_start/1\n"
        "background     areaType/2: 1 facts\n"
        "\n"
        "  1  level 1  columnar  withinArea/2\n"
        "     why     depends on finished intervals and events only\n"
        "     reads   entersArea/2, leavesArea/2, gap_start/1\n"
        "     keeps   the value that holds at the border, and since when\n"
        "     key     keyed (withinArea/2 column 0): every rule carries V through all its events and fluents"
    )


def test_plan_data_is_json() -> None:
    data = json.loads(json.dumps(plan_data(loads(AREA).plan)))
    (stratum,) = data["strata"]
    assert stratum["members"] == ["withinArea/2"]
    assert stratum["key"]["positions"]["entersArea/2"] == 0


def test_background_treatment_is_shown() -> None:
    text = plan_text(
        loads(
            """
            initiatedAt(f(X)=true, T) :- happensAt(e(X), T), reach(X, b), near(X, 3), grandparent(X, _).
            reach(X,Y) :- edge(X,Y).
            reach(X,Y) :- edge(X,Z), reach(Z,Y).
            edge(a,b). edge(b,a).
            near(X, D) :- pos(X, P), P - D < 2.
            grandparent(X, Z) :- edge(X, Y), edge(Y, Z).
            pos(a, 1).
            """
        ).plan
    )
    assert "reach/2: recursive, evaluated to 4 facts" in text
    assert "near/2: computed where it is called" in text
    assert "grandparent/2: 1 rules, unfolded" in text


def test_temporal_helpers_are_unfolded() -> None:
    found = strata(
        """
        initiatedAt(alarm(X)=true, T) :- happensAt(tick(X), T), too_close(X, T).
        too_close(X, T) :- holdsAt(distance(X)=D, T), D < 5.
        initiatedAt(distance(X)=D, T) :- happensAt(measure(X,D), T).
        """
    )
    assert [str(symbol) for symbol in found["alarm"].inputs] == ["tick/1", "distance/1"]
