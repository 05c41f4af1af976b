"""Computes what an edit of a program affects, and the part of a program that an evaluation needs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from holdsfor.compiler.analysis.definitions import (
    EVENT,
    EVERYTHING,
    FLUENT,
    GROUNDINGS,
    PREDICATE,
    Definitions,
    Node,
    declared_node,
    declares_fluent,
    defined_nodes,
    read_nodes,
)
from holdsfor.ir import Declaration, Program, Rule
from holdsfor.ir.rules import DeclarationKind
from holdsfor.syntax.terms import Compound, Const


@dataclass(frozen=True)
class Reach:
    """The effect of an edit: what changes, and what depends on it in either program."""

    changed: frozenset[Node]
    """Nodes whose own clauses differ."""
    reached: frozenset[Node]
    """Events and fluents whose answers may differ."""
    untouched: frozenset[Node]
    """Events and fluents of both programs whose answers are the same."""


def reach(old: Definitions, new: Definitions) -> Reach:
    """What differs between two programs."""
    nodes = old.clauses.keys() | new.clauses.keys()
    changed = frozenset(node for node in nodes if old.clauses.get(node) != new.clauses.get(node))
    outputs = old.outputs | new.outputs
    if EVERYTHING in changed:
        return Reach(changed, frozenset(outputs), frozenset())
    both = {node: old.reads.get(node, set()) | new.reads.get(node, set()) for node in nodes}
    reached = dependent(Definitions(new.clauses, both), changed)
    return Reach(changed, frozenset(outputs & reached), frozenset(outputs - reached))


def dependent(found: Definitions, nodes: Iterable[Node]) -> set[Node]:
    """Some nodes of a program and everything that depends on them."""
    # A rule that reads events of any name depends on all of them.
    return closure(nodes, _turned(found.reads | {EVERYTHING: set(found.reads)}))


def closure(start: Iterable[Node], edges: Mapping[Node, Collection[Node]]) -> set[Node]:
    """All nodes reachable from the start."""
    found, waiting = set(), list(start)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(edges.get(node, ()))
    return found


def _turned(reads: Mapping[Node, Collection[Node]]) -> dict[Node, set[Node]]:
    turned: dict[Node, set[Node]] = {}
    for node, others in reads.items():
        for other in others:
            turned.setdefault(other, set()).add(node)
    return turned


def needed(found: Definitions, wanted: Iterable[Node]) -> set[Node]:
    """Some nodes of a program and everything that they read."""
    return closure((node for node in wanted if node in found.clauses), found.reads)


def part_of(program: Program, found: Definitions, kept: Collection[Node]) -> Program:
    """The clauses of a program that define some nodes, without declarations of other nodes."""
    if EVERYTHING in kept:
        return program
    dropped = found.outputs - set(kept)
    rules = tuple(rule for rule in program.rules if _stays(rule, kept, dropped))
    if any(map(declares_fluent, program.rules)) and not any(map(declares_fluent, rules)):
        rules = (*rules, _DECLARED)
    metric = replace(
        program.metric,
        rules=tuple(rule for rule in program.metric.rules if Node(FLUENT, *rule.head.signature) in kept),
        facts=tuple(fact for fact in program.metric.facts if Node(FLUENT, fact.predicate, len(fact.args)) in kept),
    )
    return replace(program, rules=rules, metric=metric)


_DECLARED = Declaration(DeclarationKind.GROUNDING, (Compound("=", (Const("declared elsewhere"), Const("true"))),))
"""A program with groundings treats open rules differently, so at least one grounding must stay."""


def _stays(rule: Rule, kept: Collection[Node], dropped: Collection[Node]) -> bool:
    nodes = defined_nodes(rule)
    if not isinstance(rule, Declaration):
        return any(node in kept for node in nodes)
    if rule.kind is DeclarationKind.DIRECTIVE or not rule.args:
        return True
    about = declared_node(rule.args[0])
    # A declaration may name a fluent without its value.
    names = {(node.name, node.arity) for node in about}
    if any(Node(kind, *name) in dropped for name in names for kind in (EVENT, FLUENT)):
        return False
    if rule.kind is DeclarationKind.GROUNDING:
        # Groundings of input fill domains; conditions may also read groundings.
        return any(node in kept for node in (*about, GROUNDINGS, *read_nodes(rule.body)))
    return not any(Node(PREDICATE, *name) in dropped for name in names)
