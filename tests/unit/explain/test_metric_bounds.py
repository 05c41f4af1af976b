"""Explanations of recursive metric programs: bounded, moving along the time-line, saying what they leave out."""

from __future__ import annotations

import json
import re

import pytest

from holdsfor import MetricReasoner, loads_metric
from holdsfor.explain.limits import MOST_STEPS
from holdsfor.explain.nodes import MetricMissed
from tests.strategies.replay import replay

FACTS = {"P": [(0, name) for name in "abcd"]}


@pytest.fixture
def every_other() -> MetricReasoner:
    return loads_metric("Boxplus[2] P(X) :- P(X), P(Y)")


def test_a_refutation_moves_back_in_time(every_other: MetricReasoner) -> None:
    found = every_other.why_not("P(a)", 51, facts=FACTS, end=60)
    times = [node.claim.time for node in found.root.walk() if isinstance(node.claim, MetricMissed)]
    assert times == [51 - 2 * level for level in range(12)]
    assert replay(found) == []


def test_a_refutation_is_bounded_and_says_what_it_leaves_out(every_other: MetricReasoner) -> None:
    found = every_other.why_not("P(a)", 51, facts=FACTS, end=60)
    assert len(found.text()) < 10_000
    assert "3 more ways through the rule at <rules>:1:1 fail too" in found.text()
    assert "… more" in found.text()


def test_a_refutation_ends_before_the_first_fact(every_other: MetricReasoner) -> None:
    found = every_other.why_not("P(a)", 5, facts=FACTS, end=60)
    assert "all facts lie at 0 or later, and no rule looks ahead" in found.text()
    assert "… more" not in found.text()


def test_what_is_explained_once_is_not_explained_again() -> None:
    rules = "P(X) :- Q(X), Q(Y)\nP(X) :- Q(X), R(X)\nQ(X) :- Diamondminus[1,2] R(X), S(X)"
    facts = {"R": [(0, "a"), (0, "b")], "S": [(9, "a")]}
    found = loads_metric(rules).why_not("P(a)", 5, facts=facts)
    assert found.text().count("as explained elsewhere") == 1
    assert found.text().count("Q(X) :- Diamondminus") == 1


@pytest.mark.parametrize(
    ("condition", "below"),
    [
        ("Diamondminus[3,4] Q(X)", "Q(a) does not hold at 6"),
        ("Boxminus[0,4] Q(X)", "Q(a) does not hold at 7"),
        ("Boxminus[0,1] Diamondminus[2] Q(X)", "Q(a) does not hold at 7"),
        ("Q(X) Since[1,2] R(X)", "R(a)"),
        ("Q(X) Since[1,9] R(X)", "Q(a) does not hold at 5"),
    ],
)
def test_operators_lead_to_the_time_they_look_at(condition: str, below: str) -> None:
    rules = f"P(X) :- {condition}\nQ(X) :- Diamondminus[0,1] S(X)\nS(X) :- R(X), not T(X)"
    found = loads_metric(rules).why_not("P(a)", 9, facts={"R": [(1, "a"), (9, "a")], "T": []})
    assert below in found.text()
    assert replay(found) == []


def test_a_long_refutation_has_a_note() -> None:
    names = [f"n{place}" for place in range(12)]
    rules = "Boxplus[1] P(X) :- P(Y), E(X,Y)"
    facts = {"P": [(0, "n0")], "E": [{"start": 0, "end": 99, "x": x, "y": y} for x in names for y in names if x != y]}
    reasoner = loads_metric(rules + "\nP(X) :- Boxminus[1,3] P(X), E(X,Y), P(Y)")
    found = reasoner.explain("P(n5)", "50.5", facts=facts, end=60, depth=None)
    assert len(list(found.root.walk())) < 8 * MOST_STEPS
    assert len(found.json()) < 2_000_000
    if "… more" in found.text():
        assert found.notes


def test_json_says_each_step_once() -> None:
    rules = "P(X) :- Diamondminus[1] P(X), Diamondminus[1] P(X), Diamondminus[1] P(X)"
    found = loads_metric(rules).why("P(a)", 40, facts={"P": [(0, "a")]}, end=50, depth=None)
    text = found.json()
    assert len(text) < 600_000
    assert json.loads(text)["root"]["children"][1]["children"][0]["repeated"] is True
    assert len(re.findall("see above", found.text())) > 10
