"""Rules before and after the rewriting for a question, and the facts that count."""

from __future__ import annotations

from holdsfor import loads_metric
from holdsfor.compiler.metric.goals import GoalPlan, goal_plan
from holdsfor.compiler.metric.rules import Joined, Moved, NormalRule, Relation, Scan
from holdsfor.metric.goals import read_goal
from holdsfor.syntax.terms import Const


def rewritten(rules: str, goal: str, *, is_stream: bool = False) -> GoalPlan:
    return goal_plan(loads_metric(rules).plan, [read_goal(goal)], is_stream=is_stream)


def text(rule: NormalRule) -> str:
    if isinstance(rule, Moved):
        return f"{rule.head} moves {rule.source}"
    assert isinstance(rule, Joined)
    read = ", ".join(str(one.relation) for one in rule.literals if isinstance(one, Scan))
    return f"{rule.head} joins {read}"


def test_a_value_is_passed_on_to_the_input() -> None:
    found = rewritten("P(X,Y) :- Diamondminus[0,1] E(X,Y)", "P(a, Y)")
    assert sorted(map(text, found.plan.rules)) == [
        "E requested by 1/2 joins requests of E by 1/1, E/2",
        "P requested by 1/2 joins requests of P by 1/1, P/2",
        "P requested by 1/2 moves E requested by 1/2",
        "requests of E by 1/1 joins requests of P by 1/1",
        "requests of P by 1/1 joins ",
    ]
    assert found.filters[Relation("E", 2)] == {0: frozenset([Const("a")])}


def test_recursion_asks_for_what_input_leads_to() -> None:
    rules = "Path(X,Y) :- Edge(X,Y)\nPath(X,Z) :- Edge(X,Y), Path(Y,Z)"
    found = rewritten(rules, "Path(a, Z)")
    asked = [text(rule) for rule in found.plan.rules if rule.head.name.startswith("requests of Path")]
    assert asked == ["requests of Path by 1/1 joins ", "requests of Path by 1/1 moves new requests #1/1"]
    # Facts about other values may be needed.
    assert Relation("Edge", 2) not in found.filters


def test_on_a_stream_input_passes_nothing_on() -> None:
    rules = "Path(X,Y) :- Edge(X,Y)\nPath(X,Z) :- Edge(X,Y), Path(Y,Z)"
    found = rewritten(rules, "Path(a, Z)", is_stream=True)
    assert found.plan.is_forward
    assert Relation("Path", 2) in {rule.head for rule in found.plan.rules}


def test_a_question_without_constants_changes_nothing() -> None:
    rules = "P(X) :- Diamondminus[0,1] E(X)"
    assert rewritten(rules, "P(X)").plan.rules == loads_metric(rules).plan.rules


def test_answers() -> None:
    rules = "Path(X,Y) :- Edge(X,Y)\nPath(X,Z) :- Path(X,Y), Diamondminus[0,1] Edge(Y,Z)"
    edges = {"Edge": [(0, "a", "b"), (1, "b", "c"), (1, "x", "y"), (2, "c", "d")]}
    reasoner = loads_metric(rules)
    whole = [row for row in reasoner.materialise(edges) if row.args[0] == "a"]
    assert list(reasoner.materialise(edges, query="Path(a, Y)")) == whole
    assert [row.args for row in reasoner.materialise(edges, query="Path(X, y)")] == [("x", "y")]
