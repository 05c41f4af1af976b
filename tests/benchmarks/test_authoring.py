"""The yardstick of benchmarks/authoring finds what is expected, and worse answers score less."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2] / "benchmarks" / "authoring"


@pytest.fixture(scope="module")
def scoring() -> ModuleType:
    sys.path.insert(0, str(ROOT))
    try:
        import score
    finally:
        sys.path.remove(str(ROOT))
    return score


def test_a_person_can(scoring: ModuleType) -> None:
    scores = scoring.score_all(ROOT / "yardstick")
    assert len(scores) == 40
    assert [one for one in scores if not one.is_exact] == []


def test_worse_answers_score_less(scoring: ModuleType, tmp_path: Path) -> None:
    door = next(one for one in scoring.situations() if one.name == "01-door")
    never_shut = scoring.score(door, "initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).")
    assert 0 < never_shut.precision < never_shut.recall == 1
    assert not never_shut.is_exact
    assert scoring.score(door, "initiatedAt(open(D)=true, T) :- unlock(D, T").problem
    assert scoring.score(door, "initiatedAt(shut(D)=true, T) :- happensAt(lock(D), T).").f1 == 0
    assert all(one.problem == "no answer" for one in scoring.score_all(tmp_path))


def test_helpers_are_free(scoring: ModuleType) -> None:
    door = next(one for one in scoring.situations() if one.name == "01-door")
    rules = """
    initiatedAt(state(D)=open, T) :- happensAt(unlock(D), T).
    initiatedAt(state(D)=shut, T) :- happensAt(lock(D), T).
    holdsFor(open(D)=true, I) :- holdsFor(state(D)=open, I).
    """
    assert scoring.score(door, rules).is_exact


def test_pages_do_not_give_answers_away() -> None:
    for page in (ROOT / "situations").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        assert "initiatedAt" not in text
        assert "Input: " in text
        assert "Output: " in text
