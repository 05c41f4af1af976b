"""The page in a real browser: everything that people do with it, by mouse, keyboard and on a small screen."""

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdsfor.viz.map import situation_map
from holdsfor.workbench.desk import Desk, Setting
from holdsfor.workbench.live import Follower
from holdsfor.workbench.watching import Watch
from tests.web.bench import EVENTS, NASTY, RULES, TRACKS, harbour, served, write_batch, write_report, written
from tests.web.looking import PATIENCE, Looked, needs_browser, replace_rules, sync_api

pytestmark = needs_browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("harbour")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    changes, reports = folder / "changes", folder / "reports.jsonl"
    write_batch(changes, 0, [("a", "open", "slow(tern)", "true", 11, None, 20)])
    write_report(reports, 0, query_time=20, events=1000, late=5, milliseconds=500)
    events = EVENTS + f"speed|50|50|{NASTY}|3\nspeed|x|1|gull|3\n{NASTY}|1|1\n"
    desk = harbour(folder, events=events, tracks=written(folder / "tracks.csv", TRACKS))
    with served(desk, Watch(Follower(changes, reports))) as found:
        yield found


@pytest.fixture
def looked(browser, address: str, folder: Path):
    written(folder / "harbour.prolog", RULES)
    found = Looked(browser, address)
    yield found.page
    found.close()


@pytest.fixture
def small(browser, address: str, folder: Path):
    written(folder / "harbour.prolog", RULES)
    found = Looked(browser, address, viewport={"width": 390, "height": 844}, has_touch=True, color_scheme="dark")
    yield found.page
    found.close()


def test_a_broken_rule_is_told_of_until_it_is_mended(looked) -> None:
    expect = sync_api.expect
    replace_rules(looked, RULES.replace("S < 5", "S < Max"))
    finding = looked.locator("#findings .error")
    expect(finding.first).to_contain_text("Max")
    expect(looked.locator(".cm-lint-marker-error").first).to_be_visible()
    expect(looked.locator("#files .unsaved")).to_have_count(1)
    finding.first.locator("button").click()
    assert "Max" in looked.evaluate("getSelection().toString()")
    looked.keyboard.press("Control+Enter")
    expect(looked.locator("#status")).to_contain_text("cannot run: line 1")
    replace_rules(looked, RULES)
    expect(finding).to_have_count(0)
    expect(looked.locator("#files .unsaved")).to_have_count(0)


def test_names_are_told_of_and_words_completed_by_keyboard(looked) -> None:
    looked.locator(".tok-function", has_text="slow").first.hover()
    sync_api.expect(looked.locator(".cm-tooltip .told")).to_contain_text("slow")
    replace_rules(looked, RULES + "\ninitiatedAt(x(V)=true, T) :- ")
    looked.keyboard.type("happ", delay=20)
    looked.wait_for_selector(".cm-tooltip-autocomplete li")
    looked.wait_for_timeout(150)  # a list that has just come up does not take keys, lest they be meant for the text
    looked.keyboard.press("Enter")
    sync_api.expect(looked.locator(".cm-content")).to_contain_text(":- happensAt")
    replace_rules(looked, RULES)


def test_an_interval_of_the_table_by_keyboard(looked) -> None:
    expect = sync_api.expect
    looked.locator("#tab-live").focus()
    for _ in range(2):
        looked.keyboard.press("Home")
        looked.keyboard.press("ArrowRight")
    expect(looked.locator("#tab-table")).to_be_focused()
    expect(looked.locator("#table")).to_be_visible()
    row = looked.locator("#table tbody tr", has_text="meeting(tern,gull)")
    row.focus()
    looked.keyboard.press("Enter")
    answer = looked.locator("#answer")
    expect(answer).to_contain_text("intersect_all")
    expect(answer.locator("code", has_text="near|15|14|50|true|tern|gull")).to_have_count(1)
    # A rule in the answer leads to its place in the editor.
    answer.locator("button.link").first.click()
    assert "holdsFor(meeting(V,W)=true" in looked.evaluate("getSelection().toString()")
    row.focus()
    looked.keyboard.press("ArrowDown")
    expect(looked.locator("#table tbody tr:focus")).not_to_contain_text("meeting")


