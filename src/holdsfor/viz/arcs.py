"""Lays out edges between nodes of one column: their side, their extent, and a suitable order of nodes.

An edge to the next node below is straight. Other edges bend: down on the right, up on the left. Loops are above or
below their node.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from holdsfor.viz.palette import cells, plain
from holdsfor.viz.view import GraphEdge

LABEL_CHARACTER = 6.7
LOOP = 16.0
_NEAREST = 16.0
_STEP = 10.0
_FURTHEST = 104.0
_MANY = 100


class Bend(Enum):
    """The shape of an edge inside a column."""

    STRAIGHT = auto()
    RIGHT = auto()
    LEFT = auto()
    LOOP_ABOVE = auto()
    LOOP_BELOW = auto()


@dataclass(slots=True)
class Arc:
    """An edge between nodes of one column: its bend, the positions it spans and its extent to the side."""

    edge: GraphEdge
    bend: Bend
    first: int
    last: int
    reach: float = _NEAREST

    @property
    def outside(self) -> float:
        """The extent to the side, including the label."""
        return self.reach + label_width(self.edge)


@dataclass(frozen=True, slots=True)
class Sides:
    """The space that edges need around the nodes of a block."""

    left: float = 0.0
    right: float = 0.0
    top: float = 0.0
    bottom: float = 0.0


def member_order(nodes: Sequence[str], edges: Iterable[GraphEdge]) -> list[str]:
    """An order in which most edges point down: depth-first, last finished first.

    >>> member_order(["c", "b", "a"], [GraphEdge("a", "b"), GraphEdge("b", "c"), GraphEdge("c", "a")])
    ['c', 'a', 'b']
    """
    if len(nodes) < 2:
        return list(nodes)
    successors: dict[str, list[str]] = {node: [] for node in nodes}
    entered = dict.fromkeys(nodes, 0)
    for edge in edges:
        if edge.source != edge.target:
            successors[edge.source].append(edge.target)
            entered[edge.target] += 1
    finished: dict[str, None] = {}
    seen: set[str] = set()
    # A cycle is entered where an outside edge enters it, otherwise at its first node.
    roots = [node for node in reversed(nodes) if not entered[node]]
    for root in (*roots, *nodes):
        stack = [] if root in seen else [(root, iter(successors[root]))]
        seen.add(root)
        while stack:
            node, following = stack[-1]
            for other in following:
                if other not in seen:
                    seen.add(other)
                    stack.append((other, iter(successors[other])))
                    break
            else:
                finished[node] = None
                stack.pop()
    return list(reversed(finished))


def bends(order: Sequence[str], edges: Iterable[GraphEdge]) -> list[Arc]:
    """The bend of each edge between nodes of one column; at most one edge between two nodes is straight."""
    position = {node: place for place, node in enumerate(order)}
    straight: set[int] = set()
    found = []
    for edge in edges:
        start, end = position[edge.source], position[edge.target]
        if start == end:
            bend = Bend.LOOP_BELOW if edge.kind == "f" else Bend.LOOP_ABOVE
        elif end == start + 1 and start not in straight:
            straight.add(start)
            bend = Bend.STRAIGHT
        else:
            bend = Bend.RIGHT if end > start else Bend.LEFT
        found.append(Arc(edge, bend, min(start, end), max(start, end)))
    _reach_out([arc for arc in found if arc.bend is Bend.RIGHT])
    _reach_out([arc for arc in found if arc.bend is Bend.LEFT])
    return found


def _reach_out(arcs: list[Arc]) -> None:
    """Places each arc of a side outside of those that it encloses or overlaps, and outside of their labels."""
    placed: list[Arc] = []
    for arc in sorted(arcs, key=lambda arc: arc.last - arc.first):
        if len(arcs) > _MANY:
            arc.reach = min(_FURTHEST, _NEAREST + _STEP * (arc.last - arc.first - 1))
            continue
        inner = [other.outside for other in placed if other.first < arc.last and arc.first < other.last]
        arc.reach = max(inner, default=_NEAREST - _STEP) + _STEP
        placed.append(arc)


def label_width(edge: GraphEdge) -> float:
    """The space for a delay label beside its edge."""
    return cells(plain(edge.label)) * LABEL_CHARACTER + 8 if edge.label else 0.0


def arc_room(arcs: Iterable[Arc]) -> Sides:
    """The space that the edges of a block need beyond its nodes."""
    left = right = top = bottom = 0.0
    for arc in arcs:
        match arc.bend:
            case Bend.RIGHT:
                right = max(right, arc.outside)
            case Bend.LEFT:
                left = max(left, arc.outside)
            case Bend.LOOP_ABOVE:
                top = LOOP
            case Bend.LOOP_BELOW:
                bottom, right = LOOP, max(right, label_width(arc.edge))
            case Bend.STRAIGHT:
                continue
    return Sides(left, right, top, bottom)
