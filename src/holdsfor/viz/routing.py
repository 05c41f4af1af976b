"""Computes the curves of edges: attachment points, and the path between.

Edges leave a node on its right and enter it on its left, distributed along the side in the order of their other ends.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from holdsfor.viz.arcs import LOOP, Arc, Bend
from holdsfor.viz.layout import LABEL_STEP, USED_SIDE, Box, GraphLayout, hops
from holdsfor.viz.view import GraphEdge

_PORT_STEP = 6.0
_CORNER = 10.0


class Side(Enum):
    """The side of a node to which an edge is attached."""

    LEFT = "left"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class EdgePath:
    """An edge's path in SVG notation, the tip and direction of its arrow, and the position of its label."""

    edge: GraphEdge
    path: str
    tip: tuple[float, float]
    heading: tuple[int, int]
    label_at: tuple[float, float]
    anchor: str


_End = tuple[str, Side]
_Hop = tuple[object, ...]


def routes(layout: GraphLayout) -> Iterator[EdgePath]:
    """The routes of all edges."""
    router = _Router(layout)
    for edge in layout.view.edges:
        yield router.route(edge)


class _Router:
    def __init__(self, layout: GraphLayout) -> None:
        self.layout = layout
        self.arcs = {id(arc.edge): arc for block in layout.blocks for arc in block.arcs}
        self._hops: dict[_End, dict[_Hop, float]] = defaultdict(dict)
        for edge in layout.view.edges:
            self._attach(edge, self.arcs.get(id(edge)))
        self._port = {(end, hop): y for end, found in self._hops.items() for hop, y in self._spread(end, found)}

    # Attachment points

    def _attach(self, edge: GraphEdge, arc: Arc | None) -> None:
        source, target = self.layout.boxes[edge.source], self.layout.boxes[edge.target]
        match arc and arc.bend:
            case Bend.RIGHT | Bend.LEFT as bend:
                side = Side.RIGHT if bend is Bend.RIGHT else Side.LEFT
                self._hops[edge.source, side][self._hop(edge, edge.target)] = target.middle
                self._hops[edge.target, side][self._hop(edge, edge.source)] = source.middle
            case None:
                first, last = self._neighbours(edge)
                self._hops[edge.source, self._side(edge, out=True)][self._hop(edge, first[0])] = first[1]
                self._hops[edge.target, self._side(edge, out=False)][self._hop(edge, last[0])] = last[1]
            case _:
                return

    def _hop(self, edge: GraphEdge, towards: object) -> _Hop:
        return (towards, edge.kind)

    def _side(self, edge: GraphEdge, *, out: bool) -> Side:
        columns = self.layout.column_of
        forward = columns[edge.source] < columns[edge.target]
        if columns[edge.source] == columns[edge.target]:
            return Side.RIGHT
        return Side.RIGHT if forward is out else Side.LEFT

    def _neighbours(self, edge: GraphEdge) -> tuple[tuple[object, float], tuple[object, float]]:
        """The first and last neighbours of an edge, with their heights: a lane, or the other end."""
        path = hops(self.layout, edge)
        first, last = path[1], path[-2]
        source, target = self.layout.boxes[edge.source], self.layout.boxes[edge.target]
        return (
            (edge.target, target.middle) if first.boxes else (id(first), first.y + first.height / 2),
            (edge.source, source.middle) if last.boxes else (id(last), last.y + last.height / 2),
        )

    def _spread(self, end: _End, found: dict[_Hop, float]) -> Iterator[tuple[_Hop, float]]:
        box = self.layout.boxes[end[0]]
        # A node at which many labels arrive is higher than others.
        widest = LABEL_STEP if end[1] is Side.LEFT and self.layout.view.granularity == "predicates" else _PORT_STEP
        step = min(widest, USED_SIDE * box.height / len(found))
        top = box.middle - step * (len(found) - 1) / 2
        for position, hop in enumerate(sorted(found, key=found.__getitem__)):
            yield hop, top + position * step

    def _port_of(self, edge: GraphEdge, node: str, side: Side, towards: object) -> float:
        return self._port[(node, side), self._hop(edge, towards)]

    # Paths

    def route(self, edge: GraphEdge) -> EdgePath:
        arc = self.arcs.get(id(edge))
        if arc is not None:
            return self._within(arc)
        columns = self.layout.column_of
        if columns[edge.source] < columns[edge.target]:
            return self._forward(edge)
        if columns[edge.source] == columns[edge.target]:
            return self._arc(edge, Side.RIGHT, LOOP)
        return self._back(edge)

    def _within(self, arc: Arc) -> EdgePath:
        source, target = self.layout.boxes[arc.edge.source], self.layout.boxes[arc.edge.target]
        match arc.bend:
            case Bend.STRAIGHT:
                return _straight(arc.edge, source, target)
            case Bend.LOOP_ABOVE | Bend.LOOP_BELOW:
                return _loop(arc.edge, source, above=arc.bend is Bend.LOOP_ABOVE)
            case Bend.RIGHT:
                return self._arc(arc.edge, Side.RIGHT, arc.reach)
            case Bend.LEFT:
                return self._arc(arc.edge, Side.LEFT, arc.reach)

    def _arc(self, edge: GraphEdge, side: Side, out: float) -> EdgePath:
        source, target = self.layout.boxes[edge.source], self.layout.boxes[edge.target]
        start = self._port_of(edge, edge.source, side, edge.target)
        end = self._port_of(edge, edge.target, side, edge.source)
        sign = 1 if side is Side.RIGHT else -1
        from_x, to_x = (source.right, target.right) if sign > 0 else (source.x, target.x)
        outermost = max(from_x, to_x) if sign > 0 else min(from_x, to_x)
        x, down = outermost + sign * out, 1 if end > start else -1
        radius = min(_CORNER, abs(end - start) / 2)
        # Round corners instead of a full curve keep an arc clear of the arcs it encloses and of their labels.
        path = (
            f"M{_xy(from_x, start)}H{_short(x - sign * radius)}Q{_xy(x, start)} {_xy(x, start + down * radius)}"
            f"V{_short(end - down * radius)}Q{_xy(x, end)} {_xy(x - sign * radius, end)}H{_short(to_x)}"
        )
        label = (x + sign * 5, (start + end) / 2)
        return EdgePath(edge, path, (to_x, end), (-sign, 0), label, "start" if sign > 0 else "end")

    def _forward(self, edge: GraphEdge) -> EdgePath:
        source, target = self.layout.boxes[edge.source], self.layout.boxes[edge.target]
        first, last = self._neighbours(edge)
        start = self._port_of(edge, edge.source, Side.RIGHT, first[0])
        end = self._port_of(edge, edge.target, Side.LEFT, last[0])
        columns = self.layout.columns
        x, y = columns[self.layout.column_of[edge.source]].right, start
        parts = [f"M{_xy(source.right, start)}H{_short(x)}"]
        for block in hops(self.layout, edge)[1:]:
            column = columns[block.column]
            height = end if block.boxes else block.y + block.height / 2
            parts.append(_swing(x, y, column.x, height))
            x, y = column.right, height
            parts.append(f"H{_short(target.x if block.boxes else x)}")
        return EdgePath(edge, "".join(parts), (target.x, end), (1, 0), (target.x - 10, end - 9), "end")

    def _back(self, edge: GraphEdge) -> EdgePath:
        """An edge to a lower level. Levels exclude it, but a view need not come from a program."""
        source, target = self.layout.boxes[edge.source], self.layout.boxes[edge.target]
        start = self._port_of(edge, edge.source, Side.LEFT, edge.target)
        end = self._port_of(edge, edge.target, Side.RIGHT, edge.source)
        path = f"M{_xy(source.x, start)}{_swing(source.x, start, target.right, end)}"
        label = ((source.x + target.right) / 2, (start + end) / 2)
        return EdgePath(edge, path, (target.right, end), (-1, 0), label, "middle")


