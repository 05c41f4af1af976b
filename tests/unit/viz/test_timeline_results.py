"""Timelines of results: at every time-point they show what the result says, whatever the windows."""

import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import holdsfor
from holdsfor.cli import app
from holdsfor.diagnostics import HoldsforError
from holdsfor.viz.timeline import Timeline
from tests.unit.viz.pictures import SVG, bars, texts

RULES = """
initiatedAt(inside(V,A)=true, T) :- happensAt(enters(V,A), T).
terminatedAt(inside(V,A)=true, T) :- happensAt(leaves(V,A), T).
initiatedAt(speed(V)=fast, T) :- happensAt(moves(V,S), T), S > 5.
initiatedAt(speed(V)=slow, T) :- happensAt(moves(V,S), T), S =< 5.
holdsFor(seen(V)=A, I) :- holdsFor(inside(V,A)=true, I1), union_all([I1], I).
happensAt(arrival(V), T) :- happensAt(start(inside(V,port)=true), T).
"""
REASONER = holdsfor.loads(RULES)
VESSELS, AREAS = ["tern", "gull", 7], ["port", "bay"]

events = st.fixed_dictionaries(
    {
        "enters": st.lists(st.tuples(st.integers(0, 40), st.sampled_from(VESSELS), st.sampled_from(AREAS)), max_size=8),
        "leaves": st.lists(st.tuples(st.integers(0, 40), st.sampled_from(VESSELS), st.sampled_from(AREAS)), max_size=8),
        "moves": st.lists(st.tuples(st.integers(0, 40), st.sampled_from(VESSELS), st.integers(0, 10)), max_size=8),
    }
)
windows = st.sampled_from([{}, {"window": 10}, {"window": 12, "step": 5}, {"window": 6, "step": 2}, {"step": 7}])


def shown_at(picture: Timeline, time: int) -> set[tuple[str, str]]:
    """Lanes and values of a timeline at a time-point."""
    chart = picture.chart
    at = time - chart.clock.origin
    rows = np.flatnonzero((chart.spans.start <= at) & (at < chart.spans.end))
    found = {
        (chart.labels[lane], chart.kinds[kind].value or "true")
        for lane, kind in zip(chart.spans.lane[rows].tolist(), chart.spans.kind[rows].tolist(), strict=True)
    }
    return {(label.rsplit("=", 1)[0], value) for label, value in found}


@settings(max_examples=30)
@given(events, windows)
def test_it_shows_what_holds(given_events: dict[str, list[tuple[object, ...]]], window: dict[str, int]) -> None:
    result = REASONER.recognise({name: rows or [] for name, rows in given_events.items() if rows}, **window)
    picture = result.timeline(events=True)
    for time in range(-2, 50):
        assert shown_at(picture, time) == {(row.fluent, row.value) for row in result.holds_at(time)}
    ET.fromstring(picture.svg())


@settings(max_examples=30)
@given(events, windows)
def test_no_lane_has_two_things_at_once(
    given_events: dict[str, list[tuple[object, ...]]], window: dict[str, int]
) -> None:
    chart = REASONER.recognise({n: rows for n, rows in given_events.items() if rows}, **window).timeline().chart
    spans = chart.spans
    same = spans.lane[1:] == spans.lane[:-1]
    assert (spans.start[1:] >= spans.end[:-1])[same].all()
    touching = same & (spans.kind[1:] == spans.kind[:-1])
    assert (spans.start[1:] > spans.end[:-1])[touching].all()


SOME = {
    "enters": [(10, "tern", "bay"), (12, "tern", "port"), (31, 7, "port"), (5, "gull", "bay")],
    "leaves": [(25, "tern", "bay"), (12, "gull", "bay")],
    "moves": [(3, "tern", 9), (20, "tern", 2)],
}


