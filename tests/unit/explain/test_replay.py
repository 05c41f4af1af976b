"""The checker finds what is wrong with explanations that were tampered with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from holdsfor import Reasoner, loads, loads_metric
from holdsfor.explain.demand import demand_of
from holdsfor.explain.explanation import Explanation
from holdsfor.explain.nodes import Deriving, Effected, Happening, Holding, Node
from holdsfor.explain.questions import read_question
from holdsfor.ir import EffectRule
from tests.strategies.replay import problems, replay

RULES = """
initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T), \\+ happensAt(alarm(D), T).
terminatedAt(open(D)=true, T) :- happensAt(lock(D), T).
holdsFor(both(D,E)=true, I) :- holdsFor(open(D)=true, I1), holdsFor(open(E)=true, I2), intersect_all([I1,I2], I).
"""
EVENTS = {"unlock": [(3, "front"), (5, "back"), (9, "side")], "lock": [(8, "front")], "alarm": [(5, "side")]}


@pytest.fixture
def doors() -> Reasoner:
    return loads(RULES)


def changed(node: Node, change: Callable[[Node], Node]) -> Node:
    return change(replace(node, children=tuple(changed(child, change) for child in node.children)))


def tampered(found: Explanation, change: Callable[[Node], Node]) -> list[str]:
    """What the checker says of an explanation after a change."""
    assert replay(found) == []
    return problems(changed(found.root, change), found.basis)


def later(node: Node) -> Node:
    if isinstance(node.claim, Happening):
        return replace(node, claim=Happening(node.claim.event, node.claim.time + 1))
    return node


def longer(node: Node) -> Node:
    if isinstance(node.claim, Holding) and node.claim.interval is not None:
        return replace(node, claim=replace(node.claim, interval=(node.claim.interval[0], 99)))
    return node


def with_less(node: Node) -> Node:
    is_rule = node.use is not None and isinstance(node.use.rule, EffectRule)
    return replace(node, children=node.children[:1]) if is_rule else node


def by_another_rule(node: Node) -> Node:
    if node.use is not None and isinstance(node.use.rule, EffectRule):
        return replace(node, use=replace(node.use, rule=replace(node.use.rule)))
    return node


def initiated_later(node: Node) -> Node:
    return (
        replace(node, claim=replace(node.claim, time=node.claim.time + 1)) if isinstance(node.claim, Effected) else node
    )


@pytest.mark.parametrize("change", [later, longer, with_less, by_another_rule, initiated_later])
def test_proofs(doors: Reasoner, change: Callable[[Node], Node]) -> None:
    assert tampered(doors.why("both(front,back)=true", 7, events=EVENTS), change)


def test_refutations(doors: Reasoner) -> None:
    found = doors.why_not("open(front)=true", 9, events=EVENTS)
    assert tampered(found, lambda node: replace(node, holds=not node.holds))


def test_derivations() -> None:
    reasoner = loads_metric("Recent(X) :- Diamondminus[0,5] Alarm(X)")
    found = reasoner.why("Recent(pump)", 5, facts={"Alarm": [(3, "pump")]})

    def elsewhere(node: Node) -> Node:
        return (
            replace(node, claim=replace(node.claim, time=node.claim.time - 4))
            if isinstance(node.claim, Deriving)
            else node
        )

    assert tampered(found, elsewhere)


def test_only_the_keys_of_the_question_are_needed(doors: Reasoner) -> None:
    asked = read_question("both(front,back)=true", doors.analysis.entities)
    demand = demand_of(doors.plan, asked.symbol, asked.term)
    by_name = {symbol.name: patterns for symbol, patterns in demand.patterns.items()}
    assert by_name["unlock"] == {("front",), ("back",)}
    assert by_name["both"] == {("front", "back")}


SILENT = {"unlock": [(1, "front"), (3, "front"), (12, "back")]}
SILENCE = """
initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).
forget(unlock(D), 4).
"""


def test_what_forget_is_lowered_to_is_checked_as_well() -> None:
    found = loads(SILENCE).why_not("open(front)=true", 9, events=SILENT)
    assert "heard of" in found.text()
    assert replay(found) == []
    assert any("it is not so" in problem for problem in tampered(found, longer))
