"""Maps of situations: segments lie on their tracks, big inputs are thinned, names and areas cannot break anything."""

import json
import re
import time
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.diagnostics import HoldsforError
from holdsfor.viz.colours import colour
from holdsfor.viz.map import situation_map
from holdsfor.viz.map_tracks import read_situations, read_tracks, segments, thinned
from tests.unit.viz.pictures import SVG, texts
from tests.unit.viz.test_timeline_html import BROWSER, column, data_of, times
from tests.unit.viz.test_timeline_svg import NASTY

TRACKS = {
    "entity": ["tern", "tern", "tern", "gull", "gull"],
    "time": [20, 0, 10, 0, 100],
    "lon": [-4.3, -4.5, -4.4, -4.6, -4.2],
    "lat": [48.4, 48.3, 48.3, 48.5, 48.5],
}
HELD = {
    "situation": ["gap", "trawling", "gap"],
    "entity": ["tern", "gull", "owl"],
    "start": [5, 10, 0],
    "end": [15, None, 9],
}
AREAS = {
    "type": "FeatureCollection",
    "features": [
        {
            "type": "Feature",
            "properties": {"id": "bay <1>", "kind": "fishing"},
            "geometry": {"type": "Polygon", "coordinates": [[[-4.5, 48.3], [-4.3, 48.3], [-4.3, 48.5], [-4.5, 48.3]]]},
        },
        {
            "type": "Feature",
            "properties": {"name": "two"},
            "geometry": {
                "type": "MultiPolygon",
                "coordinates": [[[[-4.6, 48], [-4.5, 48], [-4.5, 48.1], [-4.6, 48]]], [[[-4, 48], [-4, 49], [-3, 49]]]],
            },
        },
        {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [0, 0]}},
        {"type": "Feature", "properties": None, "geometry": None},
    ],
}


def test_what_a_map_has() -> None:
    root = ET.fromstring(situation_map(TRACKS, HELD, AREAS, title="Map").svg())
    lines = [path for path in root.iter(f"{SVG}path") if path.get("class") == "segment"]
    assert [line.find(f"{SVG}title").text for line in lines] == ["trawling: gull\n10 – ∞", "gap: tern\n5 – 15"]
    areas = [path.find(f"{SVG}title").text for path in root.iter(f"{SVG}path") if path.get("class") == "area"]
    assert areas == ["bay <1> (fishing)", "two (area)"]
    assert {"gap (1)", "trawling (1)", "fishing", "area", "1 situation without a track at that time"} <= set(
        texts(root)
    )
    assert any(text.endswith(" km") for text in texts(root))
    assert any(text.endswith("°W") for text in texts(root)) and any(text.endswith("°N") for text in texts(root))


@given(st.data())
def test_segments_lie_on_their_tracks(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 25))
    entity = data.draw(st.lists(st.sampled_from(["a", "b"]), min_size=size, max_size=size))
    when = data.draw(st.lists(st.integers(0, 50), min_size=size, max_size=size, unique=True))
    # Longitude is time: where a segment begins and ends can be read off.
    tracks = read_tracks({"entity": entity, "time": when, "lon": np.array(when) / 10, "lat": np.zeros(size)})
    count = data.draw(st.integers(0, 8))
    begin = np.array(data.draw(st.lists(st.integers(-5, 55), min_size=count, max_size=count)), np.int64)
    length = np.array(data.draw(st.lists(st.integers(0, 30), min_size=count, max_size=count)), np.int64)
    who = np.array(data.draw(st.lists(st.sampled_from(["a", "b", "c"]), min_size=count, max_size=count)), str)
    held = read_situations({"situation": ["s"] * count, "entity": who, "start": begin, "end": begin + length}, tracks)
    reach = {name: [w for w, e in zip(when, entity, strict=True) if e == name] for name in "abc"}
    expected = []
    for name, low, high in zip(who.tolist(), begin.tolist(), (begin + length).tolist(), strict=True):
        known = reach[name]
        if known and high >= min(known) and low <= max(known):
            first, last = max(low, min(known)), min(high, max(known))
            expected.append([first, *sorted(w for w in known if first < w < last), last])
    assert held.lost == count - len(expected)
    found = segments(tracks, held)
    drawn = [np.round(found.lon[found.situation == n] * 10, 6).tolist() for n in range(len(held))]
    assert drawn == expected


