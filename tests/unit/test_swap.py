"""Sessions whose rules change: what the plan says, what changes say, and what is not lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdsfor import loads, loads_metric
from holdsfor.diagnostics import HoldsforError
from holdsfor.loading import Reasoner
from holdsfor.physical.exactness import When
from holdsfor.session import Session

RULES = """
initiatedAt(fast(V)=true, T) :- happensAt(speed(V, S), T), S > {limit}.
terminatedAt(fast(V)=true, T) :- happensAt(speed(V, S), T), S =< {limit}.
initiatedAt(moored(V)=true, T) :- happensAt(moor(V), T).
terminatedAt(moored(V)=true, T) :- happensAt(sail(V), T).
initiatedAt(waits(V)=true, T) :- happensAt(moor(V), T).
fi(waits(V)=true, waits(V)=long, 40).
holdsFor(odd(V)=true, I) :- holdsFor(fast(V)=true, I1), holdsFor(moored(V)=true, I2), intersect_all([I1, I2], I).
"""


def rules(limit: int = 10, more: str = "") -> Reasoner:
    return loads(RULES.format(limit=limit) + more)


def begun(window: int | None) -> Session:
    session = rules().session(window)
    session.push({"moor": [(3, "a"), (5, "b")], "speed": [(4, "a", 11), (6, "b", 20)]})
    session.changes(10)
    for time in range(12, 42, 6):
        session.push_one("speed", time, "c", 11)
        session.changes(time)
    return session


def when(plan: object) -> dict[str, When]:
    return {one.name: one.when for one in plan.outputs}  # type: ignore[attr-defined]


def held(session: Session, now: int) -> set[str]:
    return {f"{row.fluent}={row.value} {row.start}-{row.end}" for row in session.query(now)}


def test_all_is_exact_at_once_where_all_rows_are_kept() -> None:
    session = begun(None)
    plan = session.swap(rules(12))
    assert plan.is_exact
    assert plan.changed == ("fast/1",)
    assert "fast(a)=true" not in str(held(session, 50))


def test_what_the_edit_does_not_reach_is_exact_with_a_window() -> None:
    session = begun(20)
    plan = session.plan_swap(rules(12))
    assert when(plan) == {
        "fast/1": When.BACKFILL,
        "odd/1": When.BACKFILL,
        "moored/1": When.AT_ONCE,
        "waits/1": When.AT_ONCE,
    }
    assert plan.backfill == ("moor/1", "sail/1", "speed/2")
    assert "fast/1: exact with a backfill of speed/2 up to 16, because" in str(plan)
    session.swap(rules(12))
    # They began long before the window.
    assert "moored(a)=true 4-inf" in held(session, 40)


def test_timers_go_on() -> None:
    session = begun(20)
    session.swap(rules(12))
    assert {"waits(a)=long 44-inf", "waits(b)=long 46-inf"} <= held(session, 50)


def test_timers_of_an_edited_fluent_are_due_when_they_were() -> None:
    session = begun(20)
    edited = RULES.format(limit=10).replace("long, 40", "long, 60")
    session.swap(loads(edited))
    assert "waits(a)=long 44-inf" in held(session, 50)


def test_a_backfill_makes_all_exact() -> None:
    session = begun(20)
    before = {"moor": [(3, "a"), (5, "b")], "speed": [(4, "a", 11), (6, "b", 20), (12, "c", 11)]}
    plan = session.swap(rules(12), backfill=before)
    assert plan.is_exact
    assert held(session, 40) == {
        "fast(b)=true 7-inf",
        "moored(a)=true 4-inf",
        "moored(b)=true 6-inf",
        "odd(b)=true 7-inf",
        "waits(a)=true 4-inf",
        "waits(b)=true 6-inf",
    }


def test_the_changelog_names_the_rule() -> None:
    session = begun(None)
    session.push_one("speed", 41, "b", 30)
    session.swap(rules(12))
    found = session.changes(42)
    texts = {f"{one.op} {one.fluent}: {'; '.join(map(str, one.causes))}" for one in found}
    assert texts == {
        "retract fast(a): rule changed fast/1 at 36",
        "retract odd(a): rule changed fast/1 at 36",
        "retract fast(c): rule changed fast/1 at 36",
    }
    assert [one["causes"] for one in found.to_arrow().to_pylist()] == [["rule changed fast/1 at 36"]] * 3
    assert {one.fluent for one in session.changes(43)} == {"waits(a)"}


def test_what_waits_and_what_was_just_pushed_is_not_lost() -> None:
    session = begun(20)
    session.push_one("moor", 39, "d")
    session.push_one("moor", 60, "e")
    session.swap(rules(12))
    assert [(one.fluent, str(one.causes[0])) for one in session.changes(40) if one.fluent == "moored(d)"] == [
        ("moored(d)", "arrived moor(d) at 39")
    ]
    assert "moored(e)=true 61-inf" in held(session, 62)


def test_what_no_rule_defines_any_more_is_retracted() -> None:
    session = begun(20)
    lines = [line for line in RULES.format(limit=10).splitlines() if "moored" not in line]
    plan = session.swap(loads("\n".join(lines)))
    assert plan.gone == ("moored/1", "odd/1")
    gone = {(one.fluent, one.op, str(one.causes[0])) for one in session.changes()}
    assert ("moored(a)", "retract", "rule changed moored/1 at 36") in gone
    assert {fluent for fluent, _, _ in gone} == {"moored(a)", "moored(b)", "odd(a)", "odd(b)"}


def test_a_longer_look_back_is_exact_later() -> None:
    more = "\nhappensAt(again(V), T) :- happensAt(speed(V, _), T), T0 is T - {far}, happensAt(moor(V), T0)."
    session = rules(10, more.format(far=5)).session(20)
    session.push({"speed": [(time, "a", 1) for time in range(600)], "moor": [(3, "a")]})
    for time in range(10, 601, 10):
        session.query(time)
    plan = session.swap(rules(10, more.format(far=12)))
    later = next(one for one in plan.outputs if one.name == "again/1")
    assert (later.when, later.since) == (When.LATER, 588)
    assert "again/1: exact from 588 on, because the rule at" in str(plan)


def test_input_that_was_not_read_is_known_from_now_on() -> None:
    session = begun(None)
    plan = session.swap(rules(10, "\nhappensAt(seen(V), T) :- happensAt(photo(V), T)."))
    later = next(one for one in plan.outputs if one.name == "seen/1")
    assert (later.when, later.since) == (When.LATER, 37)
    session.push_one("photo", 38, "a")
    assert session.query(40).derived_events["event"].to_pylist() == ["seen(a)"]


def test_a_session_that_was_not_asked_yet() -> None:
    session = rules().session(20)
    session.push_one("speed", 5, "a", 11)
    assert session.swap(rules(12)).is_exact
    assert held(session, 10) == set()


def test_saved_after_a_swap(tmp_path: Path) -> None:
    session = begun(20)
    session.swap(rules(12))
    with pytest.raises(HoldsforError, match=r"changes from before a swap"):
        session.save(tmp_path / "state")
    session.changes()
    session.save(tmp_path / "state")
    later = rules(12).session(20)
    later.load(tmp_path / "state")
    assert held(later, 50) == held(session, 50)


def test_rules_that_count_time_otherwise_are_refused() -> None:
    with pytest.raises(HoldsforError, match="another unit"):
        begun(20).swap(loads(":- time_unit(s).\n" + RULES.format(limit=10)))


def test_several_swaps() -> None:
    session = begun(None)
    for limit in (12, 8, 30, 10):
        session.swap(rules(limit))
    assert held(session, 40) == held(begun(None), 40)


@pytest.mark.parametrize("wrong", ["initiatedAt(on=true, T) :- happensAt(press, T).", Path("rules.prolog"), None])
def test_what_is_no_reasoner_is_refused(wrong: object) -> None:
    with pytest.raises(HoldsforError, match="are a reasoner"):
        begun(20).swap(wrong)  # type: ignore[arg-type]


def test_metric_rules_are_refused() -> None:
    with pytest.raises(HoldsforError, match="are a reasoner"):
        begun(20).plan_swap(loads_metric("Q(X) :- P(X)"))  # type: ignore[arg-type]
