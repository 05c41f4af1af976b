"""Metric programs from Python."""

import json
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import holdsfor
from holdsfor import HoldsforError, ProgramError
from holdsfor.frontend.dmtl.constants import read_arguments
from holdsfor.metric import MetricReasoner, from_metric_program, loads_metric
from holdsfor.metric.times import exact

EXAMPLES = Path(__file__).parents[3] / "examples"
RULES = "Recent(X) :- Diamondminus[0,1/3] Alarm(X)\nBoth(X,Y) :- Recent(X), Recent(Y), X != Y"


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    path = tmp_path / "facts.txt"
    path.write_text("Alarm(hall)@1\nAlarm(attic)@1.25\nAlarm(7)@[3,4)\n")
    return path


@pytest.fixture
def reasoner() -> MetricReasoner:
    return loads_metric(RULES)


def test_rows_have_exact_times(reasoner: MetricReasoner, facts: Path) -> None:
    result = reasoner.materialise(facts)
    rows = list(result)
    assert rows[0] == ("Both", ("attic", "hall"), Fraction(5, 4), True, Fraction(4, 3), True)
    assert [row.args for row in result["Recent"]] == [(7,), ("attic",), ("hall",)]
    assert len(result) == 5
    assert result.predicates == ["Both", "Recent"]


def test_tables(reasoner: MetricReasoner, facts: Path) -> None:
    result = reasoner.materialise(facts)
    assert result.to_arrow().column("end").to_pylist()[0] == pytest.approx(4 / 3)
    assert result.to_arrow(exact=True).column("end").to_pylist()[0] == "4/3"
    assert list(result.to_pandas()["args"]) == ["attic|hall", "hall|attic", "7", "attic", "hall"]
    assert result.to_polars(exact=True)["start"].to_list() == ["1.25", "1.25", "3", "1.25", "1"]
    split = result["Both"].to_arrow(split=True)
    assert split.column_names == ["predicate", "x", "y", "start", "start_closed", "end", "end_closed"]
    with pytest.raises(HoldsforError, match="only one predicate can be split"):
        result.to_arrow(split=True)


def test_what_holds_at_a_time(reasoner: MetricReasoner, facts: Path) -> None:
    result = reasoner.materialise(facts)
    assert [row.args for row in result.holds_at("1.3")["Both"]] == [("attic", "hall"), ("hall", "attic")]
    assert [row.args for row in result.holds_at(Fraction(4, 3))["Recent"]] == [("attic",), ("hall",)]
    assert len(result.holds_at(1.34)) == 1


def test_shown(reasoner: MetricReasoner, facts: Path) -> None:
    result = reasoner.materialise(facts, query="Recent", start=1, end=2)
    assert repr(result).splitlines() == [
        "2 intervals of 1 predicate",
        "predicate  args   start  start_closed  end    end_closed",
        "Recent     attic  1.25           true  19/12        true",
        "Recent     hall   1              true  4/3          true",
    ]
    assert "<td>19/12</td>" in result._repr_html_()


def test_names_that_there_are_not(reasoner: MetricReasoner, facts: Path) -> None:
    with pytest.raises(HoldsforError, match="did you mean Recent"):
        reasoner.materialise(facts)["Recnt"]
    with pytest.raises(HoldsforError, match="no rule derives Alarm"):
        reasoner.materialise(facts, query="Alarm")


def test_steps_give_the_same(reasoner: MetricReasoner, facts: Path) -> None:
    whole = reasoner.materialise(facts, start=0, end=5)
    stepped = reasoner.materialise(facts, start=0, end=5, step="1/7")
    assert list(stepped) == list(whole)
    assert stepped.summary.steps == 36


def test_a_stream_that_is_fed(facts: Path, tmp_path: Path) -> None:
    stream = loads_metric(RULES).stream()
    stream.push(facts)
    assert len(stream.advance(0.5)) == 0
    assert [row[1:] for row in stream.advance(1)] == [(("hall",), 1, True, 1, True)]
    held = stream.facts_held
    assert held > 0
    late = tmp_path / "late.txt"
    late.write_text("Alarm(cellar)@0.75\nAlarm(cellar)@1.5\n")
    stream.push(late)
    assert stream.late == 1
    assert {row.args for row in stream.advance(2)["Recent"]} == {("hall",), ("attic",), ("cellar",)}
    stream.advance(9)
    assert stream.facts_held == 0