def test_an_interval_of_the_timeline_by_mouse_and_by_keyboard(looked) -> None:
    expect = sync_api.expect
    looked.locator("#tab-timeline").click()
    canvas = looked.frame_locator("#timeline iframe").locator("#canvas")
    expect(canvas).to_have_attribute("data-drawn", re.compile("[1-9]"))
    canvas.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "n", "Enter"):
        looked.keyboard.press(key)
    expect(looked.locator("#answer .verdict")).to_have_text("holds")
    assert looked.input_value("#question") == "alarm(gull)=raised" and looked.input_value("#at") == "41"
    looked.locator("#close-why").click()
    expect(looked.locator("#answer")).to_be_hidden()
    # The lane that was chosen is wide now: the middle of the field is in the interval.
    box = canvas.bounding_box()
    canvas.click(position={"x": box["width"] * 0.6, "y": 28 + 24 + 3 * 22 + 24 + 11})
    expect(looked.locator("#answer .verdict")).to_have_text("holds")


def test_why_not_and_a_question_that_makes_no_sense(looked) -> None:
    expect = sync_api.expect
    looked.fill("#question", "meeting(tern,gull)=true")
    looked.fill("#at", "35")
    looked.keyboard.press("Enter")
    expect(looked.locator("#answer .verdict")).to_have_text("does not hold")
    expect(looked.locator("#answer .fails").first).to_be_visible()
    looked.fill("#question", "meting(tern,gull)=true")
    looked.keyboard.press("Enter")
    expect(looked.locator("#answer .trouble")).to_contain_text("did you mean meeting?")
    looked.fill("#question", NASTY)
    looked.keyboard.press("Enter")
    expect(looked.locator("#answer .trouble")).to_be_visible()
    assert looked.locator("#answer img").count() == 0


def test_windows_and_rules_that_have_changed(looked) -> None:
    expect = sync_api.expect
    looked.locator("#tab-table").click()
    looked.fill("#window", "40")
    looked.fill("#step", "20")
    looked.locator("#run").click()
    expect(looked.locator("#table tbody tr").nth(8)).to_be_visible()
    looked.locator("#table tbody tr", has_text="meeting").first.click()
    expect(looked.locator("#answer h2")).to_contain_text("as known at query time")
    replace_rules(looked, RULES.replace("S < 5", "S < 4").replace("S >= 5", "S >= 4"))
    expect(looked.locator("#status")).to_contain_text("have changed since")
    looked.keyboard.press("Control+Enter")
    expect(looked.locator("#status")).to_contain_text("from 8 rows")
    expect(looked.locator("#table tbody")).not_to_contain_text("meeting")
    replace_rules(looked, RULES)


def test_saving_formatting_and_a_file_that_somebody_else_has_written(looked, folder: Path) -> None:
    expect = sync_api.expect
    file = folder / "harbour.prolog"
    replace_rules(looked, "initiatedAt( slow(V)=true ,T):-happensAt(speed(V,S),T),S<5.")
    looked.locator("#format").click()
    expect(looked.locator(".cm-line").nth(1)).to_contain_text("    happensAt")
    looked.locator(".cm-content").press("Control+s")
    expect(looked.locator("#status")).to_contain_text("saved")
    assert file.read_text().startswith("initiatedAt(slow(V)=true, T) :-\n    happensAt")
    replace_rules(looked, "% mine")
    file.write_text("% theirs\n")
    looked.locator("#save").click()
    expect(looked.locator("#conflict")).to_contain_text("changed on disk")
    assert file.read_text() == "% theirs\n"
    looked.locator("#conflict button", has_text="Load theirs").click()
    expect(looked.locator(".cm-content")).to_contain_text("theirs")
    expect(looked.locator("#files .unsaved")).to_have_count(0)
    replace_rules(looked, "% mine again")
    file.write_text("% once more\n")
    looked.locator("#save").click()
    looked.locator("#conflict button", has_text="Save over it").click()
    expect(looked.locator("#conflict")).to_be_hidden()
    assert file.read_text() == "% mine again"


