"""Computes the layout of a dependency graph: one column per level, from left to right.

A column contains *blocks*: a node, the box of a component, or the lane of edges that pass through to a higher level.
Lanes keep long edges off the nodes between their ends.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from holdsfor.viz.arcs import Arc, arc_room, bends, label_width, member_order
from holdsfor.viz.ordering import LayoutEdge, place, reduce_crossings
from holdsfor.viz.palette import cells, plain, shorten
from holdsfor.viz.view import EdgeKind, GraphEdge, GraphNode, GraphView

CHARACTER = 7.6
NODE_HEIGHT = 30.0
SUBTITLE_HEIGHT = 14.0
_NODE_PADDING = 12.0
_MEMBER_GAP = 30.0
_BLOCK_GAP = 14.0
_LANE_HEIGHT = 6.0
FRAME_PADDING = 12.0
FRAME_CAPTION = 16.0
_CAPTION_WIDTH = 120.0
_COLUMN_GAP = 64.0
_WIDEST_GAP = 200.0
_LARGE = 3000
_MOST_SKIPPED = 30_000
USED_SIDE = 0.66
"""The fraction of a node's side to which edges are attached."""
LABEL_STEP = 15.0
"""The distance of edges with labels, so that each label fits above its edge."""


@dataclass(slots=True)
class Box:
    """A node's rectangle."""

    node: GraphNode
    text: str
    subtitle: str
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0

    @property
    def right(self) -> float:
        """The x coordinate of the right side."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The y coordinate of the lower side."""
        return self.y + self.height

    @property
    def middle(self) -> float:
        """The y coordinate of the middle."""
        return self.y + self.height / 2


@dataclass(slots=True)
class ColumnBlock:
    """A unit that moves as a whole within a column: boxes in order, or no boxes for a lane."""

    column: int
    boxes: list[Box]
    arcs: list[Arc]
    framed: bool = False
    y: float = 0.0
    width: float = 0.0
    height: float = _LANE_HEIGHT
    x: float = 0.0

    def __post_init__(self) -> None:
        if not self.boxes:
            return
        padding, caption = (FRAME_PADDING, FRAME_CAPTION) if self.framed else (0.0, 0.0)
        room = arc_room(self.arcs)
        widest = max(box.width for box in self.boxes)
        self.width = max(widest + room.left + room.right, _CAPTION_WIDTH if self.framed else 0.0) + 2 * padding
        spare = self.width - 2 * padding - widest - room.left - room.right
        top = padding + caption + room.top
        for box in self.boxes:
            # Members of equal width let the edges between them run straight past each other.
            box.width, box.x, box.y = widest, padding + room.left + spare / 2, top
            top += box.height + _MEMBER_GAP
        self.height = top - _MEMBER_GAP + room.bottom + padding


@dataclass(slots=True)
class LayoutColumn:
    """The stripe of the picture for one level."""

    level: int
    x: float
    width: float

    @property
    def right(self) -> float:
        """The x coordinate of the right side."""
        return self.x + self.width


@dataclass(slots=True)
class GraphLayout:
    """Boxes by node id, their blocks, and the lanes of long edges by source, kind and column."""

    view: GraphView
    boxes: dict[str, Box] = field(default_factory=dict)
    blocks: list[ColumnBlock] = field(default_factory=list)
    columns: list[LayoutColumn] = field(default_factory=list)
    column_of: dict[str, int] = field(default_factory=dict)
    block_of: dict[str, ColumnBlock] = field(default_factory=dict)
    lanes: dict[tuple[str, EdgeKind, int], ColumnBlock] = field(default_factory=dict)

    @property
    def frames(self) -> list[ColumnBlock]:
        """The blocks that are drawn with a frame."""
        return [block for block in self.blocks if block.framed]

    @property
    def width(self) -> float:
        """The total width of the columns."""
        return self.columns[-1].right if self.columns else 0.0

    @property
    def height(self) -> float:
        """The height down to the lowest block."""
        return max((block.y + block.height for block in (*self.blocks, *self.lanes.values())), default=0.0)


def lay_out(view: GraphView) -> GraphLayout:
    """Assigns a position to every node of a view.

    >>> from holdsfor.viz.view import GraphNode
    >>> nodes = (GraphNode("a", "a", None, 1, "a"), GraphNode("b", "b", None, 2, "b"))
    >>> layout = lay_out(GraphView("pairs", nodes, (GraphEdge("a", "b"),), ()))
    >>> layout.boxes["a"].right < layout.boxes["b"].x
    True
    """
    layout = GraphLayout(view)
    levels = sorted({node.level for node in view.nodes})
    column = {level: position for position, level in enumerate(levels)}
    layout.column_of = {node.id: column[node.level] for node in view.nodes}
    _add_blocks(layout)
    _add_lanes(layout)
    links = _links(layout)
    columns = _arrange(layout, links, len(levels))
    for blocks in columns:
        layout.blocks.extend(block for block in blocks if block.boxes)
    _set_columns(layout, levels, columns, links)
    return layout


def _add_blocks(layout: GraphLayout) -> None:
    members: dict[tuple[str, int], list[GraphNode]] = {}
    for node in layout.view.nodes:
        members.setdefault((node.component, layout.column_of[node.id]), []).append(node)
    inside: dict[tuple[str, int], list[GraphEdge]] = defaultdict(list)
    for edge in layout.view.edges:
        source, target = layout.view.node[edge.source], layout.view.node[edge.target]
        key = (source.component, layout.column_of[source.id])
        if key == (target.component, layout.column_of[target.id]):
            inside[key].append(edge)
    arriving = _labels_arriving(layout)
    for key, nodes in members.items():
        order = member_order([node.id for node in nodes], inside[key])
        boxes = [_box(layout.view, layout.view.node[node], len(arriving.get(node, ()))) for node in order]
        block = ColumnBlock(key[1], boxes, bends(order, inside[key]), framed=len(nodes) > 1)
        for box in boxes:
            layout.boxes[box.node.id] = box
            layout.block_of[box.node.id] = block


