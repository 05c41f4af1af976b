"""Timelines as SVG: well-formed, everything at its place, nothing that a name can break, and small however much there is."""

import time
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.diagnostics import HoldsforError
from holdsfor.viz.colours import colour
from holdsfor.viz.timeline import Lane, Ticks, timeline
from tests.unit.viz.pictures import SVG, bars, boxes, field_left, random_lanes, texts

MARGIN, TAIL = 20, 34


def parsed(*args: object, **options: object) -> ET.Element:
    return ET.fromstring(timeline(*args, **options).svg())


def test_five_intervals() -> None:
    lanes = [
        Lane("speed(tern)", [0, 10, 20], [10, 20, 30], group="tern", kind="speed", value=["low", "high", "low"]),
        Lane("open(front)", [5, 25], [15, 30], group="front", kind="open"),
    ]
    root = parsed(lanes, title="Five")
    drawn = bars(root)
    assert len(drawn) == 5
    assert [bar.title.splitlines() for bar in drawn[:2]] == [
        ["speed(tern) = low", "[0, 10)"],
        ["speed(tern) = high", "[10, 20)"],
    ]
    assert drawn[0].fill == drawn[2].fill != drawn[1].fill
    assert {"speed = low", "speed = high", "open", "speed(tern)", "open(front)", "low", "high"} <= set(texts(root))
    assert root.find(f"{SVG}title").text == "Five"
    assert "2 lanes with 5 intervals and 0 events from 0 to 30" in root.find(f"{SVG}desc").text


@given(
    st.lists(st.tuples(st.integers(-(10**6), 10**6), st.integers(1, 10**5)), min_size=1, max_size=30),
    st.sampled_from([500, 1200]),
)
def test_every_interval_that_is_wide_enough_is_drawn_at_its_place(found: list[tuple[int, int]], width: int) -> None:
    lanes = [Lane(f"lane{n}", [start], [start + length]) for n, (start, length) in enumerate(found)]
    root = ET.fromstring(timeline(lanes).svg(width))
    low, high = min(s for s, _ in found), max(s + n for s, n in found)
    scale = (width - field_left(root) - MARGIN) / (high - low)
    by_name = {bar.title.splitlines()[0]: bar for bar in bars(root)}
    for number, (start, length) in enumerate(found):
        bar = by_name.get(f"lane{number}")
        if length * scale >= 2.1:
            assert bar is not None
            assert bar.left == pytest.approx((start - low) * scale, abs=0.1)
            assert bar.right == pytest.approx((start + length - low) * scale, abs=0.1)
        elif bar is None:
            # A narrow one leaves a mark in the columns that it touches.
            left = (start - low) * scale
            assert any(box[0] - 0.1 <= left <= box[1] + 0.1 and box[3] == colour(number) for box in boxes(root))


def test_fifty_thousand_intervals_are_drawn_fast_and_small() -> None:
    lanes = random_lanes(100, 500)
    best = min(_seconds(lanes) for _ in range(3))
    assert best < 1
    text = timeline(lanes).svg()
    assert len(text) < 2_000_000
    root = ET.fromstring(text)
    assert any("80 fullest of 100 lanes" in text for text in texts(root))
    assert len(ET.fromstring(timeline(lanes, limit=3).svg()).findall(f".//{SVG}rect")) < 1_600


def _seconds(lanes: list[Lane]) -> float:
    begin = time.process_time()
    timeline(lanes).svg()
    return time.process_time() - begin


def test_shades_tell_how_much_is_covered() -> None:
    start = np.arange(0, 100_000, 10)
    dense, thin = Lane("dense", start, start + 9), Lane("thin", start, start + 1)
    root = parsed([dense, thin])
    shades = {
        path.get("fill"): float(path.get("opacity", 1))
        for path in root.iter(f"{SVG}path")
        if "h" in path.get("d", "") and path.get("fill")
    }
    assert shades[colour(0)] == 1
    assert shades[colour(1)] < 0.6


def test_open_ends_fade_away() -> None:
    root = parsed([Lane("a", [0, 10], [5, None]), Lane("b", [-np.inf], [7.5])])
    right = max(bar.right for bar in bars(root))
    left = field_left(root)
    assert 1200 - left - right == pytest.approx(MARGIN + TAIL, abs=0.5)
    fading = [path for path in root.iter(f"{SVG}path") if path.get("opacity") and path.get("fill")]
    assert len({path.get("opacity") for path in fading}) == 6
    assert {"a\n[10, ∞)", "b\n(−∞, 7.5)"} <= {bar.title for bar in bars(root)}


@pytest.mark.parametrize("unit", [None, "s"])
def test_nothing_at_all(unit: str | None) -> None:
    root = parsed([], unit=unit)
    assert "nothing to show" in texts(root)
    assert bars(parsed([Lane("empty", [], [])])) == []


def test_one_instant_only() -> None:
    root = parsed([Lane("once", [5], [5])], [Ticks("tick", [5])])
    assert len(boxes(root)) == 1
    assert {"4", "5", "6"} <= set(texts(root))


def test_negative_times_and_huge_gaps() -> None:
    root = parsed([Lane("far", [-(10**15), 10**15], [-(10**15) + 10, 10**15 + 10])])
    assert len(boxes(root)) == 2
    assert "0" in texts(root)


def test_large_whole_times_stay_exact() -> None:
    start = 1_700_000_000_123_456_789
    (bar,) = bars(parsed([Lane("a", [start], [start + 7])]))
    assert bar.title == f"a\n[{start}, {start + 7})"