def _straight(edge: GraphEdge, source: Box, target: Box) -> EdgePath:
    x = source.x + source.width / 2
    label = (x + 6, (source.bottom + target.y) / 2)
    return EdgePath(edge, f"M{_xy(x, source.bottom)}V{_short(target.y)}", (x, target.y), (0, 1), label, "start")


def _loop(edge: GraphEdge, box: Box, *, above: bool) -> EdgePath:
    """A loop near the right end of the top or the bottom, where no other edge is attached."""
    y, sign = (box.y, -1) if above else (box.bottom, 1)
    start, end = box.right - 25, box.right - 9
    control = y + sign * LOOP * 4 / 3
    path = f"M{_xy(start, y)}C{_xy(start - 6, control)} {_xy(end + 6, control)} {_xy(end, y)}"
    return EdgePath(edge, path, (end, y), (0, -sign), (end + 8, y + sign * 9), "start")


def _swing(x: float, y: float, to_x: float, to_y: float) -> str:
    middle = (x + to_x) / 2
    return f"C{_xy(middle, y)} {_xy(middle, to_y)} {_xy(to_x, to_y)}"


def _xy(x: float, y: float) -> str:
    return f"{_short(x)},{_short(y)}"


def _short(number: float) -> str:
    """A coordinate rounded to a tenth of a pixel."""
    return f"{number:.1f}".removesuffix(".0")
