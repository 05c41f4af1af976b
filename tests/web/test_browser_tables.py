"""Tables, examples and links in a real browser."""

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdsfor.workbench.desk import Desk
from tests.web.bench import NASTY, RULES, harbour, served, written
from tests.web.looking import Looked, needs_browser, replace_rules, sync_api
from tests.web.test_tables import dated

pytestmark = needs_browser
ROWS = 450


def busy(folder: Path) -> Desk:
    """A harbour with more intervals and events than a page of a table has."""
    rows = [f"speed|{10 * n}|{10 * n}|v{n % 50}|{3 if n // 50 % 2 else 9}.5\n" for n in range(1, ROWS)]
    return harbour(folder, events="".join(rows) + f"distress|5|5|{NASTY}\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("busy")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with served(busy(folder)) as found:
        yield found


@pytest.fixture
def looked(browser, address: str, folder: Path):
    written(folder / "harbour.prolog", RULES)
    found = Looked(browser, address, accept_downloads=True)
    yield found
    found.close()


def column(page, panel: str, place: int) -> list[str]:
    return page.locator(f"{panel} tbody td:nth-child({place})").all_inner_texts()


def test_intervals_are_sorted_filtered_and_exported(looked: Looked) -> None:
    expect, page = sync_api.expect, looked.page
    page.locator("#tab-table").click()
    expect(page.locator("#table .bar [role=status]")).to_contain_text("intervals")
    page.get_by_label("Filter intervals").fill("slow")
    expect(page.locator("#table .bar [role=status]")).to_contain_text("200 intervals, of")
    heading = page.locator("#table th", has_text="start")
    heading.locator("button").focus()
    page.keyboard.press("Enter")
    expect(heading).to_have_attribute("aria-sort", "ascending")
    expect(heading.locator("button")).to_be_focused()
    starts = [int(cell) for cell in column(page, "#table", 3)]
    assert starts == sorted(starts) and set(column(page, "#table", 5)) == {"500"}
    page.keyboard.press("Enter")
    expect(heading).to_have_attribute("aria-sort", "descending")
    expect(page.locator("#table tbody tr").first).to_contain_text(str(max(starts)))
    page.get_by_label("Filter intervals").fill("slow(v7)")
    expect(page.locator("#table .bar [role=status]")).to_contain_text("4 intervals, of")
    for name, read in (("CSV", lambda text: list(csv.DictReader(text.splitlines()))), ("JSON", json.loads)):
        with page.expect_download() as started:
            page.get_by_label(f"Export as {name}").locator("visible=true").click()
        assert started.value.suggested_filename == f"intervals.{name.lower()}"
        rows = read(Path(started.value.path()).read_text())
        assert len(rows) == 4 and {row["fluent"] for row in rows} == {"slow(v7)"}
    page.get_by_label("Filter intervals").fill("nothing like it")
    expect(page.locator("#table .empty")).to_have_text("No intervals match the filter.")


def test_events_come_a_page_at_a_time_and_can_be_asked_about(looked: Looked) -> None:
    expect, page = sync_api.expect, looked.page
    page.locator("#tab-input").click()
    status = page.locator("#given .bar [role=status]")
    expect(status).to_have_text("1–200 of 450 events")
    expect(page.locator("#given tbody tr").first).to_contain_text(NASTY)
    assert page.locator("#given img").count() == 0
    page.locator("#given").get_by_text("Next").click()
    expect(status).to_have_text("201–400 of 450 events")
    assert column(page, "#given", 1)[0] == "2000"
    page.locator("#given").get_by_text("Next").click()
    expect(status).to_have_text("401–450 of 450 events")
    expect(page.locator("#given").get_by_text("Next")).to_be_disabled()
    page.get_by_label("Filter events").fill("v12,3.5")
    expect(status).to_contain_text("4 events, of 450 in all")
    page.locator("#given tbody tr").first.click()
    expect(page.locator("#answer .verdict")).to_have_text("holds")
    expect(page.locator("#answer code", has_text="speed|620|620|v12|3.5").first).to_be_visible()


def test_rules_that_wait_in_vain_are_marked(looked: Looked) -> None:
    expect, page = sync_api.expect, looked.page
    expect(page.locator("#findings .warning", has_text="answered")).to_have_count(1)
    replace_rules(page, RULES.replace("distress(V)", "distres(V)"))
    expect(page.locator("#findings")).to_contain_text("the data has distress; did you mean that?")
    replace_rules(page, RULES)
    expect(page.locator("#findings")).not_to_contain_text("the data has distress")


def test_an_event_of_the_timeline_is_asked_about_by_keyboard(looked: Looked) -> None:
    expect, page = sync_api.expect, looked.page
    canvas = page.frame_locator("#timeline iframe").locator("#canvas")
    expect(canvas).to_have_attribute("data-drawn", re.compile("[1-9]"))
    search = page.frame_locator("#timeline iframe").get_by_label("find lanes")
    search.fill("speed(v3,")
    canvas.focus()
    for key in ("ArrowDown", "n", "n", "Enter"):
        page.keyboard.press(key)
    expect(page.locator("#answer .verdict")).to_have_text("holds")
    assert page.input_value("#question") == "speed(v3,3.5)" and page.input_value("#at") == "530"


def test_an_example_is_opened_changed_and_left(looked: Looked, address: str) -> None:
    expect, page = sync_api.expect, looked.page
    page.locator("#examples").click()
    expect(page.locator("#gallery li").nth(20)).to_be_visible()
    page.get_by_label("Find", exact=True).fill("netbill")
    expect(page.locator("#gallery-list li")).to_have_count(1)
    page.get_by_label("Open NetBill").click()
    expect(page.locator("#bench")).to_contain_text("NetBill")
    expect(page.locator("#status")).to_contain_text("intervals from")
    assert page.url.endswith("#example=netbill") and "a-token" not in page.url
    expect(page.locator("#reload")).to_be_hidden()
    with page.expect_download() as started:
        page.locator("#save").click()
    assert started.value.suggested_filename == "rules.prolog"
    page.reload()
    expect(page.locator("#bench")).to_contain_text("NetBill")
    page.locator("#bench button").click()
    expect(page.locator("#files [role=tab]")).to_have_text(["harbour.prolog"])
    expect(page.locator("#bench")).to_be_hidden()


def test_a_link_carries_rules_and_events_to_somebody_else(browser, tmp_path: Path) -> None:
    expect = sync_api.expect
    with served(harbour(tmp_path)) as ours:
        sender = Looked(browser, ours)
        replace_rules(sender.page, "% from a friend\n" + RULES)
        sender.page.fill("#window", "40")
        sender.page.locator("#share").click()
        expect(sender.page.locator("#link-text")).to_be_visible()
        link = sender.page.input_value("#link-text")
        assert "/#share=1." in link and "a-token" not in link and "?" not in link
        sender.close()
    (tmp_path / "theirs").mkdir()
    with served(harbour(tmp_path / "theirs", rules="", events="")) as theirs:
        asked: list[str] = []
        receiver = Looked(browser, theirs)
        page = receiver.page
        page.on("request", lambda request: asked.append(request.url))
        page.locator("#examples").click()
        page.get_by_label("Open a link that somebody sent").fill("http://example.org/")
        page.keyboard.press("Enter")
        expect(page.locator("#link-problem")).to_contain_text("no link of a workbench")
        page.get_by_label("Open a link that somebody sent").fill(link)
        page.keyboard.press("Enter")
        expect(page.locator("#brought-files li")).to_have_text(["harbour.prolog 17 lines", "harbour.csv 7 lines"])
        page.locator("#brought button", has_text="Open").click()
        expect(page.locator(".cm-content")).to_contain_text("from a friend")
        expect(page.locator("#status")).to_contain_text("from 7 rows")
        assert page.input_value("#window") == "40"
        # What a link carries is sent in the body of a request, never in an address.
        assert asked and not any("share" in url and "=" in url for url in asked)
        # Somebody who changes their mind gets nothing.
        page.reload()
        page.locator("#brought button", has_text="Cancel").click()
        expect(page.locator("#bench")).to_be_hidden()
        expect(page.locator("#files [role=tab]")).to_have_text(["harbour.prolog"])
        receiver.close()


def test_a_link_that_would_be_too_long_is_not_made(browser, tmp_path: Path) -> None:
    events = "".join(f"speed|{t}|{t}|v{t * 7919 % 10007}|{t * 31 % 97}\n" for t in range(20_000))
    with served(harbour(tmp_path, events=events)) as address:
        found = Looked(browser, address)
        found.page.locator("#share").click()
        sync_api.expect(found.page.locator("#link-about")).to_contain_text("too large for a link")
        sync_api.expect(found.page.locator("#copy-link")).to_be_hidden()
        found.close()


def test_without_files_the_page_begins_with_the_examples(browser) -> None:
    with served(None) as address:
        found = Looked(browser, address)
        sync_api.expect(found.page.locator("#gallery")).to_be_visible()
        found.page.keyboard.press("Escape")
        replace_rules(found.page, "initiatedAt(on=true, T) :- happensAt(press, T).")
        sync_api.expect(found.page.locator("#findings li")).to_have_count(0)
        found.context.close()


def test_dates_are_everywhere(browser, tmp_path: Path) -> None:
    expect = sync_api.expect
    with served(dated(tmp_path)) as address:
        found = Looked(browser, address)
        page = found.page
        canvas = page.frame_locator("#timeline iframe").locator("#canvas")
        expect(canvas).to_have_attribute("aria-label", re.compile("from 2026-03-01T12:00:10"))
        page.locator("#tab-table").click()
        row = page.locator("#table tbody tr", has_text="slow(gull)")
        expect(row).to_contain_text("2026-03-01T12:00:13+02:00")
        expect(row).to_contain_text("18s")
        row.click()
        expect(page.locator("#answer h2")).to_contain_text("at 2026-03-01T12:00:13+02:00")
        page.fill("#window", "1 min")
        page.locator("#run").click()
        expect(page.locator("#table th").first).to_have_text("query time")
        found.close()
