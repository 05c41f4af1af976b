"""People who use a keyboard or a screen reader: axe finds nothing serious on any part of the page, light or dark."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdsfor.workbench.live import Follower
from holdsfor.workbench.watching import Watch
from tests.web.bench import EVENTS, TRACKS, harbour, served, write_batch, write_report, written
from tests.web.looking import Looked, needs_browser, sync_api

axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="needs axe: pip install axe-playwright-python"
)
pytestmark = needs_browser

LOOKS = {
    "light": {},
    "dark": {"color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "color_scheme": "dark"},
}


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: Path = tmp_path_factory.mktemp("harbour")
    write_batch(folder / "changes", 0, [("a", "open", "slow(tern)", "true", 11, None, 20)])
    write_report(folder / "reports.jsonl", 0, query_time=20, events=1000, late=5, milliseconds=500)
    # Some rows that cannot be read, and a rule that waits in vain.
    rows = "".join(f"speed|{time}|{time}|buoy|{time % 9}\n" for time in range(100, 130))
    events = EVENTS.replace("answered", "answred") + f"speed|x|1|gull|3\n{rows}"
    desk = harbour(folder, events=events, tracks=written(folder / "tracks.csv", TRACKS))
    with served(desk, Watch(Follower(folder / "changes", folder / "reports.jsonl"))) as found:
        yield found


def serious(place, look: str) -> list[str]:
    """What axe finds that keeps people from using a page or a frame of it."""
    # Frames are looked at one by one: nobody from outside can talk to those of pictures.
    options = {"resultTypes": ["violations"], "iframes": False}
    if look == "dark":
        # All else is as in the light.
        options["runOnly"] = ["color-contrast", "link-in-text-block"]
    found = axe.Axe().run(place, options=options).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {[node['html'][:120] for node in one['nodes'][:3]]}"
        for one in found
        if one["impact"] in {"critical", "serious"}
    ]


@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_nothing_serious(browser, address: str, look: str) -> None:
    looked = Looked(browser, address, **LOOKS[look])
    page = looked.page
    found: dict[str, list[str]] = {}
    sync_api.expect(page.locator("#findings li")).not_to_have_count(0)
    for tab in ("timeline", "table", "map", "graph", "input", "live"):
        page.locator(f"#tab-{tab}").click()
        if tab in {"table", "input"}:
            page.wait_for_selector(f"#{tab} tbody tr")
        found[tab] = serious(page, look)
        if tab in {"timeline", "map", "graph"}:
            page.frame_locator(f"#{tab} iframe").locator("main").first.wait_for()
            inside = next(frame for frame in page.frames if f"/{tab}/" in frame.url)
            found[f"the picture of {tab}"] = serious(inside, look)
    page.locator("#tab-table").click()
    page.locator("#table tbody tr", has_text="meeting").click()
    sync_api.expect(page.locator("#answer .tree")).to_be_visible()
    found["an answer"] = serious(page, look)
    for button, dialog in (("#examples", "#gallery"), ("#share", "#link")):
        page.locator(button).click()
        sync_api.expect(page.locator(f"{dialog} li, {dialog} #copy-link").first).to_be_visible()
        found[dialog] = serious(page, look)
        link = page.input_value("#link-text")
        page.keyboard.press("Escape")
    page.goto("about:blank")
    page.goto(link)
    sync_api.expect(page.locator("#brought li").first).to_be_visible()
    found["#brought"] = serious(page, look)
    looked.close()
    assert {place: problems for place, problems in found.items() if problems} == {}
