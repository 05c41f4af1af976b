"""The exact text that newcomers read after a mistake.

To write the texts anew after a deliberate change, and to read the difference before committing it:

    HOLDSFOR_UPDATE_GOLDENS=1 pytest tests/mistakes && git diff tests/mistakes
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnostics.golden import UPDATE
from tests.mistakes.pages import PAGES, Case, cases_of, rewrite

CASES = [case for page in PAGES for case in cases_of(page)]


def _name(case: Case) -> str:
    return f"{case.page.stem}: {case.title}"


@pytest.mark.skipif(UPDATE, reason="the pages are written anew")
@pytest.mark.parametrize("case", CASES, ids=_name)
def test_what_is_said(case: Case, tmp_path: Path) -> None:
    assert case.run(tmp_path) == case.expected


@pytest.mark.parametrize("case", CASES, ids=_name)
def test_nothing_raw_is_said(case: Case) -> None:
    """No traceback, no name of a Python error, no address of an object; and some word about it."""
    assert case.expected.strip()
    for raw in ("Traceback", "TypeError", "KeyError", "ValueError", " object at 0x", "ArrowInvalid", "Errno"):
        assert raw not in case.expected


def test_every_mistake_has_a_name_of_its_own() -> None:
    names = [_name(case) for case in CASES]
    assert len(names) == len(set(names)) >= 30


@pytest.mark.skipif(not UPDATE, reason="only to write the pages anew")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_write_anew(page: Path, tmp_path: Path) -> None:
    outputs = []
    for number, case in enumerate(cases_of(page)):
        folder = tmp_path / str(number)
        folder.mkdir()
        outputs.append(case.run(folder))
    rewrite(page, outputs)
