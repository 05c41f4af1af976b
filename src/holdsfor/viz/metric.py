"""Builds the dependency graph of a metric program: its predicates, and the operators by which they read others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from holdsfor.compiler.analysis.graphs import strong_components
from holdsfor.compiler.metric.checks.uses import metric_atoms
from holdsfor.frontend.dmtl.numbers import range_text
from holdsfor.ir import metric
from holdsfor.ir.metric import MetricAtom, MetricProgram, MetricRule
from holdsfor.viz.view import EdgeKind, GraphComponent, GraphEdge, GraphNode, GraphView, PredicateRole, identifiers

Signature: TypeAlias = tuple[str, int]

_SIGNS: dict[metric.UnaryOperator | metric.BinaryOperator, str] = {
    metric.UnaryOperator.DIAMOND_MINUS: "◇⁻",
    metric.UnaryOperator.BOX_MINUS: "⊟",
    metric.UnaryOperator.DIAMOND_PLUS: "◇⁺",
    metric.UnaryOperator.BOX_PLUS: "⊞",
    metric.BinaryOperator.SINCE: "S",
    metric.BinaryOperator.UNTIL: "U",
}


def metric_view(program: MetricProgram) -> GraphView:
    """The dependency graph of a metric program.

    An edge has the operators between the two predicates: with `⊞[0,2] ⇐ ◇⁻[1]`, a fact of one time unit ago holds for
    the next two units. A dot marks the predicate's side of `Since` and `Until`.
    """
    return _Builder(program).view()


class _Builder:
    def __init__(self, program: MetricProgram) -> None:
        self._edges: dict[tuple[Signature, Signature, EdgeKind], dict[str, None]] = {}
        self._rules: dict[Signature, int] = {}
        for rule in program.rules:
            self._rules[rule.head.signature] = self._rules.get(rule.head.signature, 0) + 1
            for source, kind, label in _reads(rule):
                self._rules.setdefault(source, 0)
                self._edges.setdefault((source, rule.head.signature, kind), {})[label] = None
        for fact in program.facts:
            self._rules.setdefault((fact.predicate, len(fact.args)), 0)

    def view(self) -> GraphView:
        graph: dict[Signature, list[Signature]] = {node: [] for node in self._rules}
        for source, target, _ in self._edges:
            graph[source].append(target)
        together = strong_components(graph)
        home = {node: place for place, members in enumerate(together) for node in members}
        levels = self._levels(together, home)
        ids = dict(zip(graph, identifiers("v", (name for name, _ in graph)), strict=True))
        names = identifiers("c", (ids[members[0]].removeprefix("v_") for members in together))
        cyclic = [len(members) > 1 or members[0] in graph[members[0]] for members in together]
        return GraphView(
            "predicates",
            tuple(
                GraphNode(
                    ids[node],
                    f"{node[0]}/{node[1]}",
                    PredicateRole.DERIVED if self._rules[node] else PredicateRole.INPUT,
                    levels[home[node]],
                    names[home[node]],
                    self._rules[node],
                )
                for node in graph
            ),
            tuple(
                GraphEdge(
                    ids[source],
                    ids[target],
                    kind,
                    ", ".join(label for label in labels if label),
                    home[source] == home[target],
                )
                for (source, target, kind), labels in self._edges.items()
            ),
            tuple(
                GraphComponent(names[place], levels[place], tuple(ids[node] for node in members), cyclic[place])
                for place, members in enumerate(together)
            ),
        )

    def _levels(self, together: list[tuple[Signature, ...]], home: dict[Signature, int]) -> list[int]:
        """Inputs are on level 0, everything else one above the highest level that it reads."""
        levels = [0] * len(together)
        below: dict[int, set[int]] = {}
        for source, target, _ in self._edges:
            below.setdefault(home[target], set()).add(home[source])
        for place, members in enumerate(together):
            read = [levels[other] for other in below.get(place, ()) if other != place]
            levels[place] = max(read, default=0) + 1 if self._rules[members[0]] else 0
        return levels


def _reads(rule: MetricRule) -> Iterator[tuple[Signature, EdgeKind, str]]:
    """The atoms that a rule reads, with the operators of the head and around the atom."""
    head = " ".join(f"{_SIGNS[operator]}{range_text(during)}" for operator, during in rule.boxes)
    for literal, atom in metric_atoms(rule):
        before = literal.function if isinstance(literal, metric.Aggregate) else "not"
        is_plain = isinstance(literal, metric.Condition) and not literal.negated
        for source, operators in _paths(atom):
            path = " ".join(operators if is_plain else (before, *operators))
            label = f"{head} ⇐ {path}".strip() if head else path
            yield source, "i" if is_plain else "n", label


def _paths(atom: MetricAtom) -> Iterator[tuple[Signature, tuple[str, ...]]]:
    """The relational atoms of a metric atom, each with its surrounding operators from the outside in."""
    if isinstance(atom, metric.Atom):
        yield atom.signature, ()
    elif isinstance(atom, metric.Unary):
        sign = f"{_SIGNS[atom.operator]}{range_text(atom.range)}"
        for source, operators in _paths(atom.operand):
            yield source, (sign, *operators)
    elif isinstance(atom, metric.Binary):
        sign = f"{_SIGNS[atom.operator]}{range_text(atom.range)}"
        for source, operators in _paths(atom.left):
            yield source, (f"·{sign}", *operators)
        for source, operators in _paths(atom.right):
            yield source, (f"{sign}·", *operators)