def test_groups_lanes_and_values() -> None:
    chart = REASONER.recognise(SOME).timeline(events=True).chart
    assert chart.labels == [
        "arrival(7)", "inside(7,port)", "seen(7)",
        "inside(gull,bay)", "seen(gull)",
        "arrival(tern)", "inside(tern,bay)", "inside(tern,port)", "seen(tern)=bay", "seen(tern)=port", "speed(tern)",
    ]  # fmt: skip
    assert list(dict.fromkeys(chart.groups)) == ["7", "gull", "tern"]
    assert {str(kind) for kind in chart.kinds} == {
        "inside", "seen = bay", "seen = port", "speed = fast", "speed = slow", "arrival",
    }  # fmt: skip


def test_choosing() -> None:
    result = REASONER.recognise(SOME)
    assert set(result.timeline(fluents="speed").chart.labels) == {"speed(tern)"}
    assert set(result.timeline(entities=[7]).chart.labels) == {"inside(7,port)", "seen(7)"}
    assert set(result.timeline(entities=["bay"], fluents=["inside"]).chart.labels) == {
        "inside(gull,bay)",
        "inside(tern,bay)",
    }
    assert result.timeline(fluents=["speed"], events=["arrival"]).chart.labels == [
        "arrival(7)",
        "arrival(tern)",
        "speed(tern)",
    ]
    early = result.timeline(between=(0, 8)).chart
    assert set(early.labels) == {"inside(gull,bay)", "seen(gull)", "speed(tern)"}
    assert early.clock.text(early.low), early.clock.text(early.high) == ("0", "8")
    picture = result.timeline(limit=2, title="Two lanes")
    assert "the 2 fullest of 9 lanes" in texts(ET.fromstring(picture.svg()))


def test_between_dates() -> None:
    hour = {"enters": [(1714557600, "tern", "bay")], "leaves": [(1714561200, "tern", "bay")]}
    result = REASONER.recognise(hour)
    for begin, end in (
        ("2024-05-01T10:00Z", "2024-05-01T10:30Z"),
        (datetime(2024, 5, 1, 10, tzinfo=UTC), datetime(2024, 5, 1, 10, 30, tzinfo=UTC)),
        (np.datetime64("2024-05-01T10:00"), np.datetime64("2024-05-01T10:30")),
    ):
        chart = result.timeline(between=(begin, end), unit="s").chart
        assert chart.clock.text(chart.high) == "2024-05-01T10:30:00Z"
    with pytest.raises(HoldsforError, match="declare the unit, for example"):
        result.timeline(between=(datetime(2024, 5, 1, tzinfo=UTC), datetime(2024, 5, 2, tzinfo=UTC)))
    with pytest.raises(HoldsforError, match="between must be a whole number, a datetime, or text .* not 'noon'"):
        result.timeline(between=("noon", "later"), unit="s")


def test_dates_of_the_program() -> None:
    """The axis has the dates of the declared zone, and of another one if that is wanted."""
    dated = holdsfor.loads(":- time_unit(s).\n:- time_zone('Europe/Athens').\n" + RULES)
    result = dated.recognise({"enters": [(1714557600, "tern", "bay")], "leaves": [(1714561200, "tern", "bay")]})
    shown = texts(ET.fromstring(result.timeline().svg()))
    assert {"Europe/Athens", "2024-05-01", "13:30"} <= set(shown)
    assert "Asia/Tokyo" in texts(ET.fromstring(result.timeline(zone="Asia/Tokyo").svg()))
    chart = result.timeline(between=("2024-05-01T13:10+03:00", "2024-05-01T13:20+03:00")).chart
    assert chart.clock.text(chart.low) == "2024-05-01T13:10:00+03:00"
    with pytest.raises(HoldsforError, match="known to be 1 s"):
        result.timeline(unit="ms")


def test_when_nothing_matches() -> None:
    result = REASONER.recognise(SOME)
    with pytest.raises(HoldsforError, match=r"there is no result for 'turn'; did you mean tern\?"):
        result.timeline(entities=["turn"])
    with pytest.raises(HoldsforError, match=r"no fluent is called 'sped'; did you mean speed\?"):
        result.timeline(fluents=["sped"])
    with pytest.raises(HoldsforError, match="no derived event is called 'bang'; there are arrival"):
        result.timeline(events=["bang"])
    with pytest.raises(HoldsforError, match="the first time must lie before the second"):
        result.timeline(between=(5, 5))
    with pytest.raises(HoldsforError, match="a time must be a number .* not 'soon'"):
        result.timeline(between=("soon", 5))
    assert "nothing to show" in texts(ET.fromstring(result.timeline(between=(-50, -40)).svg()))


