"""Every page of the documentation does what it says."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from holdsfor.codes import all_codes
from tests.docs.catalogue import ELSEWHERE, FOLLOWED, NOT_RUN, ON_SPARK, OTHERWISE, WITH_SERVERS, left_out, never_run
from tests.docs.pages import DOCS, ROOT, SHOWN, Block, Page, blocks

PAGES = {path.relative_to(DOCS).as_posix(): path for path in DOCS.rglob("*.md")} | {"README.md": ROOT / "README.md"}


@pytest.mark.parametrize("name", FOLLOWED)
def test_what_a_page_says_is_what_happens(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = Page(DOCS / name, skipped=left_out(name))
    page.follow()
    assert page.done > 0


def test_the_pictures_are_those_that_the_page_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Page(DOCS / "pictures.md").follow()
    drawn = {path.name: path.read_text() for path in tmp_path.glob("*.svg")}
    assert sorted(drawn) == ["graph.svg", "map.svg", "timeline.svg", "timeline_metric.svg"]
    for name, picture in drawn.items():
        if name != "graph.svg":
            assert picture == (DOCS / "images" / name).read_text(), f"draw {name} again"


def test_every_page_with_something_to_run_is_followed_by_one_test() -> None:
    followed = Counter([*FOLLOWED, *ON_SPARK, *WITH_SERVERS, *OTHERWISE])
    assert followed == Counter(
        name for name, path in PAGES.items() if any(_is_run(name, block) for block in blocks(path))
    )


def _is_run(page: str, block: Block) -> bool:
    return block.language not in SHOWN and not any(block.has(line) for line in never_run(page))


def test_what_is_left_out_is_one_block_each() -> None:
    for page, line in (*ELSEWHERE, *NOT_RUN):
        assert sum(block.has(line) for block in blocks(PAGES[page])) == 1, line


def test_metric_codes_on_the_page_are_those_that_there_are() -> None:
    named = set(re.findall(r"HF6[0-7]\d", (DOCS / "datalogmtl.md").read_text("utf-8")))
    assert named == {code for code in all_codes() if "HF600" < code < "HF680"}
