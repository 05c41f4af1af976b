"""Every code has a page, every page an example that shows its code and one that does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import holdsfor
from holdsfor.codes import all_codes, page
from tests.diagnostics.golden import cases, findings

SOURCES = Path(holdsfor.__file__).parent
by_code = pytest.mark.parametrize("code", all_codes())


def examples(code: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page(code) or "", re.MULTILINE | re.DOTALL)


def language(code: str) -> str:
    """The language of a page's rules."""
    return "dmtl" if examples(code, "dmtl") else "prolog"


def found_in(code: str, example: int, directory: Path) -> list[dict[str, object]]:
    stream = examples(code, "csv")
    for one in ("prolog", "dmtl"):
        if rules := examples(code, one):
            (directory / f"rules.{one}").write_text(rules[example], encoding="utf-8")
    if stream:
        (directory / "events.csv").write_text(stream[0], encoding="utf-8")
    return findings(directory)


def test_codes_in_the_source_have_pages_and_goldens() -> None:
    in_source = {
        code
        for path in SOURCES.rglob("*.py")
        for code in re.findall(r"\"(HF\d{3})\"", path.read_text(encoding="utf-8"))
    }
    # That these texts are what is printed is tested for each case.
    in_goldens = {
        code
        for case in cases()
        for code in re.findall(r"\[(HF\d{3})\]", (case / "expected.txt").read_text(encoding="utf-8"))
    }
    assert in_source == set(all_codes()) == in_goldens


@by_code
def test_form(code: str) -> None:
    lines = (page(code) or "").splitlines()
    assert re.fullmatch(rf"# {code}: \S.*[^.]", lines[0])
    assert 15 <= len(lines) <= 35
    assert max(map(len, lines)) <= 120
    assert len(examples(code, language(code))) == 2


@by_code
def test_first_example_shows_the_code_alone(code: str, tmp_path: Path) -> None:
    found = found_in(code, 0, tmp_path)
    assert {item["code"] for item in found} == {code}


@by_code
def test_second_example_is_in_order(code: str, tmp_path: Path) -> None:
    found = found_in(code, 1, tmp_path)
    assert code not in {item["code"] for item in found}
    assert "error" not in {item["severity"] for item in found}
