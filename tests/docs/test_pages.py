"""Every page of the documentation does what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdsfor.testing import assert_markdown
from tests.docs.pages import DOCS, Page

FOLLOWED = ["tutorial.md", "howto/late-data.md", "howto/from-rtec.md", "howto/from-meteor.md"]
TESTED = ["language.md", "testing.md", "howto/from-flink.md"]


@pytest.mark.parametrize("name", FOLLOWED)
def test_what_a_page_says_is_what_happens(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = Page(DOCS / name)
    page.follow()
    assert page.commands + page.programs > 0


@pytest.mark.parametrize("name", TESTED)
def test_examples_hold_on_every_engine(name: str) -> None:
    assert_markdown(DOCS / name)
