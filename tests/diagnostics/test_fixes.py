"""The changes that findings carry for editors: each does away with its finding."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from holdsfor.diagnostics import Diagnostic, Source
from holdsfor.loading import from_sources
from holdsfor.metric import from_metric_sources
from tests.diagnostics.golden import RULES, cases

EXACT = re.compile(r"^did you mean (?:[^ ]+|:- )\?")
"""Hints that name one thing to write."""


def found_in(name: str, text: str) -> list[Diagnostic]:
    source = Source(name, text)
    reasoner = from_metric_sources([source]) if name.endswith(".dmtl") else from_sources([source])
    return list(reasoner.diagnostics)


def single_files() -> list[Path]:
    listed = [case for case in cases() if sum((case / name).exists() for name in RULES) == 1]
    return [case / name for case in listed for name in RULES if (case / name).exists()]


def fixed(text: str, finding: Diagnostic) -> str:
    assert finding.fix is not None
    start, end = finding.fix.span.start, finding.fix.span.end
    assert finding.fix.span.source.text == text
    return text[:start] + finding.fix.replacement + text[end:]


@pytest.mark.parametrize("path", single_files(), ids=lambda path: path.parent.name)
def test_a_fix_does_away_with_its_finding(path: Path) -> None:
    text = path.read_text("utf-8")
    before = found_in(str(path), text)
    for finding in before:
        if finding.fix is not None:
            after = found_in(str(path), fixed(text, finding))
            same = [one for one in after if (one.code, one.message) == (finding.code, finding.message)]
            alike = [one for one in before if (one.code, one.message) == (finding.code, finding.message)]
            assert len(same) < len(alike), finding.render()


@pytest.mark.parametrize("path", single_files(), ids=lambda path: path.parent.name)
def test_what_names_one_thing_to_write_has_a_fix(path: Path) -> None:
    for finding in found_in(str(path), path.read_text("utf-8")):
        if EXACT.match(finding.hint):
            assert finding.fix is not None, finding.render()


def test_json_has_the_fix() -> None:
    [finding] = found_in("f.prolog", "initiatedAt(on=true, T) :- hapensAt(press, T).")
    assert finding.as_json()["fix"] == {
        "line": 1,
        "column": 28,
        "end_line": 1,
        "end_column": 36,
        "replacement": "happensAt",
    }


def test_of_two_variables_the_one_that_occurs_once_is_changed() -> None:
    text = "initiatedAt(fast(V)=true, T) :- happensAt(velocity(V, Seed), T), Speed > 3, Speed < 9."
    finding = next(one for one in found_in("f.prolog", text) if one.code == "HF201")
    assert fixed(text, finding) == text.replace("Seed", "Speed")


def test_no_fix_that_takes_another_number_of_arguments() -> None:
    text = "initiatedAt(on=true, T) :- happensAt(press, T), rle(a).\nrole(a, b)."
    [finding] = [one for one in found_in("f.prolog", text) if one.code == "HF101"]
    assert (finding.hint, finding.fix) == ("did you mean role?", None)
