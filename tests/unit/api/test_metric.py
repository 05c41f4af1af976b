"""Metric programs from Python."""

from fractions import Fraction
from pathlib import Path

import pytest

import holdsfor
from holdsfor import HoldsforError, ProgramError
from holdsfor.metric import MetricReasoner, from_metric_program, loads_metric
from holdsfor.metric.session import DerivesForever
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
    assert split.column_names == ["predicate", "arg1", "arg2", "start", "start_closed", "end", "end_closed"]
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


def test_a_delay_that_never_ends() -> None:
    reasoner = loads_metric("Q(X) :- P(X)\nQ(X) :- Diamondplus[1] Q(X)")
    with pytest.raises(ProgramError) as caught:
        reasoner.stream(delay="inf")
    assert [finding.span.line for finding in caught.value.diagnostics] == [2]


def test_what_goes_on_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "facts.txt"
    path.write_text("Order(tea)@0.5\n")
    with pytest.raises(DerivesForever) as caught:
        loads_metric("Due(X) :- Order(X)\nBoxplus[5] Due(X) :- Due(X)").materialise(path)
    assert caught.value.predicates == ("Due",)
    assert caught.value.period is not None
    assert caught.value.period % 5 == 0


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