def _labels_arriving(layout: GraphLayout) -> dict[str, list[GraphEdge]]:
    """The edges with labels that reach each node from lower levels, if most edges have labels."""
    found: dict[str, list[GraphEdge]] = defaultdict(list)
    for edge in layout.view.edges if layout.view.granularity == "predicates" else ():
        if edge.label and layout.column_of[edge.source] < layout.column_of[edge.target]:
            found[edge.target].append(edge)
    return found


def _box(view: GraphView, node: GraphNode, labels: int) -> Box:
    text = shorten(plain(node.label))
    subtitle = _subtitle(view, node)
    width = max(cells(text), 0.8 * len(subtitle)) * CHARACTER + 2 * _NODE_PADDING
    height = NODE_HEIGHT + (SUBTITLE_HEIGHT if subtitle else 0.0)
    return Box(node, text, subtitle, width, max(height, labels * LABEL_STEP / USED_SIDE))


def _subtitle(view: GraphView, node: GraphNode) -> str:
    """The subtitle of a contracted component, which shows neither its inner edges nor all of its members."""
    if view.granularity != "components":
        return ""
    size = f"{len(node.members)} together" if len(node.members) > 1 else ""
    return ", ".join(part for part in (size, "cyclic" if node.component in view.cyclic else "") if part)


def _add_lanes(layout: GraphLayout) -> None:
    """Adds one lane for all edges of a source and kind, unless many long edges would make the file too large."""
    skipped = 0
    furthest: dict[tuple[str, EdgeKind], int] = {}
    for edge in layout.view.edges:
        key, last = (edge.source, edge.kind), layout.column_of[edge.target]
        furthest[key] = max(furthest.get(key, 0), last)
        skipped += max(0, last - layout.column_of[edge.source] - 1)
    if skipped > _MOST_SKIPPED:
        return
    for (source, kind), last in furthest.items():
        for column in range(layout.column_of[source] + 1, last):
            layout.lanes[source, kind, column] = ColumnBlock(column, [], [])


def hops(layout: GraphLayout, edge: GraphEdge) -> list[ColumnBlock]:
    """The blocks that a forward edge passes through, including both ends."""
    first, last = layout.column_of[edge.source], layout.column_of[edge.target]
    columns = range(first + 1, last) if layout.lanes else ()
    lanes = [layout.lanes[edge.source, edge.kind, column] for column in columns]
    return [layout.block_of[edge.source], *lanes, layout.block_of[edge.target]]


def _links(layout: GraphLayout) -> list[LayoutEdge[ColumnBlock]]:
    """The segments of edges between neighbouring blocks, without duplicates, with their attachment heights."""
    found: dict[tuple[int, int, float, float], LayoutEdge[ColumnBlock]] = {}
    for edge in layout.view.edges:
        if layout.column_of[edge.source] >= layout.column_of[edge.target]:
            continue
        path = hops(layout, edge)
        for left, right in pairwise(path):
            leaves = layout.boxes[edge.source].middle if left.boxes else left.height / 2
            arrives = layout.boxes[edge.target].middle if right.boxes else right.height / 2
            found.setdefault((id(left), id(right), leaves, arrives), LayoutEdge(left, right, leaves, arrives))
    return list(found.values())


def _arrange(layout: GraphLayout, links: Sequence[LayoutEdge[ColumnBlock]], count: int) -> list[list[ColumnBlock]]:
    """Blocks by column in their final order, with heights."""
    columns: list[list[ColumnBlock]] = [[] for _ in range(count)]
    blocks = {id(block): block for block in layout.block_of.values()}
    for block in (*blocks.values(), *layout.lanes.values()):
        columns[block.column].append(block)
    size = len(blocks) + len(layout.lanes) + len(links)
    if size <= _LARGE:
        reduce_crossings(columns, links)
    place(columns, links, _BLOCK_GAP, sweeps=8 if size <= _LARGE else 2)
    return columns


def _set_columns(
    layout: GraphLayout,
    levels: Sequence[int],
    columns: Sequence[Sequence[ColumnBlock]],
    links: Iterable[LayoutEdge[ColumnBlock]],
) -> None:
    """Sets the x coordinates: a gap is as wide as the edges in it require."""
    crossing = [0] * len(columns)
    for link in links:
        crossing[link.left.column] += 1
    wanted = [0.0] * (len(columns) + 1)
    for target, edges_in in _labels_arriving(layout).items():
        place_of = layout.column_of[target]
        wanted[place_of] = max(wanted[place_of], *(label_width(edge) + _COLUMN_GAP / 2 for edge in edges_in))
    x = 0.0
    for level, blocks, edges, labels in zip(levels, columns, crossing, wanted[1:], strict=True):
        width = max(block.width for block in blocks)
        layout.columns.append(LayoutColumn(level, x, width))
        for block in blocks:
            block.x = x + (width - block.width) / 2
            for box in block.boxes:
                box.x += block.x
                box.y += block.y
        x += width + max(labels, min(_WIDEST_GAP, _COLUMN_GAP + 2 * edges))
