"""Events in timelines: one lane for an event and what it is about, numbers as lines."""

import json
import math
import re
import xml.etree.ElementTree as ET

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import holdsfor
from holdsfor.viz.timeline import Timeline
from tests.unit.viz.pictures import SVG, texts

RULES = """
initiatedAt(slow(V)=true, T) :- happensAt(speed(V,S), T), S < 5.
terminatedAt(slow(V)=true, T) :- happensAt(speed(V,S), T), S >= 5.
happensAt(change(V,D), T) :- happensAt(speed(V,S), T), D is S - 5.
happensAt(met(V,W), T) :- happensAt(meets(V,W), T).
happensAt(warmth(C), T) :- happensAt(heat(C), T).
happensAt(alert, T) :- happensAt(bell, T).
happensAt(place(V,X,Y), T) :- happensAt(seen(V,X,Y), T).
"""
REASONER = holdsfor.loads(RULES)


def lanes(picture: Timeline) -> dict[str, list[tuple[float, ...]]]:
    """The lanes that have events: times, and what was measured."""
    chart = picture.chart
    found: dict[str, list[tuple[float, ...]]] = {}
    for at in range(len(chart.points)):
        values = tuple(float(column[at]) for column in chart.points.numbers if not math.isnan(column[at]))
        row = (chart.points.time[at] + chart.clock.origin, *values)
        found.setdefault(chart.labels[chart.points.lane[at]], []).append(row)
    return found


def test_numbers_are_a_line_in_one_lane() -> None:
    result = REASONER.recognise({"speed": [(1, "tern", 3), (4, "tern", 9.5), (6, "gull", 4), (9, "tern", 3)]})
    picture = result.timeline(events=True)
    assert lanes(picture) == {"change(tern,…)": [(1, -2), (4, 4.5), (9, -2)], "change(gull,…)": [(6, -1)]}
    assert picture.chart.has_numbers.tolist() == [label.startswith("change") for label in picture.chart.labels]
    with_input = lanes(result.timeline(events=True, inputs=True))
    assert with_input["speed(tern,…)"] == [(1, 3), (4, 9.5), (9, 3)]


def test_what_is_the_same_for_all_events_of_a_lane_stands_in_its_name() -> None:
    result = REASONER.recognise({"meets": [(1, "a", "b"), (5, "a", "b"), (2, "c", "b"), (3, "c", "d")]})
    picture = result.timeline(events=True)
    assert lanes(picture) == {"met(a,b)": [(1,), (5,)], "met(c,…)": [(2,), (3,)]}
    assert not picture.chart.has_numbers.any()


def test_numbers_that_name_things_are_no_line() -> None:
    events = {"speed": [(1, 7, 3), (1, 8, 4)], "meets": [(2, 7, 8), (3, 8, 7)]}
    found = lanes(REASONER.recognise(events).timeline(events=["met"]))
    assert found == {"met(7,8)": [(2,)], "met(8,7)": [(3,)]}


def test_an_event_that_is_nothing_but_a_number_or_nothing_at_all() -> None:
    found = lanes(REASONER.recognise({"heat": [(1, 20.5), (2, 21.0)], "bell": [(3,), (4,)]}).timeline(events=True))
    assert found == {"warmth(…)": [(1, 20.5), (2, 21.0)], "alert": [(3,), (4,)]}


def test_a_flag_before_the_thing_is_not_what_an_event_is_about() -> None:
    rules = RULES + "happensAt(moved(F,V,X), T) :- happensAt(tracked(F,V,X), T).\n"
    events = {
        "speed": [(1, "tern", 3), (1, "gull", 3)],
        "tracked": [(2, "true", "tern", 0.5), (3, "true", "gull", 1.5)],
    }
    found = lanes(holdsfor.loads(rules).recognise(events).timeline(events=["moved"]))
    assert found == {"moved(true,tern,…)": [(2, 0.5)], "moved(true,gull,…)": [(3, 1.5)]}


def test_several_numbers_are_several_lines() -> None:
    result = REASONER.recognise({"seen": [(time, "tern", time / 2, 50 - time) for time in range(1, 6)], "bell": [(2,)]})
    picture = result.timeline(events=True)
    assert lanes(picture)["place(tern,…,…)"][0] == (1, 0.5, 49)
    root = ET.fromstring(picture.svg())
    drawn = [path for path in root.iter(f"{SVG}path") if path.get("class") == "line"]
    assert len(drawn) == 2 and [path.get("stroke-dasharray") for path in drawn] == [None, "4 3"]
    assert {"2.5", "0.5"} <= set(texts(root))
    # The first line rises and the second falls: y grows downwards.
    heights = [[float(y) for y in re.findall(r",([\d.]+)", path.get("d"))] for path in drawn]
    assert heights[0] == sorted(heights[0], reverse=True) and heights[1] == sorted(heights[1])


def test_input_stands_behind_what_follows_from_it() -> None:
    result = REASONER.recognise({"speed": [(1, "tern", 3), (4, "tern", 9)]})
    assert result.timeline(events=True, inputs=True).chart.labels == ["change(tern,…)", "slow(tern)", "speed(tern,…)"]
    assert result.timeline(events=True).chart.labels == ["change(tern,…)", "slow(tern)"]
    assert result.timeline(inputs=True, entities=["tern"]).chart.labels == ["slow(tern)", "speed(tern,…)"]


def test_pages_know_what_events_say() -> None:
    result = REASONER.recognise({"meets": [(1, "a", "b"), (5, "a", "c")], "speed": [(1, "a", 3)]})
    page = result.timeline(events=True).html()
    data = json.loads(re.search(r'id="data">(.*?)</script>', page)[1])
    assert set(data["eventTexts"]) == {"met(a,b)", "met(a,c)", "change(a,-2)"}


def test_very_many_events_keep_their_numbers_but_not_their_texts() -> None:
    rows = [(time, "tern", float(time % 1000) + time / 1e6) for time in range(30_000)]
    picture = REASONER.recognise({"speed": rows}).timeline(events=True)
    assert picture.chart.texts == [] and bool(picture.chart.points.is_measured.all())
    svg = picture.svg()
    assert len(svg) < 200_000
    ET.fromstring(svg)
    assert len(picture.html()) < 3_000_000


numbers = st.one_of(st.integers(-10, 10), st.floats(-1e6, 1e6, width=32))


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 40), st.sampled_from(["tern", "gull"]), numbers), min_size=1, max_size=12))
def test_every_event_is_in_the_lane_of_its_thing_with_its_number(rows: list[tuple[int, str, float]]) -> None:
    picture = REASONER.recognise({"speed": rows}).timeline(events=True, inputs=True)
    found = lanes(picture)
    for thing in {name for _, name, _ in rows}:
        wanted = {(time, float(np.float64(speed))) for time, name, speed in rows if name == thing}
        assert set(found[f"speed({thing},…)"]) == wanted
    ET.fromstring(picture.svg())
    assert "NaN" not in picture.svg() and "nan" not in picture.svg()
