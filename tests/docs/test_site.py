"""The site: all pages are put together, no link leads nowhere, and it is built without a warning."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from build_site import ROOT, BrokenLinks, assemble, check_site, put, relinked, sources
from reference_page import CHOSEN, reference

import holdsfor

SEARCHED = "timeout absence debounce count late join alert backfill deploy databricks glossary troubleshooting".split()
"""Words that people search for. Each is in the title of a page."""


def test_all_pages_are_put_together(tmp_path: Path) -> None:
    assemble(tmp_path)
    assert {path for path in sources().values() if not (tmp_path / path).exists()} == set()
    settings = (ROOT / "zensical.toml").read_text()
    assert [page for page in re.findall(r'"([\w/-]+\.md)"', settings) if not (tmp_path / page).exists()] == []
    in_menu = set(re.findall(r'"([\w/-]+\.md)"', settings))
    own = {name for path, name in sources().items() if path.is_relative_to(ROOT / "docs")}
    assert own <= in_menu, "a page that the menu does not have"


def test_links_that_lead_nowhere_are_told(tmp_path: Path) -> None:
    broken: list[str] = []
    source = ROOT / "docs" / "index.md"
    text = (
        "[a](nowhere.md) [b](tutorial.md#x) [c](https://a.example) [d](../LICENSE)\n```text a.csv\n[e](nowhere)\n```\n"
    )
    shown = relinked(source, text, "index.md", sources(), tmp_path, broken)
    assert broken == ["docs/index.md: nowhere.md leads nowhere"]
    assert "[b](tutorial.md#x)" in shown
    assert "[d](files/LICENSE)" in shown
    assert '```text title="a.csv"\n[e](nowhere)' in shown


def test_headings_that_are_not_there_are_told(tmp_path: Path) -> None:
    put(tmp_path / "index.html", '<h1 id="a">A</h1><a href="b/#c">there</a><a href="#a">here</a>')
    put(tmp_path / "b" / "index.html", '<h1 id="c">C</h1><a href="../#a">back</a>')
    check_site(tmp_path)
    put(tmp_path / "b" / "index.html", '<h1 id="d">D</h1><img src="x.svg"><a href="#d"></a>')
    with pytest.raises(BrokenLinks) as told:
        check_site(tmp_path)
    assert str(told.value).splitlines() == [
        "b/index.html: x.svg leads nowhere",
        "index.html: b/#c leads nowhere",
        "b/index.html: #d has no name",
    ]


def test_the_site_is_built(tmp_path: Path) -> None:
    pytest.importorskip("zensical")
    command = [sys.executable, str(ROOT / "docs" / "build_site.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No issues found" in done.stdout + done.stderr
    for page in (tmp_path / "site").rglob("index.html"):
        assert "```" not in page.read_text(), f"{page}: a block that was not understood"
    index = json.loads((tmp_path / "site" / "search.json").read_text())["items"]
    pages = {item["title"].lower() for item in index if "#" not in item["location"]}
    for word in SEARCHED:
        assert any(word in title for title in pages), f"no page is called {word}"


def test_the_reference_has_all_that_is_public() -> None:
    assert set(CHOSEN["holdsfor"] or []) == {name for name in holdsfor.__all__ if not name.startswith("__")}
    lines = reference().splitlines()
    assert "#### `Reasoner.recognise`" in lines
    assert max(len(line) for line in lines if line.startswith("    ")) < 120