NASTY = [
    "<script>alert(1)</script>",
    "a & b",
    "quote \" and ' quote",
    "x\x00y\nz",
    "速度計(船)",
    "e\u0301" * 90,
    "]]>",
    "\ud800",
]


@pytest.mark.parametrize("name", NASTY)
def test_names_of_any_kind(name: str) -> None:
    lanes = [Lane(name, [1], [20], group=name, kind=name, value=name), Lane("other", [1], [30], group="g")]
    text = timeline(lanes, [Ticks(name, [4], kind=name)], title=name).svg()
    root = ET.fromstring(text.encode())
    assert "<script" not in text
    assert len(bars(root)) == 2


def test_dates() -> None:
    midnight = 1714521600
    root = parsed([Lane("a", [midnight], [midnight + 86400])], unit="s")
    assert {"2024-05-01", "2024-05-02", "06:00", "18:00"} <= set(texts(root))
    assert bars(root)[0].title == "a\n[2024-05-01T00:00:00Z, 2024-05-02T00:00:00Z)"
    assert "UTC" in texts(root)
    same = parsed([Lane("a", np.array([midnight], "datetime64[s]"), np.array([midnight + 86400], "datetime64[s]"))])
    assert texts(same) == texts(root)


def test_dates_of_a_zone() -> None:
    midnight = 1714510800
    root = parsed([Lane("a", [midnight], [midnight + 86400])], unit="s", zone="Europe/Athens")
    assert {"2024-05-01", "2024-05-02", "06:00", "18:00", "Europe/Athens"} <= set(texts(root))
    assert bars(root)[0].title == "a\n[2024-05-01T00:00:00+03:00, 2024-05-02T00:00:00+03:00)"


def test_columns_of_pandas_with_a_zone() -> None:
    times = pd.to_datetime(["2024-05-01T00:00+03:00", "2024-05-01T06:00:00.25+03:00"], format="ISO8601")
    times = times.tz_convert("Europe/Athens")
    ends = pd.Series([times[1], pd.NaT])
    root = parsed([Lane("a", times, ends)], zone="Europe/Athens")
    assert [bar.title for bar in bars(root)] == [
        "a\n[2024-05-01T00:00:00+03:00, 2024-05-01T06:00:00.25+03:00)",
        "a\n[2024-05-01T06:00:00.25+03:00, ∞)",
    ]


def test_open_and_closed_ends_are_marked() -> None:
    root = parsed([Lane("a", [0.5, 4], [2.5, 6], start_open=[True, False], end_open=False)])
    dots = [dot.get("class") for dot in root.iter(f"{SVG}circle")]
    assert sorted(dots) == ["end", "end closed", "end closed", "end closed"]
    assert [bar.title for bar in bars(root)] == ["a\n(0.5, 2.5]", "a\n[4, 6]"]


def test_groups_have_headers_and_stay_together() -> None:
    lanes = [Lane(f"{kind}({who})", [0], [9], group=who) for kind in ("a", "b") for who in ("x", "y")]
    order = [text for text in texts(parsed(lanes)) if text in {"x", "y", "a(x)", "b(x)", "a(y)", "b(y)"}]
    assert order[-6:] == ["x", "a(x)", "b(x)", "y", "a(y)", "b(y)"]


def test_events_are_marks() -> None:
    root = parsed([Lane("a", [0], [100])], [Ticks("beep", [10, 10, 50], kind="beep")])
    marks = [path for path in root.iter(f"{SVG}path") if path.get("class") == "tick"]
    assert len(marks) == 2
    assert marks[0].find(f"{SVG}title").text == "beep: 2 around 10"


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(HoldsforError, match="2 starts and 1 ends"):
        timeline([Lane("a", [1, 2], [3])])
    with pytest.raises(HoldsforError, match="1 intervals and 2 values"):
        timeline([Lane("a", [1], [3], value=["x", "y"])])
    with pytest.raises(HoldsforError, match="cannot reach from 5 to 5"):
        timeline([Lane("a", [1], [3])], span=(5, 5))
    with pytest.raises(HoldsforError, match="unit must be one of s, ms, us, ns"):
        timeline([], unit="fortnight")
    with pytest.raises(HoldsforError, match="times must be numbers"):
        timeline([Lane("a", ["soon"], ["later"])])


def test_kinds_keep_their_colours() -> None:
    order = ["gap", "trawling", ("speed", "high")]
    (one,) = bars(parsed([Lane("trawling(1)", [0], [9], kind="trawling")], kinds=order))
    (other,) = bars(parsed([Lane("speed(1)", [0], [9], kind="speed", value="high")], kinds=order))
    assert (one.fill, other.fill) == (colour(1), colour(2))
    root = parsed([Lane("trawling(1)", [0], [9], kind="trawling"), Lane("new", [0], [9])], kinds=order)
    assert "gap" not in texts(root)
    assert [bar.fill for bar in bars(root)] == [colour(1), colour(3)]


def test_the_fullest_groups_stay_whole() -> None:
    lanes = [Lane(f"busy({n})", range(0, 50, 5), range(2, 52, 5), group=str(n)) for n in range(3)]
    lanes += [Lane(f"rare({n})", [n], [n + 2], group=str(n)) for n in range(3)]
    lanes += [Lane("alone", range(0, 90, 3), range(1, 91, 3))]
    chart = timeline(lanes, limit=3).chart.fullest(3)
    assert sorted(chart.labels) == ["alone", "busy(0)", "rare(0)"]
