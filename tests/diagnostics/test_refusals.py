"""The page of the language lists every code with which a program that can be read may be refused."""

from __future__ import annotations

import re
from pathlib import Path

from holdsfor.codes import all_codes

ROOT = Path(__file__).parents[2]
CASES = Path(__file__).parent / "cases"
READABLE = range(200, 600)
"""The codes of programs whose text and names can be read; those after them are about metric rules."""


def _refused() -> set[str]:
    """The codes that are errors in some case; every code has a case."""
    found = {
        code for path in CASES.rglob("*") if path.is_file() for code in _errors(path.read_text("utf-8", "replace"))
    }
    return {code for code in found if int(code[2:]) in READABLE}


def _errors(text: str) -> list[str]:
    return re.findall(r"error\[(HF\d+)\]", text)


def test_the_page_lists_all_refusals() -> None:
    text = (ROOT / "docs" / "language.md").read_text("utf-8")
    section = text.partition("### What has no meaning")[2].partition("\n## ")[0]
    listed = re.findall(r"\| (HF\d+) \|", section)
    assert set(listed) == _refused()
    assert listed == sorted(listed)


def test_every_code_has_a_case() -> None:
    cased = {path.name[:5] for path in CASES.iterdir()}
    assert {code for code in all_codes() if int(code[2:]) in READABLE} <= cased
