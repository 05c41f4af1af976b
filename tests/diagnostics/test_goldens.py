"""The exact text of every diagnostic.

Each directory under `cases` has rules, perhaps a stream, and the text that `holdsfor check` prints for them. To
write the expected texts anew after a deliberate change, and to read the difference before committing it:

    HOLDSFOR_UPDATE_GOLDENS=1 pytest tests/diagnostics && git diff tests/diagnostics
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnostics.golden import RULES, UPDATE, cases, check, findings

by_name = pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)


@by_name
def test_text(case: Path) -> None:
    found = check(case)
    expected = case / "expected.txt"
    if UPDATE:
        expected.write_text(found, encoding="utf-8")
    assert found == expected.read_text(encoding="utf-8")


@by_name
def test_json_has_the_same_findings(case: Path) -> None:
    heads = [
        f"{item['file']}:{item['line']}:{item['column']}: {item['severity']}[{item['code']}]: {item['message']}"
        for item in findings(case)
    ]
    text = check(case)
    assert heads == [line for line in text.splitlines() if "]: " in line and line in heads]
    assert [line for line in text.splitlines() if line.startswith("  = help: ")] == [
        f"  = help: {item['hint']}" for item in findings(case) if item["hint"]
    ]


@by_name
def test_a_case_is_about_its_code_alone(case: Path) -> None:
    """One mistake, one finding: a case named after a code shows that code and no other."""
    code = case.name.partition("-")[0]
    if code.startswith("HF"):
        assert {item["code"] for item in findings(case)} == {code}


@by_name
def test_every_finding_has_a_place_and_a_hint(case: Path) -> None:
    for item in findings(case):
        assert item["file"] in RULES
        assert item["hint"]
        assert (item["line"], item["column"]) <= (item["end_line"], item["end_column"])
