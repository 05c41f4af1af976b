"""The report in a browser: light and dark, wide and on a phone, and for those who do not see it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("shapely", reason="needs shapely: pip install 'holdsfor[maritime]'")

from holdsfor_maritime.generator.world import EAST, WEST, coast, land_geojson
from holdsfor_maritime.report.page import findings_map, write_page
from tests.maritime.report.test_page import findings  # noqa: F401 -- a fixture

sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install 'holdsfor[dev]'")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe: pip install 'holdsfor[dev]'")

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
PHONE = {"width": 375, "height": 800}
DESK = {"width": 1280, "height": 900}
needs_browser = pytest.mark.skipif(BROWSER is None, reason="needs Chromium or Chrome on the path")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield found
        found.close()


@needs_browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_the_whole_page(findings: Any, tmp_path: Path, browser: Any, scheme: str, size: dict[str, int]) -> None:  # noqa: F811
    (tmp_path / "land.geojson").write_text(land_geojson())
    path = write_page(findings, tmp_path / "report.html")
    page = browser.new_page(viewport=size, color_scheme=scheme)
    try:
        page.goto(path.as_uri())
        page.frame_locator("iframe").locator("canvas[data-drawn]").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") == size["width"], "it is wider than the screen"
        wide = page.evaluate(
            "[...document.querySelectorAll('table')].filter(t => t.scrollWidth > t.clientWidth).length"
        )
        assert wide == 0
        for frame in page.frames:
            found = axe.Axe().run(frame)
            assert found.violations_count == 0, found.generate_report()
        # Nothing stays white in the dark, and nothing dark on white: paper, tables, pictures, the frame of the map.
        shades = page.evaluate(
            """() => [...document.querySelectorAll("body, section, select, .vessel:not([hidden]) svg > rect")]
            .map(one => getComputedStyle(one)[one.tagName === "rect" ? "fill" : "backgroundColor"])"""
        )
        light = [max(map(int, shade[4:-1].split(","))) > 127 for shade in shades]
        assert len(light) > 6
        assert set(light) == {scheme == "light"}
    finally:
        page.close()


def test_land_and_sea(findings: Any, tmp_path: Path) -> None:  # noqa: F811
    busy = findings.busiest(3)
    without = findings_map(findings, busy)
    assert not without.scene.has_sea
    assert '"ground":"ground"' in without.html()
    (tmp_path / "land.geojson").write_text(land_geojson())
    areas = [{"type": "Feature", "properties": {"id": "bay", "kind": "fishing"}, "geometry": None}]
    (tmp_path / "areas.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": areas}))
    found = findings_map(findings, busy)
    assert found.scene.area_kinds == ["land"]
    # Land is no reason to show more of the world than the tracks are in.
    assert found.scene.frame == without.scene.frame
    assert '"ground":"sea"' in found.html()
    assert "0 areas" in found.scene.description
    (ring,) = found.scene.areas[0].rings
    lon, lat = ring
    inside = (lat > 45) & (lat < 51) & (lon < EAST)
    assert (abs(lon - coast(lat))[inside] < 1e-9).all()
    assert lon.min() > WEST