def test_metric_results() -> None:
    metric = holdsfor.loads_metric(
        "Boxplus[0,2] Slow(V) :- Brakes(V)\nNear :- Slow(tram)\nBoxplus(0,inf) Later(V) :- Brakes(V)"
    )
    found = metric.materialise({"Brakes": [(1, "tram"), ("1/3", "bus")]}, query=["Slow", "Near", "Later"])
    picture = found.timeline()
    assert picture.chart.labels == ["Near", "Later(bus)", "Slow(bus)", "Later(tram)", "Slow(tram)"]
    titles = {bar.title for bar in bars(ET.fromstring(picture.svg()))}
    assert titles == {
        "Near\n[1, 3]", "Slow(bus)\n[1/3, 7/3]", "Slow(tram)\n[1, 3]", "Later(bus)\n(1/3, ∞)", "Later(tram)\n(1, ∞)",
    }  # fmt: skip
    assert found.timeline(predicates="Slow", entities=["bus"]).chart.labels == ["Slow(bus)"]
    assert found.timeline(between=("5/2", 10)).chart.labels == ["Near", "Later(bus)", "Later(tram)", "Slow(tram)"]
    with pytest.raises(HoldsforError, match=r"no predicate is called 'Slo'; did you mean Slow\?"):
        found.timeline(predicates=["Slo"])
    with pytest.raises(HoldsforError, match="there is no result for 'train'"):
        found.timeline(entities=["train"])


def test_metric_points_are_drawn() -> None:
    found = holdsfor.loads_metric("Tick :- Clock").materialise({"Clock": [(1,), (Fraction(5, 2),), (40,)]})
    root = ET.fromstring(found.timeline().svg())
    assert not bars(root)
    marks = [path for path in root.iter(f"{SVG}path") if path.get("fill") and "v" in path.get("d")]
    assert sum(path.get("d").count("M") for path in marks) == 3


def test_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules.prolog").write_text(RULES)
    Path("events.csv").write_text("enters|10|10|tern|port\nmoves|12|12|tern|9\n")
    Path("rules.dmtl").write_text("Boxplus[0,2] Slow(V) :- Brakes(V)")
    Path("facts.txt").write_text("Brakes(tram)@1")
    run = CliRunner()
    assert run.invoke(app, "run rules.prolog --events events.csv --timeline t.svg --unit s".split()).exit_code == 0
    assert "inside(tern,port)" in Path("t.svg").read_text()
    assert "arrival(tern)" in Path("t.svg").read_text()
    Path("dated.prolog").write_text(":- time_unit(s).\n:- time_zone('Europe/Athens').\n" + RULES)
    assert run.invoke(app, "run dated.prolog --events events.csv --timeline t.svg".split()).exit_code == 0
    assert "Europe/Athens" in Path("t.svg").read_text()
    windows = "run rules.prolog --events events.csv --timeline t.html --window 5 --step 2"
    assert run.invoke(app, windows.split()).exit_code == 0
    assert "inside(tern,port)" in Path("t.html").read_text()
    assert run.invoke(app, "run rules.dmtl --events facts.txt --timeline m.svg".split()).exit_code == 0
    assert "Slow(tram)" in Path("m.svg").read_text()
    assert "UTC" not in Path("m.svg").read_text()
    assert run.invoke(app, "run rules.dmtl --events facts.txt --timeline m.svg --unit min".split()).exit_code == 0
    assert "UTC" in Path("m.svg").read_text()
    for wrong, said in (
        ("--timeline t.gif", "is a .html, .svg or .png file, not 't.gif'"),
        ("--timeline t.svg --engine reference", "--timeline cannot be used with --engine reference"),
    ):
        failed = run.invoke(app, f"run rules.prolog --events events.csv {wrong}".split())
        assert failed.exit_code == 1
        assert said in failed.stderr
