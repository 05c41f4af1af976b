"""Writes a dependency graph in the DOT language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.viz.palette import BOX, BOX_FILL, CYCLE, CYCLE_FILL, INK, LINE, PAPER, caption, paint, plain
from holdsfor.viz.view import GraphComponent, GraphEdge, GraphNode, GraphView


def to_dot(view: GraphView) -> str:
    """The graph as text for `dot`.

    >>> from holdsfor.compiler.analysis.entities import Role
    >>> on = GraphNode("v_on", "on=true", Role.SIMPLE_FLUENT, 1, "c_on")
    >>> print(to_dot(GraphView("pairs", (on,), (), ())).splitlines()[-2].strip())
    v_on [label="on=true\\nlevel 1", fillcolor="#dcebfb", color="#2566ad"];
    """
    return "\n".join(["digraph dependencies {", *(f"    {line}" for line in _statements(view)), "}"]) + "\n"


def _statements(view: GraphView) -> Iterator[str]:
    font = 'fontname="Helvetica,Arial,sans-serif"'
    yield f'graph [rankdir=LR, bgcolor="{PAPER}", {font}, fontsize=10];'
    yield f'node [shape=box, style="filled,rounded", {font}, fontsize=11, fontcolor="{INK}"];'
    yield f'edge [color="{LINE}", fontcolor="{INK}", {font}, fontsize=10];'
    boxed = {node for box in view.boxes for node in box.nodes}
    for box in view.boxes:
        yield from _cluster(view, box)
    yield from (_node(view, node) for node in view.nodes if node.id not in boxed)
    yield from (_edge(edge) for edge in view.edges)


def _cluster(view: GraphView, box: GraphComponent) -> Iterator[str]:
    fill, stroke = (CYCLE_FILL, CYCLE) if box.cyclic else (BOX_FILL, BOX)
    yield f"subgraph cluster_{box.id} {{"
    yield f'    label="{caption(cyclic=box.cyclic)}, level {box.level}"; style="filled,rounded"; fillcolor="{fill}"; color="{stroke}";'
    yield from (f"    {_node(view, view.node[node])}" for node in box.nodes)
    yield "}"


def _node(view: GraphView, node: GraphNode) -> str:
    colours = paint(node)
    contracted = view.granularity == "components" and node.component in view.cyclic
    level = f"level {node.level}, cyclic" if contracted else f"level {node.level}"
    shape = ", shape=oval" if colours.name in {"event", "signal"} else ""
    label = f"{escape(node.label)}\\n{level}"
    return f'{node.id} [label="{label}", fillcolor="{colours.fill}", color="{colours.stroke}"{shape}];'


def _edge(edge: GraphEdge) -> str:
    options = []
    if edge.label:
        options.append(f'label="{escape(edge.label)}"')
    if edge.kind == "f":
        options.append("style=dashed")
    elif edge.kind == "n":
        options.append("style=dotted")
    if edge.cyclic:
        options.append(f'color="{CYCLE}"')
    attributes = f" [{', '.join(options)}]" if options else ""
    return f"{edge.source} -> {edge.target}{attributes};"


def escape(text: str) -> str:
    r"""Escapes text for DOT's double quotes, where entities such as `&lt;` are also interpreted.

    >>> escape('say "a\\b" & c')
    'say \\"a\\\\b\\" &amp; c'
    """
    return plain(text).replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
