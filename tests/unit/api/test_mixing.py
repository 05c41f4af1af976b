"""Programs of two languages: the example, and what `load`, `plan` and `graph` make of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdsfor import load
from holdsfor.diagnostics import ProgramError
from holdsfor.viz.graph import dependency_view, to_dot, to_mermaid, to_svg
from tests.strategies.engine_runs import loaded

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "mixed_languages"


def intervals(**window: int) -> set[tuple[object, ...]]:
    reasoner = load(EXAMPLE / "rules.prolog", EXAMPLE / "rules.dmtl")
    rows = reasoner.recognise(EXAMPLE / "events.csv", **window).to_arrow().to_pylist()
    last = max(row["query_time"] for row in rows)
    return {(row["fluent"], row["start"], row["end"]) for row in rows if row["query_time"] == last}


def test_the_example() -> None:
    found = intervals()
    assert found >= {
        ("'TooLong'(north)", 26, None),
        ("'TooLong'(south)", 43, 61),
        ("'Ignored'(north)", 36, None),
        ("'Trouble'", 43, 53),
        ("spoilt(north)", 26, 48),
        ("spoilt(south)", 43, 67),
        ("blame(north)", 36, 48),
    }
    assert len(found) == 12


def test_the_example_in_windows() -> None:
    assert intervals(window=20, step=5, start=0, end=65) <= intervals(window=200, step=65, start=0, end=65)


RULES = """
    initiatedAt(moving(V)=true, T) :- happensAt(go(V), T).
    initiatedAt(alarm(V)=true, T) :- happensAt(start(long(V)=true), T).
    holdsFor(both(V)=true, I) :- holdsFor(long(V)=true, I1), holdsFor(near(V)=true, I2), intersect_all([I1,I2], I).
"""
METRIC = """
    half(V) :- Diamondminus[1/2,1/2] go(V)
    long(V) :- Boxminus[0,5] moving(V), not half(V)
    near(V) :- half(V), alarm(V)
    far(V) :- near(V)
    far(b)@[1,2]
"""


def test_metric_predicates_that_read_each_other_are_one_stratum() -> None:
    plan = loaded(RULES, METRIC).plan
    groups = [{symbol.name for symbol in one.members} for one in plan.strata if one.metric is not None]
    # What reads `alarm` has to wait for it, and works `half` out again: it needs it in rational time.
    assert groups == [{"half", "long"}, {"near", "far"}]
    names = {tuple(s.name for s in one.members): {s.name for s in one.inputs} for one in plan.strata}
    assert names["near", "far"] == {"go", "alarm"}


@pytest.mark.parametrize("granularity", ["pairs", "fluents", "components"])
def test_graphs(granularity: str) -> None:
    analysis = loaded(RULES, METRIC).analysis
    view = dependency_view(analysis, granularity)  # type: ignore[arg-type]
    assert not view.cyclic
    assert any(node.role == "metric predicate" and node.rules for node in view.nodes)
    for render in (to_mermaid, to_dot, to_svg):
        assert "metric" in render(view) or render is to_dot


def test_what_is_wrong_with_metric_rules_is_said() -> None:
    with pytest.raises(ProgramError, match="HF612"):
        loaded(RULES, "long(V) :- moving(W), V != W")


def test_a_capital_name_stands_in_quotes() -> None:
    reasoner = loaded(
        "initiatedAt(on(X)=true, T) :- happensAt(end('Recent'(X)=true), T).", "Recent(X) :- <->[0,3] e(X)"
    )
    rows = reasoner.recognise({"e": [(1, "a"), (20, "b")]}, start=0, end=9).to_arrow().to_pylist()
    assert [(row["fluent"], row["start"], row["end"]) for row in rows] == [("'Recent'(a)", 1, 5), ("on(a)", 5, None)]


def test_input_of_metric_rules_alone_comes_in_either_form() -> None:
    reasoner = loaded("initiatedAt(on(X)=true, T) :- happensAt(start(seen(X)=true), T).", "seen(X) :- e(X)")
    points, spans = [(4, "a")], [{"start": 3, "end": 6, "value": "true", "who": "b"}]
    found = set()
    for rows in (points, spans):
        answer = reasoner.recognise({"e": rows}, start=0, end=9).to_arrow().to_pylist()
        found |= {(row["fluent"], row["start"], row["end"]) for row in answer if row["fluent"].startswith("seen")}
    assert found == {("seen(a)", 4, 5), ("seen(b)", 3, 6)}
