"""What event descriptions written for RTEC do, and programs written for this one do not."""

from __future__ import annotations

from typing import Any

import pytest

from holdsfor import loads
from holdsfor.diagnostics import HoldsforError

OFFERS = {"offer": [(1, "a"), (2, "b"), (3, "c")]}


def found(result: Any) -> set[tuple[object, ...]]:
    return {(row["fluent"], row["value"], row["start"], row["end"]) for row in result.to_arrow().to_pylist()}


def test_groundings_as_conditions() -> None:
    rules = """
    initiatedAt(quote(M)=true, T) :- happensAt(offer(M), T).
    fi(quote(M)=true, quote(M)=false, 5) :- grounding(quote(M)=true), grounding(quote(M)=false).
    grounding(quote(M)=true) :- seller(M).
    grounding(quote(M)=false) :- big(M).
    seller(a). seller(b). big(a).
    """
    assert found(loads(rules).recognise(OFFERS, end=20)) == {
        ("quote(a)", "true", 2, 7),
        ("quote(a)", "false", 7, None),
        ("quote(b)", "true", 3, None),
    }


def test_rules_that_nothing_declares_are_left_out() -> None:
    rules = """
    initiatedAt(quote(M)=true, T) :- happensAt(offer(M), T).
    holdsFor(power(_, M)=true, I) :- holdsFor(quote(M)=true, I).
    grounding(quote(M)=true) :- seller(M).
    seller(a).
    """
    reasoner = loads(rules)
    assert [one.code for one in reasoner.diagnostics] == ["HF309"]
    assert found(reasoner.recognise(OFFERS)) == {("quote(a)", "true", 2, None)}


PREPROCESSING = """
holdsFor(close(P,Q)=true, I) :- holdsFor(near(P,Q)=true, I).
preProcessing(Now) :-
    findall(P, (who(P), who(Q), P @< Q, pair(P, Q, Now)), _).
pair(P, Q, Now) :-
    setof(T, (holdsAtIE(at(P,X)=true, T), holdsAtIE(at(Q,X)=true, T)), Times), !,
    makeIntervalsFromAllPoints(Times, 1, Now, [], I),
    assertz(iePList(P, near(P,Q)=true, I, [])).
pair(_, _, _).
grounding(at(P, _)=true) :- who(P).
points(at(_,_)=true).
who(ann). who(bob). who(cem).
"""
POSITIONS = [
    *({"time": t, "value": "true", "P": "ann", "X": t // 3} for t in range(1, 9)),
    *({"time": t, "value": "true", "P": "bob", "X": 1} for t in range(1, 9)),
]


def test_input_that_a_program_computes() -> None:
    with pytest.raises(HoldsforError, match="setof with a variable of its own"):
        loads(PREPROCESSING).recognise({"at": POSITIONS})
    rules = PREPROCESSING.replace(
        "setof(T, (holdsAtIE(at(P,X)=true, T), holdsAtIE(at(Q,X)=true, T)), Times)",
        "setof(T, meets_at(P, Q, T), Times)",
    )
    rules += "meets_at(P, Q, T) :- holdsAtIE(at(P,X)=true, T), holdsAtIE(at(Q,X)=true, T).\n"
    reasoner = loads(rules)
    assert found(reasoner.recognise({"at": POSITIONS})) == {("close(ann,bob)", "true", 3, 6)}
    windows = reasoner.recognise({"at": POSITIONS}, window=4, step=4, start=0, end=8)
    rows = {(row["query_time"], row["start"], row["end"]) for row in windows.to_arrow().to_pylist()}
    assert rows == {(4, 3, None), (8, 3, 6)}
    with pytest.raises(HoldsforError, match="preProcessing is not executed in sessions"):
        reasoner.session()


@pytest.mark.parametrize(
    ("goal", "times"),
    [
        ("happensAtIE(_, T)", {1, 4, 5, 7}),
        ("happensAtIE(go(_), T)", {1, 4, 7}),
        ("happensAtIE(go(ann), T)", {1, 7}),
        ("(happensAtIE(stop(P), T), happensAtIE(go(P), 7))", {5}),
        ("(happensAtIE(go(bob), T), happensAtIE(_, T))", {4}),
    ],
)
def test_preprocessing_reads_records_by_name_argument_and_time(goal: str, times: set[int]) -> None:
    rules = f"""
    initiatedAt(gone(P)=true, T) :- happensAt(go(P), T).
    terminatedAt(gone(P)=true, T) :- happensAt(stop(P), T).
    holdsFor(seen(all)=true, I) :- holdsFor(marked(all)=true, I).
    preProcessing(Now) :-
        setof(T, wanted(T), Times),
        makeIntervalsFromAllPoints(Times, 1, Now, [], I),
        assertz(iePList(all, marked(all)=true, I, [])).
    wanted(T) :- {goal}.
    """
    result = loads(rules).recognise({"go": [(1, "ann"), (4, "bob"), (7, "ann")], "stop": [(5, "ann")]})
    rows = {(start, end) for fluent, _, start, end in found(result) if fluent == "seen(all)"}
    assert {time for start, end in rows for time in range(start, end or start + 1)} == times


def test_preprocessing_that_needs_more_than_there_is() -> None:
    rules = PREPROCESSING.replace("assertz(", "remember(")
    with pytest.raises(HoldsforError, match=r"preProcessing failed: it calls remember/1, which is not supported here"):
        loads(
            rules.replace("(holdsAtIE(at(P,X)=true, T), holdsAtIE(at(Q,X)=true, T))", "holdsAtIE(at(P,1)=true, T)")
        ).recognise({"at": POSITIONS})


def test_facts_that_match_everything_need_no_values() -> None:
    rules = """
    initiatedAt(sent(M)=true, T) :- happensAt(goods(M, G, K), T), decrypt(G, K, D), meets(D, M).
    initiatedAt(kept(M)=true, T) :- happensAt(goods(M, G, _), T), \\+ meets(G, M).
    decrypt(_, _, _).
    meets(_, _).
    """
    assert found(loads(rules).recognise({"goods": [(1, "a", "g", "k")]})) == {("sent(a)", "true", 2, None)}