def test_whoever_leaves_with_unsaved_rules_is_asked(browser, address: str, folder: Path) -> None:
    written(folder / "harbour.prolog", RULES)
    found = Looked(browser, address)
    replace_rules(found.page, "% not saved")
    asked = []
    found.page.on("dialog", lambda dialog: asked.append(dialog.type))
    found.page.close(run_before_unload=True)
    for _ in range(100):
        if asked:
            break
        found.page.wait_for_timeout(50)
    assert asked == ["beforeunload"]
    found.context.close()


def test_map_graph_and_input(looked) -> None:
    expect = sync_api.expect
    for tab, inside in (("map", "#legend"), ("graph", "svg")):
        looked.locator(f"#tab-{tab}").click()
        expect(looked.frame_locator(f"#{tab} iframe").locator(inside).first).to_be_visible()
        assert looked.locator(f"#{tab} iframe").get_attribute("sandbox") == "allow-scripts"
    looked.locator("#tab-input").click()
    expect(looked.locator("#input")).to_contain_text("speed|x|1|gull|3")


def test_markup_in_names_stays_text(looked) -> None:
    expect = sync_api.expect
    looked.locator("#tab-table").click()
    row = looked.locator("#table tbody tr", has_text="<img src=x")
    row.click()
    expect(looked.locator("#answer h2")).to_contain_text(NASTY)
    expect(looked.locator("#answer code", has_text="speed|50|50|<img").first).to_be_visible()
    looked.locator("#tab-input").click()
    expect(looked.locator("#input")).to_contain_text(NASTY)
    rule = f"\ninitiatedAt(odd('{NASTY}')=true, T) :- happensAt(speed('{NASTY}',S), T), S < Odd.\n"
    replace_rules(looked, RULES + rule)
    expect(looked.locator("#findings .error").first).to_be_visible()
    looked.locator("#tab-timeline").click()
    frame = looked.frame_locator("#timeline iframe")
    expect(frame.locator("#canvas")).to_have_attribute("data-drawn", re.compile("[1-9]"))
    for place in (looked, frame):
        assert place.locator("img").count() == 0
    assert looked.evaluate("document.querySelectorAll('script').length") == 1
    replace_rules(looked, RULES)


def test_a_stream_is_watched(looked, folder: Path) -> None:
    expect = sync_api.expect
    looked.locator("#tab-live").click()
    expect(looked.locator("#open")).to_contain_text("slow(tern)=true")
    expect(looked.locator("#meters")).to_contain_text("2,000")
    changes = [("a", "close", "slow(tern)", "true", 11, 35, 40), ("b", "open", NASTY, "true", 30, None, 40)]
    write_batch(folder / "changes", 1, changes)
    write_report(folder / "reports.jsonl", 1, query_time=40, events=3000, late=15, milliseconds=500)
    expect(looked.locator("#open")).to_contain_text(NASTY)
    expect(looked.locator("#open")).not_to_contain_text("slow(tern)")
    expect(looked.locator("#feed tr")).to_have_count(3)
    expect(looked.locator("#meters")).to_contain_text("20 (0.5 %)")
    expect(looked.locator("#lanes")).to_have_attribute("data-lanes", "2")


