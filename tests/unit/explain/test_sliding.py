"""Explanations of sliding aggregates: the value, and the rows in the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from holdsfor import loads
from tests.strategies.replay import replay

Ask = Callable[[str, int], str]
RULES = """
initiatedAt(locked(U)=true,T) :- happensAt(failed(U),T), count_within(failed(U),10,T) >= 3.
initiatedAt(calm(U)=true,T) :- happensAt(ask(U),T), \\+ count_within(failed(U),10,T) >= 3.
initiatedAt(rich(U)=true,T) :- happensAt(ask(U),T), sum_within(A,pays(U,A),10,T) > 2 * count_within(failed(U),10,T).
initiatedAt(mean(U)=M,T) :- happensAt(ask(U),T), M is avg_within(A,pays(U,A),2,T).
initiatedAt(best(U)=A,T) :- happensAt(ask(U),T), top(1,A,pays(U,A),10,T).
"""
ROWS = """failed|1|1|ann
failed|4|4|ann
pays|5|5|ann|30
pays|6|6|ann|50
ask|8|8|ann
failed|10|10|ann
"""


@pytest.fixture
def explain(tmp_path: Path) -> Ask:
    path = tmp_path / "rows.csv"
    path.write_text(ROWS, encoding="utf-8")
    result = loads(RULES).recognise([path], end=20)

    def text(question: str, at: int) -> str:
        found = result.explain(question, at)
        assert replay(found) == []
        assert "findall" not in found.text() and "within1" not in found.text()
        assert '"hidden"' not in found.json() and "findall" not in found.json()
        return found.text()

    return text


def test_why(explain: Ask) -> None:
    assert "count_within(failed(ann),10) is 3, >= 3: rows 1, 2, 6" in explain("locked(ann)=true", 12)


def test_why_not(explain: Ask) -> None:
    text = explain("locked(ann)=true", 6)
    assert "the rule was tried at 4: 1 of 2 conditions are met" in text
    assert "fails: count_within(failed(ann),10) is 2, not >= 3: rows 1, 2" in text


def test_a_negation(explain: Ask) -> None:
    text = explain("calm(ann)=true", 9)
    assert "not count_within(failed(ann),10) >= 3: looked for and not found" in text
    assert "count_within(failed(ann),10) is 2: rows 1, 2" in text


def test_two_at_once(explain: Ask) -> None:
    text = explain("rich(ann)=true", 9)
    assert "sum_within(A,pays(ann,A),10) is 80: rows 3, 4" in text
    assert "80 > 2 * 2" in text


def test_nothing_has_no_mean(explain: Ask) -> None:
    text = explain("mean(ann)=1", 9)
    assert "fails: avg_within(A,pays(ann,A),2) has no value" in text
    assert "nothing is in its window" in text


def test_top(explain: Ask) -> None:
    assert "top(1,50,pays(ann,50),10): none in the window ranks higher" in explain("best(ann)=50", 9)
    assert "fails: top(1,30,pays(ann,30),10): 1 in the window ranks higher: row 4" in explain("best(ann)=30", 9)
