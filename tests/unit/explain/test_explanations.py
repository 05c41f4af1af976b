"""Explanations of small programs: what they say, in every form."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from holdsfor import HoldsforError, MetricReasoner, ProgramError, Reasoner, loads, loads_metric
from holdsfor.cli import app
from holdsfor.explain.explanation import Explanation
from holdsfor.explain.nodes import Kind
from tests.strategies.replay import replay

DOORS = """
initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T), \\+ happensAt(alarm(D), T).
terminatedAt(open(D)=true, T) :- happensAt(lock(D), T).
initiatedAt(light(D)=on, T) :- happensAt(start(open(D)=true), T).
initiatedAt(light(D)=off, T) :- happensAt(end(open(D)=true), T).
ft(light(_)=on, 10).
happensAt(visit(D), T) :- happensAt(unlock(D), T), kind(D, front).
holdsFor(draught(D,E)=true, I) :-
    holdsFor(open(D)=true, I1), holdsFor(open(E)=true, I2), D \\= E, seq(I1, I2, I).
kind(front, front).
kind(back, back).
"""
EVENTS = {
    "unlock": [(3, "front"), (20, "back"), (30, "cellar")],
    "lock": [(8, "front"), (25, "back")],
    "alarm": [(30, "cellar")],
}


@pytest.fixture
def doors() -> Reasoner:
    return loads(DOORS, "doors.prolog")


def texts(found: Explanation) -> str:
    return "\n".join(node.text for node in found.root.walk())


def test_inertia_down_to_a_row(doors: Reasoner) -> None:
    found = doors.why("open(front)=true", 5, events=EVENTS)
    assert found.headline == "open(front)=true holds at 5"
    assert found.root.interval == ("4", "9")
    (row,) = [node for node in found.root.walk() if node.kind is Kind.ROW]
    assert (row.rows[0].file, row.rows[0].line) == ("events['unlock']", 1)
    assert "nothing breaks it from 3 to 4" in texts(found)
    assert replay(found) == []


def test_negation_says_what_was_looked_for(doors: Reasoner) -> None:
    assert "not happensAt(alarm(front),3): looked for and not found" in texts(
        doors.why("open(front)=true", 5, events=EVENTS)
    )


def test_a_negated_condition_that_fails_is_shown_with_what_is_there(doors: Reasoner) -> None:
    found = doors.why_not("open(cellar)=true", 31, events=EVENTS)
    assert "fails: not happensAt(alarm(cellar),30), but it is so" in texts(found)
    assert "alarm(cellar) happens at 30" in texts(found)


def test_what_ended_it(doors: Reasoner) -> None:
    found = doors.why_not("open(front)=true", 9, events=EVENTS)
    assert [node.kind for node in found.root.children[:2]] == [Kind.INITIATED, Kind.TERMINATED]


def test_another_value_breaks_it(doors: Reasoner) -> None:
    found = doors.why_not("light(front)=on", 9, events=EVENTS)
    assert "light(front)=on is broken at 8: its fluent gets the value off" in texts(found)


def test_a_delayed_end(doors: Reasoner) -> None:
    events = {"unlock": [(3, "front")], "lock": [(40, "front")]}
    found = doors.why_not("light(front)=on", 14, events=events)
    assert "light(front)=on is terminated at 13 by a delayed effect" in texts(found)
    assert replay(found) == []


def test_sequence_partners(doors: Reasoner) -> None:
    found = doors.why("draught(front,back)=true", 15, events=EVENTS)
    assert "[4, 9) of the first list is followed by [21, 26) of the second" in texts(found)
    assert replay(found) == []


def test_events_can_be_asked_about(doors: Reasoner) -> None:
    assert replay(doors.why("visit(front)", 3, events=EVENTS)) == []
    missed = doors.why_not("visit(back)", 20, events=EVENTS)
    assert "fails: kind(back,front)" in texts(missed)
    assert "the background says kind(back,back)" in texts(missed)


def test_before_the_beginning(doors: Reasoner) -> None:
    assert doors.explain("open(front)=true", -5, events=EVENTS).holds is False


def test_no_such_event_at_all(doors: Reasoner) -> None:
    found = doors.why_not("open(front)=true", 5, events={"lock": [(1, "front")]})
    assert "there is no unlock/1 in the input at all" in texts(found)


def test_words_that_occur_nowhere(doors: Reasoner) -> None:
    found = doors.why_not("open(fron)=true", 5, events=EVENTS)
    assert found.notes == ("fron occurs nowhere in the input; did you mean front?",)


def test_asked_the_wrong_way_round(doors: Reasoner) -> None:
    result = doors.recognise(EVENTS)
    with pytest.raises(HoldsforError, match="ask why_not"):
        result.why("open(front)=true", 2)
    with pytest.raises(HoldsforError, match="ask why$"):
        result.why_not("open(front)=true", 5)
    assert result["open"].why("open(front)=true", 5).holds


@pytest.mark.parametrize(
    ("question", "message", "hint"),
    [
        ("opne(front)=true", "nothing that is called opne", "did you mean open?"),
        ("open(front,1)=true", "not used with 2 arguments", "open/1"),
        ("open(D)=true", "D is a variable", "small letter"),
        ("light(front)=onn", "no rule gives light/1 the value onn", "did you mean on?"),
        ("open(front", "expected )", "ask about F=V"),
        ("3=true", "3 is not a fluent or an event", ""),
    ],
)
def test_questions_that_make_no_sense(doors: Reasoner, question: str, message: str, hint: str) -> None:
    with pytest.raises(ProgramError) as problem:
        doors.explain(question, 5, events=EVENTS)
    assert message in str(problem.value)
    assert hint in str(problem.value)
    assert "^" in str(problem.value)


def test_a_late_row_is_named(doors: Reasoner) -> None:
    table = {"unlock": {"time": [3], "arrival": [25], "door": ["front"]}, "lock": [(30, "back")]}
    found = doors.why_not("open(front)=true", 5, events=table, window=10, start=0, end=30, query_time=30)
    assert "unlock(front) at 3 arrived at 25, when its last window was over" in found.notes[0]
    assert found.query_time == 30


def test_a_query_time_that_there_is_not(doors: Reasoner) -> None:
    with pytest.raises(HoldsforError, match="7 is not a query time"):
        doors.explain("open(front)=true", 5, events=EVENTS, window=10, query_time=7)


def test_depth(doors: Reasoner) -> None:
    shallow = doors.why("light(front)=on", 5, events=EVENTS, depth=1)
    assert any(node.more for node in shallow.root.walk())
    assert "… more" in shallow.text()
    whole = doors.why("light(front)=on", 5, events=EVENTS, depth=None)
    assert not any(node.more for node in whole.root.walk())
    assert "… more" in whole.text(depth=1)


def test_json_has_a_stable_form(doors: Reasoner) -> None:
    found = json.loads(doors.why("open(front)=true", 5, events=EVENTS).json())
    assert list(found) == ["schema", "question", "at", "holds", "query_time", "notes", "root"]
    assert found["schema"] == "holdsfor.explanation/1"
    (begun, _) = found["root"]["children"]
    assert begun["rule"]["file"] == "doors.prolog"
    assert begun["rule"]["line"] == 2
    assert begun["rule"]["bindings"] == {"D": "front", "T": "3"}


def test_pages_need_nothing_from_elsewhere(doors: Reasoner) -> None:
    page = doors.why("open(front)=true", 5, events=EVENTS).html()
    assert page.startswith("<!doctype html>")
    assert not re.search(r"(?i)https?:|<script|<link|@import|url\(", page)
    assert page.count("<details") == page.count("</details>") > 1


def test_pages_escape_what_they_show() -> None:
    rules = "initiatedAt(open('<b>')=true, T) :- happensAt(unlock('<b>'), T)."
    page = loads(rules).why("open('<b>')=true", 5, events={"unlock": [(3, "<b>")]}).html()
    assert "<b>" not in page


@pytest.fixture
def pumps() -> MetricReasoner:
    return loads_metric(
        "Recent(X) :- Diamondminus[0,5] Alarm(X)\n"
        "Calm(X) :- Boxminus[0,2] Ok(X), not Recent(X)\n"
        "Spread(X) :- Alarm(X)\nSpread(X) :- Diamondminus[1] Spread(X)\n"
        "Many(N) :- N = count(X : Recent(X))\n"
    )


FACTS = {"Alarm": [(3, "pump"), (4, "fan")], "Ok": [(0, 20, "pump")]}
OK = {"Alarm": FACTS["Alarm"], "Ok": [{"start": 0, "end": 20, "x": "pump"}]}


def test_operators_have_witnesses(pumps: MetricReasoner) -> None:
    found = pumps.why("Recent(pump)", 5.5, facts=OK)
    assert "Diamondminus[0,5] Alarm(pump) at 5.5: at 3" in texts(found)
    assert replay(found) == []


def test_recursion_ends_at_a_fact(pumps: MetricReasoner) -> None:
    result = pumps.materialise(OK, end=10)
    found = result.why("Spread(pump)", 6)
    assert [node.kind for node in found.root.walk()][-1] is Kind.FACT
    assert replay(found) == []
    assert "fails: Alarm(pump)" in texts(result.why_not("Spread(pump)", "13/2"))


def test_aggregates_say_what_they_count(pumps: MetricReasoner) -> None:
    assert "counts: Recent(fan)" in texts(pumps.why("Many(2)", 4.5, facts=OK))


def test_metric_questions_that_make_no_sense(pumps: MetricReasoner) -> None:
    with pytest.raises(ProgramError, match="did you mean Recent"):
        pumps.explain("Recnt(pump)", 3, facts=OK)
    with pytest.raises(HoldsforError, match="about the time from 0 to 5"):
        pumps.explain("Recent(pump)", 9, facts=OK, start=0, end=5)


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    rules, events = tmp_path / "doors.prolog", tmp_path / "events.csv"
    rules.write_text(DOORS)
    events.write_text("unlock|3|3|front\n")
    command = ["explain", str(rules), "--events", str(events)]
    for words, message in (
        (["opne(front)=true", "--at", "5"], "did you mean open?"),
        (["open(front)=true", "--at", "2.5"], "--at must be a whole number"),
    ):
        result = CliRunner().invoke(app, [*command, *words])
        assert result.exit_code == 1
        assert message in result.stderr
    page = tmp_path / "why.html"
    result = CliRunner().invoke(app, [*command, "open(front)=true", "--at", "5", "--output", str(page)])
    assert result.exit_code == 0
    assert "events.csv" in page.read_text()


def test_rows_of_mapped_files_have_lines(doors: Reasoner, tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    log.write_text("kind,when,door\nunlock,2024-05-01T10:00:00Z,back\nunlock,2024-05-01T10:00:03Z,front\n")
    mapping = {"name": "kind", "time": "when", "event": {"unlock": {"args": ["door"]}}}
    found = doors.why("open(front)=true", 1714557605, events=log, mapping=mapping)
    (row,) = [row for node in found.root.walk() for row in node.rows]
    assert (row.file, row.line) == (str(log), 3)
    assert row.text == "unlock,2024-05-01T10:00:03Z,front"


def test_a_cycle_in_which_another_rule_comes_to_count() -> None:
    # At 3 the second rule of s counts, as nothing is known of a; from 4 on the first does, for all of time.
    rules = """
