"""Metric sessions that go on with other rules."""

from __future__ import annotations

from typing import Any

import pytest

from holdsfor import loads, loads_metric
from holdsfor.diagnostics import HoldsforError
from holdsfor.metric import swapping
from holdsfor.physical.exactness import SwapPlan, When

RECENT = "Recent(X) :- Diamondminus[0,2] Alarm(X)\n"
WIDE = "Recent(X) :- Diamondminus[0,9] Alarm(X)\n"
EVER = "Ever(X) :- Diamondminus[0,inf) Alarm(X)\n"


@pytest.fixture(autouse=True)
def _forgets_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(swapping, "SPARE", 0)


def started(rules: str, until: int = 20, **options: Any) -> Any:
    """A session at a time when early facts have been dropped."""
    reasoner = loads_metric(rules)
    session = reasoner.session(**options) if options else reasoner.stream()
    for now in range(until + 1):
        session.push({"Alarm": [(now, f"p{now}")]})
        session.advance(now)
    return session


def whens(plan: SwapPlan) -> dict[str, When]:
    return {one.name: one.when for one in plan.outputs}


def found(result: Any) -> set[tuple[Any, ...]]:
    return {(row.predicate, row.args[0], row.start, row.end) for row in result}


def test_rules_that_look_no_further_are_exact_at_once() -> None:
    session = started(RECENT)
    plan = session.swap(loads_metric("Recent(X) :- Diamondminus[0,1] Alarm(X)"))
    assert str(plan) == "changed: Recent/1\nRecent/1: exact at once"
    assert found(session.advance(22)) == {("Recent", "p20", 20, 21)}


def test_rules_that_look_further_are_exact_later() -> None:
    session = started(RECENT)
    plan = session.swap(loads_metric(WIDE))
    (output,) = plan.outputs
    assert output.when is When.LATER
    assert output.since is not None and plan.rows_since is not None
    assert output.since == plan.rows_since + 9
    assert "because the rules look back to facts that are gone" in str(plan)
    session.advance(output.since)
    exact = {row[1] for row in found(session.advance(output.since + 1)) if row[3] > output.since}
    assert exact == {f"p{now}" for now in range(int(output.since) - 8, 21)}


def test_a_backfill_makes_them_exact_at_once() -> None:
    session = started(RECENT)
    wide = loads_metric(WIDE + EVER)
    assert session.plan_swap(wide).backfill == ("Alarm/1",)
    assert whens(session.plan_swap(wide)) == {"Recent/1": When.LATER, "Ever/1": When.BACKFILL}
    plan = session.swap(wide, backfill={"Alarm": [(now, f"p{now}") for now in range(21)]})
    assert plan.is_exact
    told = found(session.advance(21))
    assert {row[1] for row in told if row[0] == "Ever"} == {f"p{now}" for now in range(21)}
    assert {row[1] for row in told if row[0] == "Recent"} == {f"p{now}" for now in range(12, 21)}


@pytest.mark.parametrize("options", [{}, {"lateness": 1}])
def test_what_the_edit_does_not_reach_stays_exact(options: dict[str, Any]) -> None:
    session = started(RECENT + EVER, **options)
    swapped = session.swap(loads_metric("Recent(X) :- Diamondminus[0,1] Alarm(X)\n" + EVER))
    plan = swapped.plan if options else swapped
    assert whens(plan) == {"Recent/1": When.AT_ONCE, "Ever/1": When.AT_ONCE}
    # Twice: the first stream still answers after another swap.
    swapped = session.swap(loads_metric(RECENT + EVER))
    assert (swapped.plan if options else swapped).outputs[1].when is When.AT_ONCE
    session.push({"Alarm": [(21, "new")]})
    session.advance(21)
    told = session.answer() if options else session.advance(22)
    held = {row[1] for row in found(told) if row[0] == "Ever"}
    assert held == {"new", *(f"p{now}" for now in range(21))}


def test_differences_are_told_apart() -> None:
    session = loads_metric("Missed(X) :- Diamondminus[2] Alarm(X)").session(lateness=5)
    session.push({"Alarm": [(3, "pump")]})
    session.advance(6)
    swapped = session.swap(loads_metric("Missed(X) :- Diamondminus[1] Alarm(X)"))
    assert found(swapped.changes.added) == {("Missed", "pump", 4, 4)}
    assert found(swapped.changes.removed) == {("Missed", "pump", 5, 5)}
    assert not session.advance(7).added
    gone = session.swap(loads_metric("Other(X) :- Diamondminus[1] Alarm(X)"))
    assert gone.plan.gone == ("Missed/1",)
    assert found(gone.changes.removed) == {("Missed", "pump", 4, 4)}


def test_retracted_and_late_facts_stay_so() -> None:
    session = loads_metric(RECENT).session(lateness=4)
    session.push({"Alarm": [(5, "early"), (9, "gone"), (9, "stays")]})
    session.advance(10)
    session.retract({"Alarm": [(9, "gone")]})
    session.push({"Alarm": [(2, "too late")]})
    session.swap(loads_metric(WIDE))
    session.advance(11)
    assert {row[1] for row in found(session.answer())} == {"early", "stays"}
    assert session.late == 1


def test_what_lies_ahead_stays() -> None:
    session = loads_metric(RECENT).stream()
    session.push({"Alarm": [(30, "later")]})
    session.advance(20)
    session.swap(loads_metric("Recent(X) :- Diamondminus[0,3] Alarm(X)"))
    assert found(session.advance(40)) == {("Recent", "later", 30, 33)}


def test_before_the_first_step() -> None:
    session = loads_metric(RECENT).session(lateness=1)
    session.push({"Alarm": [(3, "a")]})
    swapped = session.swap(loads_metric(WIDE))
    assert swapped.plan.is_exact
    assert not swapped.changes.added
    assert found(session.advance(4).added) == {("Recent", "a", 3, 4)}


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (":- time_unit(s).\n" + RECENT, "count time in another unit"),
        ("Recent(X) :- Diamondplus[0,2] Alarm(X)", "another delay"),
    ],
)
def test_rules_that_need_a_new_session(rules: str, message: str) -> None:
    with pytest.raises(HoldsforError, match=message):
        started(RECENT).swap(loads_metric(rules))


def test_queries_with_constants() -> None:
    session = loads_metric(RECENT).stream(query="Recent(a)")
    with pytest.raises(HoldsforError, match="cannot change its rules"):
        session.swap(loads_metric(WIDE))


@pytest.mark.parametrize("wrong", ["Q(X) :- P(X)", loads("initiatedAt(on=true, T) :- happensAt(press, T)."), None])
def test_what_is_no_metric_program_is_refused(wrong: Any) -> None:
    session = loads_metric("Q(X) :- P(X)").session(lateness=3)
    with pytest.raises(HoldsforError, match="are metric rules"):
        session.swap(wrong)