def test_a_small_screen_has_everything(small) -> None:
    expect = sync_api.expect
    assert small.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    assert small.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(22, 24, 28)"
    for tab in ("timeline", "table", "map", "graph", "input", "live"):
        small.locator(f"#tab-{tab}").click()
        expect(small.locator(f"#{tab}")).to_be_visible()
        small.locator("#question").scroll_into_view_if_needed()
        assert small.evaluate("document.documentElement.scrollWidth") <= 390, tab
        cut = small.evaluate(
            """[...document.querySelectorAll('button, input, [role=tab]')].filter((one) => {
                 const box = one.getBoundingClientRect();
                 return box.width && !one.closest('.wide, table, .cm-editor') && (box.left < 0 || box.right > innerWidth + 0.5);
               }).map((one) => one.id || one.textContent)"""
        )
        assert cut == [], tab
    small.locator("#tab-table").click()
    small.locator("#table tbody tr", has_text="meeting").click()
    expect(small.locator("#answer .tree")).to_be_visible()
    expect(small.locator("#answer .verdict")).to_be_in_viewport()
    assert small.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_the_token_the_page_says_so(browser, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(address.split("#", maxsplit=1)[0])
    sync_api.expect(page.locator("#status")).to_contain_text("token")
    context.close()


def test_several_files_are_one_program_and_keep_their_own_history(browser, tmp_path: Path) -> None:
    expect = sync_api.expect
    slow, meeting = RULES.split("\n\n")[:2]
    paths = (written(tmp_path / "slow.prolog", f"{slow}\n"), written(tmp_path / "meeting.prolog", f"{meeting}\n"))
    desk = Desk(Setting(paths, (written(tmp_path / "harbour.csv", EVENTS),)))
    with served(desk) as address:
        found = Looked(browser, address)
        page = found.page
        expect(page.locator("#status")).to_contain_text("3 intervals")
        page.locator(".cm-content").press("Control+End")
        page.keyboard.insert_text("% more")
        expect(page.locator("#files [role=tab]").nth(0)).to_contain_text("•")
        page.locator("#files [aria-selected=true]").focus()
        page.keyboard.press("ArrowRight")
        expect(page.locator("#files [role=tab]").nth(1)).to_be_focused()
        expect(page.locator(".cm-content")).to_contain_text("meeting")
        replace_rules(page, meeting.replace("slow(W)", "slwo(W)"))
        expect(page.locator("#findings")).to_contain_text("meeting.prolog:")
        page.locator("#files [role=tab]").nth(0).click()
        expect(page.locator(".cm-content")).to_contain_text("% more")
        page.locator(".cm-content").press("Control+z")
        expect(page.locator(".cm-content")).not_to_contain_text("% more")
        page.locator("#findings button").first.click()
        expect(page.locator("#files [aria-selected=true]")).to_contain_text("meeting.prolog")
        assert "slwo" in page.evaluate("getSelection().toString()")
        found.close()


def test_a_page_finds_a_server_again_that_was_away(browser, tmp_path: Path) -> None:
    expect = sync_api.expect
    write_batch(tmp_path / "changes", 0, [("a", "open", "f", "v", 1, None, 5)])
    desk = harbour(tmp_path)
    with served(desk, Watch(Follower(tmp_path / "changes"))) as address:
        found = Looked(browser, address)
        expect(found.page.locator("#open")).to_contain_text("f=v")
    expect(found.page.locator("#meters")).to_contain_text("connection lost")
    port = int(address.split(":")[2].split("/")[0])
    write_batch(tmp_path / "changes", 1, [("a", "close", "f", "v", 1, 8, 9), ("b", "open", "g", "v", 8, None, 9)])
    with served(desk, Watch(Follower(tmp_path / "changes")), port):
        expect(found.page.locator("#open")).to_contain_text("g=v")
        expect(found.page.locator("#meters")).to_contain_text("running")
        # That nobody was there is what the browser complains about.
        found.complaints.clear()
        found.close()


def test_a_map_in_a_frame_that_is_shown_later(browser):
    tracks = {"entity": ["tern"] * 3, "time": [0, 10, 20], "lon": [-4.5, -4.4, -4.3], "lat": [48.3, 48.3, 48.4]}
    held = {"situation": ["trawling"], "entity": ["tern"], "start": [5], "end": [15]}
    frame = html.escape(situation_map(tracks, held).html())
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    page.set_content(f'<iframe style="display: none; width: 600px; height: 400px" srcdoc="{frame}"></iframe>')
    page.frames[1].wait_for_selector("canvas", state="attached")
    page.eval_on_selector("iframe", "frame => { frame.style.display = 'block'; }")
    # Lines, not everything in one place.
    page.frames[1].wait_for_function(
        """() => {
            const canvas = document.querySelector("canvas");
            const bytes = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
            const pixels = new Uint32Array(bytes.buffer);
            return pixels.filter((pixel) => pixel !== pixels[0]).length > 1500;
        }"""
    )
    page.close()
