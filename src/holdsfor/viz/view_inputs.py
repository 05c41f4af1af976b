"""Adds the input events of a program as nodes before all others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.dependencies import Vertex, conditions
from holdsfor.compiler.analysis.entities import Role, Symbol
from holdsfor.compiler.analysis.mixing import read_atoms
from holdsfor.viz.view import GraphComponent, GraphEdge, GraphNode, GraphView, identifiers


def with_input_events(view: GraphView, analysis: Analysis, node_of: Callable[[Vertex], str]) -> GraphView:
    """A view with a node for each input event that a rule reads; `node_of` maps a vertex to its node."""
    given = [entity.symbol for entity in analysis.entities.with_role(Role.INPUT_EVENT)]
    readers = {symbol: dict.fromkeys(map(node_of, _readers(analysis, symbol))) for symbol in given}
    shown = [symbol for symbol in given if readers[symbol]]
    labels = [symbol.label if [s.label for s in shown].count(symbol.label) == 1 else str(symbol) for symbol in shown]
    ids, components = identifiers("e", labels), identifiers("ce", labels)
    nodes = [
        GraphNode(name, label, Role.INPUT_EVENT, 0, component)
        for name, label, component in zip(ids, labels, components, strict=True)
    ]
    edges = [GraphEdge(name, target) for name, symbol in zip(ids, shown, strict=True) for target in readers[symbol]]
    return replace(
        view,
        nodes=(*nodes, *view.nodes),
        edges=(*edges, *view.edges),
        components=(*(GraphComponent(node.component, 0, (node.id,)) for node in nodes), *view.components),
    )


def _readers(analysis: Analysis, event: Symbol) -> Iterator[Vertex]:
    """The vertices defined by rules that read an event."""
    graph, entities = analysis.graph, analysis.entities
    for rule in graph.program.rules:
        if any(condition.symbol == event for condition in conditions(getattr(rule, "body", ()), entities)):
            yield from graph.heads(rule)
    for metric in graph.program.metric.rules:
        if any(event in entities.meant(atom.signature) for atom in read_atoms(metric)):
            yield from graph.of_symbol(entities.metric_fluent(metric.head.signature))