@given(st.lists(st.tuples(st.integers(0, 2), st.floats(0, 100), st.floats(0, 100)), max_size=60), st.integers(1, 30))
def test_thinning_keeps_ends_and_stays_near(points: list[tuple[int, float, float]], most: int) -> None:
    points.sort(key=lambda point: point[0])
    line = np.array([p[0] for p in points], np.int64)
    x, y = np.array([p[1] for p in points]), np.array([p[2] for p in points])
    rows = thinned(line, x, y, 0.5, most)
    for number in range(3):
        of_line = np.flatnonzero(line == number)
        if len(of_line):
            assert {of_line[0], of_line[-1]} <= set(rows.tolist())
    assert len(rows) <= max(most, 6)
    everything = thinned(line, x, y, 0.5, 10**6)
    for row in set(range(len(points))) - set(everything.tolist()):
        nearest = everything[everything < row][-1]
        assert np.hypot(x[row] - x[nearest], y[row] - y[nearest]) <= 0.5 * 2**0.5


def big(vessels: int = 100, points: int = 5_000) -> tuple[dict[str, Any], dict[str, Any]]:
    rng = np.random.default_rng(5)
    walk = np.cumsum(rng.normal(0, 0.001, (2, vessels, points)), axis=2)
    held = 50_000
    start = rng.integers(0, points * 10, held)
    return (
        {
            "entity": np.repeat(np.arange(vessels), points),
            "time": np.tile(np.arange(points) * 10, vessels),
            "lon": walk[0].ravel() - 5,
            "lat": walk[1].ravel() + 48,
        },
        {
            "situation": rng.choice(["gap", "trawling", "loitering"], held),
            "entity": rng.integers(0, vessels, held),
            "start": start,
            "end": start + rng.integers(1, 900, held),
        },
    )


def test_half_a_million_positions_and_fifty_thousand_situations() -> None:
    tracks, held = big()
    begin = time.process_time()
    picture = situation_map(tracks, held)
    svg, page = picture.svg(), picture.html()
    assert time.process_time() - begin < 5
    assert len(svg) < 3_000_000
    assert len(page) < 3_000_000
    ET.fromstring(svg)
    assert re.search(r"9,\d\d\d of the shortest situations are left out", page)


def test_the_data_of_a_page() -> None:
    data = data_of(situation_map(TRACKS, HELD, AREAS, unit="s").html())
    assert data["names"] == ["gull", "tern"]
    assert column(data["counts"]).tolist() == [2, 3]
    assert times(data["time"]).tolist() == [0, 100, 0, 10, 20]
    assert times(data["start"]).tolist() == [5, 10]
    assert times(data["end"]).tolist() == [15, np.inf]
    x = column(data["x"])
    assert -0.5 <= x.min() < x.max() <= 0.5
    assert [area["name"] for area in data["areas"]] == ["bay <1> (fishing)", "two (area)"]


def test_places_that_are_nowhere_are_counted() -> None:
    tracks = {
        "entity": [1, 1, 1, 1],
        "time": [0, 1, 2, 3],
        "lon": [0.0, 181.0, 1.0, np.nan],
        "lat": [0.0, 0.0, 91.0, 3.0],
    }
    picture = situation_map(tracks)
    assert len(picture.scene.tracks) == 1
    assert "3 positions that are nowhere on earth" in texts(ET.fromstring(picture.svg()))