initiatedAt(p(X)=true, T) :- happensAt(meet(X), T).
initiatedAt(a(X)=true, T) :- happensAt(hit(X), T), \\+ holdsAt(a(X)=_, T), holdsAt(s(X)=true, T).
holdsFor(s(X)=true, I) :- holdsFor(a(X)=true, I1), holdsFor(n(X)=2, I2), relative_complement_all(I1, [I2], I).
holdsFor(s(X)=true, I) :- holdsFor(p(X)=true, I).
"""
    found = loads(rules).why("a(bob)=true", 4, events={"meet": [(-5, "bob")], "hit": [(3, "bob")]})
    assert "no rule was found" not in found.root.text


def test_groundings_narrow_what_holds() -> None:
    rules = """
        grounding(open(D)=true) :- door(D).
        grounding(power(D)=true) :- door(D).
        door(front).
        initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).
        initiatedAt(lit(D)=true, T) :- happensAt(unlock(D), T), holdsAt(power(D)=true, T).
        """
    power = pa.table({"start": [1, 1], "end": [9, 9], "value": ["true", "true"], "door": ["back", "front"]})
    events = {"unlock": [(3, "back"), (3, "front")], "power": power}
    reasoner = loads(rules)
    assert "it is none of the groundings of open/1" in reasoner.why_not("open(back)=true", 5, events=events).text()
    text = reasoner.why_not("lit(back)=true", 5, events=events).text()
    assert "power(back)=true does not hold at 3; it never does" in text
    assert "it is none of the groundings of power/1" in text
    assert reasoner.why("lit(front)=true", 5, events=events).holds
