"""The contents of a dependency graph picture, independent of its notation.

There are three granularities: *pairs* has a node per fluent-value pair, *fluents* one per fluent, and *components* one
per set of fluents that are processed together. Derived events are always nodes; input events are optional. Metric
programs have one granularity, *predicates*.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Literal, TypeAlias

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.dependencies import DependencyGraph, Vertex
from holdsfor.compiler.analysis.entities import EntityKind, Role, Symbol
from holdsfor.compiler.analysis.graphs import strong_components
from holdsfor.ir import DelayRule, InitiallyRule, Rule
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Const, Term

Granularity: TypeAlias = Literal["pairs", "fluents", "components", "predicates"]
EdgeKind: TypeAlias = Literal["i", "f", "n"]

_Key: TypeAlias = tuple[int, int, EdgeKind]

_NAMES_SHOWN = 4


class PredicateRole(StrEnum):
    """The source of the facts of a metric predicate."""

    INPUT = "input predicate"
    DERIVED = "derived predicate"


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A vertex. Its id has only letters, digits and underscores. The role is None if a component mixes several.
    `members` are the contents of a fluent or component.
    """

    id: str
    label: str
    role: Role | PredicateRole | None
    level: int
    component: str
    rules: int = 0
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """A dependency: `i` from a rule's condition, `f` from a delay, which is its label, `n` from negation or
    aggregation.

    In metric programs the label contains the operators.
    """

    source: str
    target: str
    kind: EdgeKind = "i"
    label: str = ""
    cyclic: bool = False


@dataclass(frozen=True, slots=True)
class GraphComponent:
    """Nodes that are processed together."""

    id: str
    level: int
    nodes: tuple[str, ...]
    cyclic: bool = False


@dataclass(frozen=True)
class GraphView:
    """A dependency graph without layout."""

    granularity: Granularity
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    components: tuple[GraphComponent, ...]

    @cached_property
    def node(self) -> Mapping[str, GraphNode]:
        """Nodes by id."""
        return {node.id: node for node in self.nodes}

    @cached_property
    def boxes(self) -> tuple[GraphComponent, ...]:
        """The components with a box, which are those with several nodes."""
        return tuple(component for component in self.components if len(component.nodes) > 1)

    @cached_property
    def cyclic(self) -> frozenset[str]:
        """The ids of the cyclic components."""
        return frozenset(component.id for component in self.components if component.cyclic)


def dependency_view(analysis: Analysis, granularity: Granularity = "pairs", *, inputs: bool = False) -> GraphView:
    """The dependency graph of a program at one granularity; `inputs` adds its input events.

    >>> from holdsfor.compiler.analyse import analyse
    >>> from holdsfor.diagnostics import Source
    >>> from holdsfor.frontend.rtec.reader import parse_program
    >>> text = "initiatedAt(lit=true, T) :- happensAt(press, T). fi(lit=true, lit=false, 30)."
    >>> view = dependency_view(analyse(parse_program([Source("lamp", text)])))
    >>> [(node.label, node.level) for node in view.nodes]
    [('lit=true', 1), ('lit=false', 1)]
    >>> view.edges
    (GraphEdge(source='v_lit_true', target='v_lit_false', kind='f', label='30', cyclic=False),)
    """
    builder = _Builder(analysis, granularity)
    if not inputs:
        return builder.view()
    # Imported here because it depends on this module.
    from holdsfor.viz.view_inputs import with_input_events

    return with_input_events(builder.view(), analysis, builder.node_of)


