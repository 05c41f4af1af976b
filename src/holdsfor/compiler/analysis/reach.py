"""Computes what an edit of a program affects, and the part of a program that an evaluation needs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from holdsfor.compiler.analysis import definitions
from holdsfor.ir import Declaration, Program, Rule
from holdsfor.ir.rules import DeclarationKind
from holdsfor.syntax.terms import Compound, Const


@dataclass(frozen=True)
class Reach:
    """The effect of an edit: what changes, and what depends on it in either program."""

    changed: frozenset[definitions.Node]
    """Nodes whose own clauses differ."""
    reached: frozenset[definitions.Node]
    """Events and fluents whose answers may differ."""
    untouched: frozenset[definitions.Node]
    """Events and fluents of both programs whose answers are the same."""


def reach(old: definitions.Definitions, new: definitions.Definitions) -> Reach:
    """The differences between two programs."""
    nodes = old.clauses.keys() | new.clauses.keys()
    changed = frozenset(node for node in nodes if old.clauses.get(node) != new.clauses.get(node))
    outputs = old.outputs | new.outputs
    if definitions.EVERYTHING in changed:
        return Reach(changed, frozenset(outputs), frozenset())
    both = {node: old.reads.get(node, set()) | new.reads.get(node, set()) for node in nodes}
    reached = dependent(definitions.Definitions(new.clauses, both), changed)
    return Reach(changed, frozenset(outputs & reached), frozenset(outputs - reached))


def dependent(found: definitions.Definitions, nodes: Iterable[definitions.Node]) -> set[definitions.Node]:
    """Some nodes of a program and everything that depends on them."""
    # A rule that reads events of any name depends on all of them.
    return closure(nodes, _turned(found.reads | {definitions.EVERYTHING: set(found.reads)}))


def closure(
    start: Iterable[definitions.Node], edges: Mapping[definitions.Node, Collection[definitions.Node]]
) -> set[definitions.Node]:
    """All nodes reachable from the start."""
    found, waiting = set(), list(start)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(edges.get(node, ()))
    return found


def _turned(
    reads: Mapping[definitions.Node, Collection[definitions.Node]],
) -> dict[definitions.Node, set[definitions.Node]]:
    turned: dict[definitions.Node, set[definitions.Node]] = {}
    for node, others in reads.items():
        for other in others:
            turned.setdefault(other, set()).add(node)
    return turned


def needed(found: definitions.Definitions, wanted: Iterable[definitions.Node]) -> set[definitions.Node]:
    """Some nodes of a program and everything that they read."""
    return closure((node for node in wanted if node in found.clauses), found.reads)


def part_of(program: Program, found: definitions.Definitions, kept: Collection[definitions.Node]) -> Program:
    """The clauses of a program that define some nodes, without declarations of other nodes."""
    if definitions.EVERYTHING in kept:
        return program
    dropped = found.outputs - set(kept)
    rules = tuple(rule for rule in program.rules if _stays(rule, kept, dropped))
    if any(map(definitions.declares_fluent, program.rules)) and not any(map(definitions.declares_fluent, rules)):
        rules = (*rules, _DECLARED)
    metric = replace(
        program.metric,
        rules=tuple(
            rule for rule in program.metric.rules if definitions.Node(definitions.FLUENT, *rule.head.signature) in kept
        ),
        facts=tuple(
            fact
            for fact in program.metric.facts
            if definitions.Node(definitions.FLUENT, fact.predicate, len(fact.args)) in kept
        ),
    )
    return replace(program, rules=rules, metric=metric)


_DECLARED = Declaration(DeclarationKind.GROUNDING, (Compound("=", (Const("declared elsewhere"), Const("true"))),))
"""A program with groundings treats open rules differently, so at least one grounding must stay."""


def _stays(rule: Rule, kept: Collection[definitions.Node], dropped: Collection[definitions.Node]) -> bool:
    nodes = definitions.defined_nodes(rule)
    if not isinstance(rule, Declaration):
        return any(node in kept for node in nodes)
    if rule.kind is DeclarationKind.DIRECTIVE or not rule.args:
        return True
    about = definitions.declared_node(rule.args[0])
    # A declaration may name a fluent without its value.
    names = {(node.name, node.arity) for node in about}
    if any(
        definitions.Node(kind, *name) in dropped for name in names for kind in (definitions.EVENT, definitions.FLUENT)
    ):
        return False
    if rule.kind is DeclarationKind.GROUNDING:
        # Groundings of input fill domains; conditions may also read groundings.
        return any(node in kept for node in (*about, definitions.GROUNDINGS, *definitions.read_nodes(rule.body)))
    return not any(definitions.Node(definitions.PREDICATE, *name) in dropped for name in names)