def test_the_future_needs_a_delay(facts: Path) -> None:
    reasoner = loads_metric("Soon(X) :- Diamondplus[1,2] Alarm(X)")
    with pytest.raises(ProgramError, match="HF621"):
        reasoner.stream()
    with pytest.raises(HoldsforError, match="answers come 2 later"):
        reasoner.stream(delay=1)
    stream = reasoner.stream(delay="inf")
    assert stream.delay == 2
    stream.push(facts)
    assert [(row.args, row.start) for row in stream.advance(1)] == [(("hall",), -1)]


GOALS = "Near(X,Y) :- At(X,P), At(Y,P)\nTold(X) :- Near(X,Y), Diamondminus[0,5] Alarm(Y)"


def test_a_question_to_a_stream() -> None:
    facts = {"At": [(1, "ann", "hall"), (1, "bob", "hall"), (1, "eve", "hall")], "Alarm": [(0, "bob"), (0, "zoe")]}
    stream = loads_metric(GOALS).stream(query="Told(ann)")
    stream.push(facts)
    assert [(row.predicate, row.args, row.start) for row in stream.advance(1)] == [("Told", ("ann",), 1)]


def test_a_question_to_a_session() -> None:
    session = loads_metric(GOALS).session(lateness=5, query="Told(ann)")
    session.push({"At": [(1, "ann", "hall"), (1, "bob", "hall"), (1, "eve", "hall")], "Alarm": [(3, "bob")]})
    assert not session.advance(3).added
    session.push({"Alarm": [(0, "bob")]})
    assert [(row.predicate, row.args) for row in session.advance(4).added] == [("Told", ("ann",))]
    session.retract({"At": [(1, "bob", "hall")]})
    assert [row.args for row in session.advance(5).removed] == [("ann",)]
    assert not session.answer()


def test_what_is_final_is_not_removed() -> None:
    session = loads_metric("Recent(X) :- Diamondminus[0,2] Alarm(X)").session(lateness=5)
    for time in range(0, 60, 10):
        session.push({"Alarm": [(time, "hall")]})
        changes = session.advance(time + 9)
        assert [(row.start, row.end) for row in changes.added] == [(time, time + 2)]
        assert not changes.removed


def test_ticks_become_finer_in_a_session() -> None:
    session = loads_metric("Recent(X) :- Diamondminus[0,2] Alarm(X)").session(lateness=5)
    session.push({"Alarm": [(0, "hall")]})
    assert [row.end for row in session.advance(1).added] == [1]
    session.push({"Alarm": [("1/3", "attic")]})
    assert {(row.args, row.start, row.end) for row in session.advance(2).added} == {
        (("attic",), Fraction(1, 3), Fraction(2)),
        (("hall",), Fraction(1), Fraction(2)),
    }
    session.retract({"Alarm": [(0, "hall")]})
    changes = session.advance("5/2")
    assert [(row.args, row.end) for row in changes.removed] == [(("hall",), 2)]
    assert [(row.args, row.start, row.end) for row in changes.added] == [(("attic",), 2, Fraction(7, 3))]


def test_a_delay_that_never_ends() -> None:
    reasoner = loads_metric("Q(X) :- P(X)\nQ(X) :- Diamondplus[1] Q(X)")
    with pytest.raises(ProgramError) as caught:
        reasoner.stream(delay="inf")
    assert [finding.span.line for finding in caught.value.diagnostics] == [2]


def test_what_goes_on_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "facts.txt"
    path.write_text("Order(tea)@0.5\n")
    found = loads_metric("Due(X) :- Order(X)\nBoxplus[5] Due(X) :- Due(X)").materialise(path)
    assert [(one.row.args, one.row.start, one.period) for one in found.repeating] == [(("tea",), Fraction(1, 2), 5)]
    assert repr(found).endswith("… and so on every 5: Due from 0.5 on")
    assert len(found) == 1
    assert [row.start for row in found.between(100, 110)] == [Fraction(201, 2), Fraction(211, 2)]
    assert not found.holds_at("1000")
    assert len(found.holds_at("1000.5")) == 1


def test_several_questions_about_what_goes_on_for_ever() -> None:
    facts = {"Shift": [(0, "ann", "bar"), (1, "bob", "bar"), (2, "ann", "door"), (3, "eve", "door")]}
    rules = loads_metric("On(X,Y) :- Shift(X,Y)\nBoxplus[7] On(X,Y) :- On(X,Y)")
    found = rules.materialise(facts, query=["On(ann, Y)", "On(X, bar)"])
    assert {one.row.args for one in found.repeating} == {("ann", "bar"), ("bob", "bar"), ("ann", "door")}
    assert len(found.repeating) == 3
    assert [(row.args, row.start) for row in found.between(700, 703)] == [
        (("ann", "bar"), 700),
        (("ann", "door"), 702),
        (("bob", "bar"), 701),
    ]