class _Builder:
    """Builds a view. A node is a group of vertices: a pair, the pairs of a fluent, or those of a component."""

    def __init__(self, analysis: Analysis, granularity: Granularity) -> None:
        self.analysis = analysis
        self.graph: DependencyGraph = analysis.graph
        self.granularity = granularity
        self.label = _labeller(self.graph.symbols)
        self.groups: list[list[Vertex]] = list(self._groups())
        self.home = {vertex: position for position, group in enumerate(self.groups) for vertex in group}
        self.ids = identifiers("v", ("_".join(self._names(group)[:1]) for group in self.groups))

    def view(self) -> GraphView:
        together = self._processed_together()
        cyclic = self._cyclic(together)
        names = identifiers("c", (self.ids[members[0]].removeprefix("v_") for members in together))
        component_of = {node: position for position, members in enumerate(together) for node in members}
        rules = self._rule_counts()
        nodes = [
            GraphNode(
                id=self.ids[position],
                label=self._label(group),
                role=self._role(group),
                level=self._level(group),
                component=names[component_of[position]],
                rules=rules[position],
                members=self._members(group),
            )
            for position, group in enumerate(self.groups)
        ]
        components = [
            GraphComponent(identifier, nodes[members[0]].level, tuple(self.ids[node] for node in members), loops)
            for identifier, members, loops in zip(names, together, cyclic, strict=True)
        ]
        edges = [
            GraphEdge(
                self.ids[source],
                self.ids[target],
                kind,
                ", ".join(delays),
                component_of[source] == component_of[target] and cyclic[component_of[source]],
            )
            for (source, target, kind), delays in self._edges().items()
        ]
        return GraphView(self.granularity, tuple(nodes), tuple(edges), tuple(components))

    def node_of(self, vertex: Vertex) -> str:
        """The id of the node of a vertex."""
        return self.ids[self.home[vertex]]

    # Nodes

    def _groups(self) -> Iterator[list[Vertex]]:
        match self.granularity:
            case "pairs":
                yield from ([vertex] for vertex in self.graph.vertices)
            case "fluents":
                yield from (self.graph.of_symbol(symbol) for symbol in self.graph.symbols)
            case _:
                for members in self.graph.fluent_components:
                    yield [vertex for symbol in members for vertex in self.graph.of_symbol(symbol)]

    def _names(self, group: Sequence[Vertex]) -> list[str]:
        if self.granularity == "pairs":
            return [self._pair(vertex) for vertex in group]
        return list(dict.fromkeys(self.label(vertex.symbol) for vertex in group))

    def _pair(self, vertex: Vertex) -> str:
        name = self.label(vertex.symbol)
        return f"{name}={vertex.value}" if vertex.symbol.kind is EntityKind.FLUENT else name

    def _label(self, group: Sequence[Vertex]) -> str:
        names = self._names(group)
        more = len(names) - _NAMES_SHOWN
        return ", ".join(names) if more <= 0 else f"{', '.join(names[:_NAMES_SHOWN])} and {more} more"

    def _members(self, group: Sequence[Vertex]) -> tuple[str, ...]:
        match self.granularity:
            case "pairs":
                return ()
            case "fluents":
                return tuple(self._pair(vertex) for vertex in group if vertex.value)
            case _:
                return tuple(self._names(group))

    def _role(self, group: Sequence[Vertex]) -> Role | None:
        roles = {self.analysis.entities[vertex.symbol].role for vertex in group}
        return roles.pop() if len(roles) == 1 else None

    def _level(self, group: Sequence[Vertex]) -> int:
        if self.granularity == "pairs":
            return self.graph.vertex_levels[group[0]]
        return self.graph.symbol_levels[group[0].symbol]

    def _rule_counts(self) -> Counter[int]:
        counts: Counter[int] = Counter()
        for rule in self.graph.program.rules:
            counts.update({self.home[vertex] for vertex in self._defined(rule)})
        for metric in self.graph.program.metric.rules:
            symbol = self.graph.entities.metric_fluent(metric.head.signature)
            counts.update({self.home[vertex] for vertex in self.graph.of_symbol(symbol)})
        return counts

    def _defined(self, rule: Rule) -> list[Vertex]:
        match rule:
            case DelayRule(trigger=trigger, effect=effect):
                return self.graph.of_fvp(effect or trigger)
            case InitiallyRule(fvp=fvp):
                return self.graph.of_fvp(fvp)
            case _:
                return self.graph.heads(rule)

    # Components

    def _processed_together(self) -> list[list[int]]:
        """Node indices by component."""
        if self.granularity == "pairs":
            return [[self.home[vertex] for vertex in members] for members in self.graph.cd_components]
        together = (
            dict.fromkeys(self.home[vertex] for symbol in members for vertex in self.graph.of_symbol(symbol))
            for members in self.graph.fluent_components
        )
        return [list(members) for members in together]

    def _cyclic(self, together: Sequence[Sequence[int]]) -> list[bool]:
        """Whether each component has a cycle of pairs or, at a coarser granularity, of fluents."""
        on_cycle = {self.home[vertex] for vertex in self._vertices_on_cycles()}
        if self.granularity != "pairs":
            for members in self.graph.fluent_components:
                # Metric predicates may be evaluated together without a cycle; each of them is a single vertex.
                is_cycle = len(members) > 1 and members[0] not in self.graph.metric
                if is_cycle or (members[0], members[0]) in self.graph.symbol_edges:
                    on_cycle.add(self.home[self.graph.of_symbol(members[0])[0]])
        return [any(node in on_cycle for node in members) for members in together]

    def _vertices_on_cycles(self) -> Iterator[Vertex]:
        # One pass over the whole graph, because a pass per component would visit every edge once per component.
        successors: dict[Vertex, list[Vertex]] = {vertex: [] for vertex in self.graph.vertices}
        for source, target in (*self.graph.i_edges, *self.graph.f_edges):
            successors[source].append(target)
            if source == target:
                yield source
        for members in strong_components(successors):
            if len(members) > 1:
                yield from members

    # Edges

    def _edges(self) -> dict[_Key, dict[str, None]]:
        """Edges between nodes with their delays; contracted components have no loops."""
        found: dict[_Key, dict[str, None]] = {}
        for source, target in self.graph.i_edges:
            found.setdefault((self.home[source], self.home[target], "i"), {})
        for (source, target), rule in self.graph.f_edges.items():
            found.setdefault((self.home[source], self.home[target], "f"), {})[self._delay(rule.delay)] = None
        if self.granularity == "components":
            return {key: delays for key, delays in found.items() if key[0] != key[1]}
        return found

    def _delay(self, delay: Term) -> str:
        """The length of a delay, with its unit if known."""
        scale = self.analysis.written.time_scale
        if scale is None or not isinstance(delay, Const) or not isinstance(delay.value, int):
            return print_term(delay)
        return scale.duration_text(delay.value)


def _labeller(symbols: Iterable[Symbol]) -> Callable[[Symbol], str]:
    """Short names, with arity only for fluents that share a name."""
    symbols = list(symbols)
    uses = Counter((symbol.kind, symbol.label) for symbol in symbols)
    labels = {symbol: symbol.label if uses[symbol.kind, symbol.label] == 1 else str(symbol) for symbol in symbols}
    return labels.__getitem__


def identifiers(prefix: str, names: Iterable[str]) -> list[str]:
    """Identifiers that are not keywords or arrows in any notation.

    >>> identifiers("v", ["end", "größe=1", "größe=2", "größe(1)"])
    ['v_end', 'v_gr_e_1', 'v_gr_e_2', 'v_gr_e_1_x2']
    """
    seen: Counter[str] = Counter()
    found: dict[str, None] = {}
    for name in names:
        slug = stem = f"{prefix}_{re.sub('[^A-Za-z0-9]+', '_', name).strip('_')}"
        while slug in found:
            seen[stem] += 1
            slug = f"{stem}_x{seen[stem] + 1}"
        found[slug] = None
    return list(found)
