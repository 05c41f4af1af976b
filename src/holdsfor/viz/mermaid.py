"""Writes a dependency graph as a Mermaid flowchart."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from holdsfor.viz.palette import BOX, BOX_FILL, CYCLE, CYCLE_FILL, INK, PAINTS, caption, paint, plain
from holdsfor.viz.view import GraphEdge, GraphNode, GraphView

_SHAPES = {
    "input": ("[/", "/]"),
    "simple": ("[", "]"),
    "static": ("[[", "]]"),
    "metric": ("[\\", "\\]"),
    "event": ("([", "])"),
    "signal": ("([", "])"),
    "given": ("[/", "/]"),
    "derived": ("[", "]"),
    "mixed": ("{{", "}}"),
}
# Mermaid parses labels as Markdown, and some punctuation even inside quotes. Underscores inside words are safe.
_SPECIAL = re.compile(r"[^\w =(),.'/]|(?<![^\W_])_|_(?![^\W_])")
_WORD_JOINER = "\u2060"


def to_mermaid(view: GraphView) -> str:
    """The flowchart as text. Mermaid's own limits allow some 500 edges; beyond that use SVG.

    >>> from holdsfor.compiler.analysis.entities import Role
    >>> on = GraphNode("v_on", "on=true", Role.SIMPLE_FLUENT, 1, "c_on")
    >>> print(to_mermaid(GraphView("pairs", (on,), (), ())))
    flowchart LR
        v_on["on=true<br/>level 1"]:::simple
        classDef simple fill:#dcebfb,stroke:#2566ad,color:#1f2933
    """
    return "\n".join(["flowchart LR", *(f"    {line}" for line in _statements(view))]) + "\n"


def _statements(view: GraphView) -> Iterator[str]:
    boxed = {node for box in view.boxes for node in box.nodes}
    for box in view.boxes:
        yield f'subgraph {box.id}["{caption(cyclic=box.cyclic)}, level {box.level}"]'
        yield from (f"    {_node(view, view.node[node])}" for node in box.nodes)
        yield "end"
    yield from (_node(view, node) for node in view.nodes if node.id not in boxed)
    yield from (_edge(edge) for edge in view.edges)
    yield from _styles(view)


def _node(view: GraphView, node: GraphNode) -> str:
    name = paint(node).name
    left, right = _SHAPES[name]
    # A contracted component shows no inner edges, so its label says that it is cyclic.
    contracted = view.granularity == "components" and node.component in view.cyclic
    level = f"level {node.level}, cyclic" if contracted else f"level {node.level}"
    return f'{node.id}{left}"{escape(node.label)}<br/>{level}"{right}:::{name}'


def _edge(edge: GraphEdge) -> str:
    arrow = "-->" if edge.kind == "i" else "-.->"
    label = f'|"{escape(edge.label)}"|' if edge.label else ""
    return f"{edge.source} {arrow}{label} {edge.target}"


def _styles(view: GraphView) -> Iterator[str]:
    used = {paint(node).name for node in view.nodes}
    for each in PAINTS.values():
        if each.name in used:
            yield f"classDef {each.name} fill:{each.fill},stroke:{each.stroke},color:{INK}"
    yield from _box_style("together", BOX_FILL, BOX, (box.id for box in view.boxes if not box.cyclic))
    yield from _box_style("cyclic", CYCLE_FILL, CYCLE, (box.id for box in view.boxes if box.cyclic))
    loops = [str(position) for position, edge in enumerate(view.edges) if edge.cyclic]
    if loops:
        yield f"linkStyle {','.join(loops)} stroke:{CYCLE}"


def _box_style(name: str, fill: str, stroke: str, boxes: Iterable[str]) -> Iterator[str]:
    members = ",".join(boxes)
    if members:
        yield f"classDef {name} fill:{fill},stroke:{stroke},color:{INK}"
        yield f"class {members} {name}"


def escape(text: str) -> str:
    """Escapes text for Mermaid's double quotes.

    >>> escape("limit='a \\"b\\" <c>'"), escape("near_port=*")
    ("limit='a #34;b#34; #60;c#62;'", 'near_port=#42;')
    """
    # Mermaid reads any backslash before an n as a line break. An invisible word joiner separates the two.
    parted = plain(text).replace("\\n", f"\\{_WORD_JOINER}n")
    return _SPECIAL.sub(lambda found: f"#{ord(found[0])};", parted)