def test_what_goes_on_for_ever_is_known_to_later_stages_beyond_the_end(tmp_path: Path) -> None:
    path = tmp_path / "facts.txt"
    path.write_text("P(a)@0\nE(a,b)@20\nF(b)@[0,30]\n")
    rules = "Boxplus[1] P(X) :- P(X)\nQ(Y) :- P(X), E(X,Y)\nQ(Y) :- F(Y), Boxplus[1] Q(Y)"
    found = loads_metric(rules).materialise(path, start=0, end=10)
    assert [row.start for row in found if row.predicate == "Q"] == list(range(11))
    assert [row.start for row in found if row.predicate == "P"] == list(range(11))
    assert not found.repeating


def test_files(tmp_path: Path) -> None:
    (tmp_path / "one.dmtl").write_text("Q(X) :- P(X)")
    (tmp_path / "two.dmtl").write_text("R(X) :- Q(X)\nP(a)@3")
    reasoner = holdsfor.load(tmp_path / "one.dmtl", tmp_path / "two.dmtl")
    assert isinstance(reasoner, MetricReasoner)
    assert [row.predicate for row in reasoner.materialise()] == ["Q", "R"]
    (tmp_path / "two.dmtl").write_text("R(Y) :- Q(X)")
    with pytest.raises(ProgramError, match=r"two.dmtl:1:3: error\[HF612\]"):
        holdsfor.load(tmp_path / "one.dmtl", tmp_path / "two.dmtl")


def test_tables_in_memory(reasoner: MetricReasoner) -> None:
    pandas = pytest.importorskip("pandas")
    alarms = pandas.DataFrame({"start": [1.0, 2.5], "end": [1.0, 3.0], "room": ["hall", "attic"]})
    rows = list(reasoner.materialise({"Alarm": alarms}, query="Recent"))
    assert [(row.args, row.start, row.end) for row in rows] == [
        (("attic",), Fraction(5, 2), Fraction(10, 3)),
        (("hall",), 1, Fraction(4, 3)),
    ]


def test_findings() -> None:
    with pytest.raises(ProgramError, match="HF612"):
        loads_metric("Q(Y) :- P(X)")
    reasoner = from_metric_program(loads_metric("Q(X) :- P(X)").program)
    assert reasoner.diagnostics == ()


@pytest.mark.parametrize("time", ["soon", "1/0", "", "nan"])
def test_times_that_are_none(time: str) -> None:
    with pytest.raises(HoldsforError, match="must be a number"):
        exact(time)


@pytest.mark.parametrize("name", ["short_stop", "network_monitoring"])
def test_examples(name: str) -> None:
    folder = EXAMPLES / name
    expected = (folder / "expected.csv").read_text().splitlines()[1:]
    predicates = {line.partition(",")[0] for line in expected}
    reasoner = loads_metric((folder / "rules.dmtl").read_text())
    for step in (None, "1/2", 3):
        result = reasoner.materialise(folder / "facts.txt", start=0, end=20, step=step, query=predicates)
        table = result.to_arrow(exact=True)
        found = [",".join(map(_text, row.values())) for row in table.to_pylist()]
        assert found == expected


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


# What was not understood is never passed over in silence


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"Allarm": [(3, "pump")]}, r"no rule knows Allarm \(1 fact; did you mean Alarm\?\)"),
        ({"Alarm": [(3, "pump", "x")]}, r"no rule knows Alarm/2 \(1 fact"),
        ({"Alarm": [("soon", "pump")]}, r"1 malformed row skipped, first facts\['Alarm'\]:1: time is no number"),
        ({}, "there are no facts"),
        ({"Alarm": [(3_000, "pump")]}, "all facts lie outside the requested time: from 3000 to 3000"),
    ],
)
def test_an_empty_result_says_why(facts: dict[str, Any], said: str) -> None:
    with pytest.warns(UserWarning, match=said):
        found = loads_metric("Recent(X) :- Diamondminus[0,1/2] Alarm(X)").materialise(facts, start=0, end=10)
    assert len(found) == 0