def test_around_the_date_line() -> None:
    tracks = {"entity": ["a"] * 3, "time": [0, 1, 2], "lon": [179.0, 179.9, -179.2], "lat": [10.0, 10.5, 11.0]}
    root = ET.fromstring(situation_map(tracks).svg())
    (track,) = (path for path in root.iter(f"{SVG}path") if path.get("class") == "track")
    x = [float(number) for number in re.findall(r"[ML]([\d.]+),", track.get("d"))]
    assert x == sorted(x) and x[-1] - x[0] > 300
    assert {"179.5°E", "179.5°W"} <= set(texts(root))


@pytest.mark.parametrize("projection", ["mercator", "equirectangular"])
@pytest.mark.parametrize("tracks", [TRACKS, {"entity": [], "time": [], "lon": [], "lat": []}], ids=["some", "none"])
def test_any_projection_and_nothing_at_all(projection: str, tracks: dict[str, Any]) -> None:
    for areas in (AREAS, None):
        picture = situation_map(tracks, HELD, areas, projection=projection)
        ET.fromstring(picture.svg())
        data_of(picture.html())


@pytest.mark.parametrize("name", NASTY)
def test_names_cannot_break_out(name: str) -> None:
    tracks = {**TRACKS, "entity": [name] * 5}
    held = {"situation": [name], "entity": [name], "start": [1], "end": [9]}
    area = {"type": "Feature", "properties": {"id": name, "kind": name}, "geometry": AREAS["features"][0]["geometry"]}
    picture = situation_map(tracks, held, {"features": [area]}, title=name)
    ET.fromstring(picture.svg().encode())
    page = picture.html()
    page.encode()
    assert page.count("<script") == page.count("</script") == 2


def test_tables_and_files(tmp_path: Path) -> None:
    path = tmp_path / "areas.geojson"
    path.write_text(json.dumps(AREAS))
    dates = np.array(TRACKS["time"], "datetime64[s]")
    table = pa.table({**TRACKS, "time": dates})
    assert situation_map(table, HELD, path).svg() == situation_map(TRACKS, HELD, AREAS, unit="s").svg()
    with pytest.raises(HoldsforError, match="cannot read"):
        situation_map(TRACKS, HELD, tmp_path / "none.geojson")
    path.write_text("{")
    with pytest.raises(HoldsforError, match="is not JSON"):
        situation_map(TRACKS, HELD, path)


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(HoldsforError, match="tracks need columns entity, time, lon, lat; there are who"):
        situation_map({"who": [1]})
    with pytest.raises(HoldsforError, match="different lengths"):
        situation_map({**TRACKS, "lat": [1.0]})
    with pytest.raises(HoldsforError, match="not list"):
        situation_map([1, 2])
    with pytest.raises(HoldsforError, match="mercator or equirectangular, not 'globe'"):
        situation_map(TRACKS, projection="globe").svg()
    with pytest.raises(HoldsforError, match="FeatureCollection"):
        situation_map(TRACKS, areas={"type": "Point"})
    with pytest.raises(HoldsforError, match="no numbers"):
        situation_map(
            TRACKS, areas={"features": [{"geometry": {"type": "Polygon", "coordinates": [[["x", "y"]] * 4]}}]}
        )


@pytest.mark.skipif(BROWSER is None, reason="needs a browser")
def test_in_a_browser(tmp_path: Path) -> None:
    import subprocess

    page = situation_map(TRACKS, HELD, AREAS).save(tmp_path / "map.html")
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile"]
    command += ["--virtual-time-budget=2000", "--dump-dom", page.as_uri()]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True).stdout
    assert 'data-drawn="2"' in shown
    assert "2 situations" in shown


def test_kinds_keep_their_colours() -> None:
    picture = situation_map(TRACKS, HELD, kinds=["drifting", "trawling"])
    assert picture.scene.situations.kinds == ["drifting", "trawling", "gap"]
    root = ET.fromstring(picture.svg())
    assert not any("drifting" in text for text in texts(root))
    lines = [path.get("stroke") for path in root.iter(f"{SVG}path") if path.get("class") == "segment"]
    assert lines == [colour(1), colour(2)]
    assert [kind["unused"] for kind in data_of(picture.html())["kinds"]] == [True, False, False]
