"""Timelines as pages: the data come back as they were, nothing is loaded from outside, and pages stay small."""

import base64
import json
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.viz.page import json_text, packed, packed_times
from holdsfor.viz.timeline import Lane, Ticks, timeline
from tests.unit.viz.pictures import random_lanes
from tests.unit.viz.test_timeline_svg import NASTY

TYPES = {"u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "f32": np.float32, "f64": np.float64}
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")


def data_of(page: str) -> dict[str, Any]:
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


def column(packed_column: dict[str, Any]) -> np.ndarray:
    return np.frombuffer(base64.b64decode(packed_column["data"]), TYPES[packed_column["type"]])


def times(packed_column: dict[str, Any]) -> np.ndarray:
    """What the script makes of a column of times."""
    raw = column(packed_column)
    if packed_column["type"] == "f64":
        return raw
    last = np.iinfo(raw.dtype).max
    return np.where(raw == 0, -np.inf, np.where(raw == last, np.inf, raw + packed_column["offset"]))


@given(
    st.one_of(
        st.lists(st.one_of(st.integers(-(2**40), 2**40).map(float), st.sampled_from([np.inf, -np.inf]))),
        st.lists(st.integers(0, 70_000).map(float)),
        st.lists(st.floats(-1e9, 1e9)),
    )
)
def test_times_come_back_as_they_were(given_times: list[float]) -> None:
    column_of_times = np.array(given_times, np.float64)
    assert (times(packed_times(column_of_times)) == column_of_times).all()


@given(st.lists(st.integers(0, 2**32 - 1)))
def test_codes_come_back_as_they_were(codes: list[int]) -> None:
    assert column(packed(np.array(codes, np.int64))).tolist() == codes


def test_what_a_page_has() -> None:
    lanes = [Lane("b", [4, 2], [None, 3], group="g", value=["x", "y"]), Lane("a", [1], [9], group="g")]
    data = data_of(timeline(lanes, [Ticks("t", [5], group="g")], title="T").html())
    assert data["labels"] == ["b", "a", "t"]
    assert column(data["counts"]).tolist() == [2, 1, 0]
    assert times(data["start"]).tolist() == [1, 3, 0]
    assert times(data["end"]).tolist() == [2, np.inf, 8]
    assert times(data["eventTime"]).tolist() == [4]
    assert data["clock"] == {"origin": "1", "scale": 1}
    assert [kind["value"] for kind in data["kinds"]] == ["x", "y", "", ""]


def test_fifty_thousand_intervals() -> None:
    lanes = random_lanes(100, 500)
    begin = time.process_time()
    page = timeline(lanes).html()
    assert time.process_time() - begin < 1
    assert len(page) < 1_000_000


def test_a_million_intervals_are_joined_where_they_lie_close() -> None:
    page = timeline(random_lanes(100, 10_000)).html()
    assert len(page) < 2_000_000
    data = data_of(page)
    sizes = column(data["sizes"])
    assert sizes.sum() == 1_000_000
    assert len(sizes) <= 100_000
    assert "drawn together" in page


def test_very_many_events_are_thinned() -> None:
    page = timeline([], [Ticks(f"e{n}", np.arange(n, 10**6, 10)) for n in range(10)]).html()
    assert len(page) < 2_000_000
    assert "events that lie close to others are left out" in page


@pytest.mark.parametrize("name", NASTY)
def test_names_cannot_break_out(name: str) -> None:
    page = timeline([Lane(name, [1], [2], group=name, kind=name, value=name)], title=name).html()
    page.encode()
    assert page.count("<script") == 2
    assert page.count("</script") == 2
    assert "alert(1)</script>" not in page


def test_nothing_comes_from_outside() -> None:
    page = timeline(random_lanes(2, 3)).html()
    assert "default-src 'none'" in page
    assert not re.search(r"(src|href)\s*=|@import|url\(|https?://", page.split('id="data"')[0])
    code = page.rsplit("<script>", 1)[1]
    assert not re.search(r"https?://|\beval\b|innerHTML|fetch\(|import\(", code)


def test_json_in_pages() -> None:
    text = json_text({"a": "</script><!--\u2028"})
    assert "<" not in text
    assert json.loads(text) == {"a": "</script><!--\u2028"}


def test_in_a_notebook_it_is_a_frame() -> None:
    shown = timeline([Lane('"><script>', [1], [2])], title='"quoted"')._repr_html_()
    assert shown.startswith('<iframe srcdoc="')
    assert "<script" not in shown


@pytest.mark.skipif(BROWSER is None, reason="needs a browser")
@pytest.mark.parametrize("lanes", [[], [Lane("one", [5], [5])], random_lanes(40, 50)], ids=["none", "one", "many"])
def test_in_a_browser(lanes: list[Lane], tmp_path: Path) -> None:
    page = timeline(lanes, unit="s").save(tmp_path / "page.html")
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile"]
    command += ["--virtual-time-budget=2000", "--dump-dom", page.as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True).stdout
    assert re.search(r'<canvas [^>]*data-drawn="\d+"', shown)
    assert f"{len(lanes)} of {len(lanes)} lanes" in shown