def test_a_stream_says_what_it_skips() -> None:
    stream = loads_metric("Recent(X) :- Diamondminus[0,1/2] Alarm(X)").stream()
    with pytest.warns(UserWarning, match="no rule knows Allarm"):
        stream.push({"Allarm": [(3, "pump")]})
    with pytest.warns(UserWarning, match="malformed"):
        stream.push({"Alarm": [("soon", "pump")]})


def test_what_is_empty_for_good_reason_needs_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    rules = "Both(X) :- Alarm(X), Fire(X)"
    assert len(loads_metric(rules).materialise({"Alarm": [(3, "a")], "Fire": [(3, "b")]})) == 0
    assert not recwarn.list


def test_an_explanation_says_what_was_skipped() -> None:
    reasoner = loads_metric("Recent(X) :- Diamondminus[0,1/2] Alarm(X)")
    found = reasoner.explain("Recent(pump)", 3, facts={"Allarm": [(3, "pump")]})
    assert found.notes == ("no rule knows Allarm (1 fact; did you mean Alarm?)",)


# Arguments in results read back


def test_arguments_with_bars_are_told_apart() -> None:
    rules = "Q(X,Y) :- P(X,Y)\nP('a|b',c)@1\nP(a,'b|c')@1\nP('7',7)@1\nP('','it''s')@1"
    found = loads_metric(rules).materialise()
    texts = found.to_arrow()["args"].to_pylist()
    assert sorted(texts) == ["''|it's", "'7'|7", "'a|b'|c", "a|'b|c'"]
    assert {read_arguments(text) for text in texts} == {row.args for row in found}


def test_a_tick_names_the_file_and_the_line(tmp_path: Path) -> None:
    (tmp_path / "facts.txt").write_text("# a comment\nAlarm(a)@1\nAlarm(a)@1.5\nAlarm(b)@[1,2.5]\n")
    with pytest.warns(
        UserWarning, match=r"2 malformed rows skipped, first .*facts.txt:3: not a multiple of the tick 1:"
    ):
        found = loads_metric("Q(X) :- Alarm(X)").materialise(tmp_path / "facts.txt", tick=1)
    assert len(found) == 1


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_dates_are_the_same_in_every_format(unit: str, tmp_path: Path) -> None:
    texts = ["2024-01-01T00:00:00", "2024-01-01T00:00:02.5", "2024-02-29T12:00:00.000250"]
    mapping = {"unit": unit, "event": {"Alarm": {"time": "at", "args": ["who"]}}}
    (tmp_path / "a.csv").write_text("at,who\n" + "".join(f"{text},a\n" for text in texts))
    (tmp_path / "b.csv").write_text("at,who\n" + "".join(f"{text}Z,a\n" for text in texts))
    (tmp_path / "c.csv").write_text("at,who\n" + "".join(f"{text.replace('T', ' ')}+00:00,a\n" for text in texts))
    (tmp_path / "d.jsonl").write_text("".join(json.dumps({"at": text, "who": "a"}) + "\n" for text in texts))
    stamps = pa.array([datetime.fromisoformat(text) for text in texts], pa.timestamp("us"))
    pq.write_table(pa.table({"at": stamps, "who": ["a"] * 3}), tmp_path / "e.parquet")
    pq.write_table(pa.table({"at": stamps.cast(pa.timestamp("ns", "UTC")), "who": ["a"] * 3}), tmp_path / "f.parquet")
    scale = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    seconds = [1704067200, Fraction(3408134405, 2), 1709208000 + Fraction(1, 4000)]
    for path in sorted(tmp_path.iterdir()):
        found = loads_metric("Q(X) :- Alarm(X)").materialise(path, mapping=mapping)
        assert [row.start for row in found] == [second * scale for second in seconds], path


@pytest.mark.parametrize("text", ["2024-13-01", "2024-02-30T00:00:00", "yesterday", "2024-01-01T25:00", "24-01-01"])
def test_what_is_no_date(text: str) -> None:
    with pytest.warns(UserWarning, match="time is no number or date in range"):
        loads_metric("Q(X) :- Alarm(X)").materialise({"Alarm": [(text, "a"), ("2024-01-01", "a")]})


def test_a_unit_that_there_is_not() -> None:
    with pytest.raises(HoldsforError, match="unit must be one of s, ms, us, ns, min, h, d, not 'fortnights'"):
        loads_metric("Q(X) :- Alarm(X)").materialise({"Alarm": [(1, "a")]}, unit="fortnights")
