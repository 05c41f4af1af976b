"""Draws a dependency graph as a self-contained SVG picture, without script, font or style sheet."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from holdsfor.viz import palette
from holdsfor.viz.arcs import LABEL_CHARACTER
from holdsfor.viz.layout import CHARACTER, FRAME_PADDING, Box, ColumnBlock, GraphLayout, lay_out
from holdsfor.viz.routing import EdgePath, routes
from holdsfor.viz.view import GraphEdge, GraphView

_MARGIN = 20.0
_BAND_PADDING = 12.0
_HEADER = 26.0
_LEGEND_ROW = 22.0
_SWATCH = 26.0
_TITLE_CHARACTER = 8.8
_MEMBERS_IN_TOOLTIP = 20

# Every rule starts with the class of the root, so that an embedded picture does not restyle the page.
_STYLE = f"""
.holdsfor-graph text{{font:12px ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif;fill:{palette.INK}}}
.holdsfor-graph .label text,.holdsfor-graph .delay{{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}}
.holdsfor-graph .label text{{font-size:{CHARACTER / 0.605:.2f}px;text-anchor:middle}}
.holdsfor-graph .label .small{{font:11px ui-sans-serif,system-ui,sans-serif;fill:{palette.FAINT}}}
.holdsfor-graph .delay{{font-size:{LABEL_CHARACTER / 0.605:.2f}px;paint-order:stroke;stroke:{palette.PAPER};stroke-width:3px;stroke-linejoin:round}}
.holdsfor-graph .faint{{fill:{palette.FAINT}}}
.holdsfor-graph .title{{font-size:14px;font-weight:600}}
.holdsfor-graph .node rect{{stroke-width:1.4px}}
.holdsfor-graph .node:hover rect{{stroke-width:2.6px}}
.holdsfor-graph .edge path{{fill:none;stroke:{palette.LINE};stroke-width:1.3px}}
.holdsfor-graph .edge .tip{{fill:{palette.LINE};stroke:none}}
.holdsfor-graph .f path{{stroke-dasharray:5 3}}
.holdsfor-graph .n path{{stroke-dasharray:2 3}}
.holdsfor-graph .cyclic path{{stroke:{palette.CYCLE}}}
.holdsfor-graph .cyclic .tip{{fill:{palette.CYCLE}}}
.holdsfor-graph .edge:hover path{{stroke-width:2.6px}}
.holdsfor-graph .frame{{fill:{palette.BOX_FILL};stroke:{palette.BOX}}}
.holdsfor-graph .frame.cyclic{{fill:{palette.CYCLE_FILL};stroke:{palette.CYCLE};stroke-opacity:.55}}
""".strip()


def to_svg(view: GraphView) -> str:
    """The picture as a complete SVG document.

    >>> to_svg(GraphView("pairs", (), (), ())).startswith('<svg xmlns="http://www.w3.org/2000/svg"')
    True
    """
    layout = lay_out(view)
    summary = _summary(view)
    width = max(_TITLE_CHARACTER * len(summary), layout.width + 2 * _BAND_PADDING) + 2 * _MARGIN
    legend, legend_height = _legend(view, width - 2 * _MARGIN)
    top = _MARGIN + 22 + legend_height + _HEADER + 8
    height = top + layout.height + _BAND_PADDING + _MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"',
            f'viewBox="0 0 {width:.0f} {height:.0f}" class="holdsfor-graph" role="img" aria-label={quoteattr(summary)}>',
            f"<style>{_STYLE}</style>",
            f'<rect width="100%" height="100%" fill="{palette.PAPER}"/>',
            f'<text class="title" x="{_MARGIN}" y="{_MARGIN + 12}">{escape(summary)}</text>',
            *legend,
            f'<g transform="translate({_MARGIN + _BAND_PADDING},{top:.1f})">',
            *_drawing(layout),
            "</g>",
            "</svg>\n",
        ]
    )


def _summary(view: GraphView) -> str:
    levels = len({node.level for node in view.nodes})
    counts = (
        palette.count_of(len(view.nodes), "node"),
        palette.count_of(len(view.edges), "edge"),
        palette.count_of(levels, "level"),
    )
    return f"Dependencies of {palette.GRANULARITIES[view.granularity]}: {', '.join(counts)}"


def _drawing(layout: GraphLayout) -> Iterator[str]:
    yield from _bands(layout)
    yield from (_frame(layout.view, block) for block in layout.frames)
    drawn = list(routes(layout))
    yield from (_edge(layout.view, route) for route in drawn)
    yield from (_node(layout.view, box) for box in layout.boxes.values())
    # Delays come last, so that no edge or node covers them.
    yield from (_delay(route) for route in drawn if route.edge.label)


def _bands(layout: GraphLayout) -> Iterator[str]:
    height = layout.height + _HEADER + _BAND_PADDING
    for column in layout.columns:
        x, width = column.x - _BAND_PADDING, column.width + 2 * _BAND_PADDING
        yield f'<rect x="{x:.1f}" y="{-_HEADER}" width="{width:.1f}" height="{height:.1f}" rx="8" fill="{palette.BAND}"/>'
        yield f'<text class="faint" x="{x + _BAND_PADDING:.1f}" y="-9">level {column.level}</text>'


def _frame(view: GraphView, block: ColumnBlock) -> str:
    cyclic = block.boxes[0].node.component in view.cyclic
    name = "frame cyclic" if cyclic else "frame"
    return (
        f'<rect class="{name}" x="{block.x:.1f}" y="{block.y:.1f}" width="{block.width:.1f}" '
        f'height="{block.height:.1f}" rx="8"/>'
        f'<text class="faint" x="{block.x + FRAME_PADDING:.1f}" y="{block.y + 17:.1f}">{palette.caption(cyclic=cyclic)}</text>'
    )


# Nodes


def _node(view: GraphView, box: Box) -> str:
    colours = palette.paint(box.node)
    radius = box.height / 2 if colours.name in {"event", "signal"} else 5
    middle = box.x + box.width / 2
    second = (
        f'<text class="small" x="{middle:.1f}" y="{box.middle + 14:.1f}">{escape(box.subtitle)}</text>'
        if box.subtitle
        else ""
    )
    return (
        f'<g class="node label" data-node="{box.node.id}"><title>{escape(_tooltip(view, box))}</title>'
        f'<rect x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="{radius:g}" '
        f'fill="{colours.fill}" stroke="{colours.stroke}"/>'
        f'<text x="{middle:.1f}" y="{box.middle + (-2 if second else 4.4):.1f}">{escape(box.text)}</text>{second}</g>'
    )


def _tooltip(view: GraphView, box: Box) -> str:
    node = box.node
    lines = [
        palette.plain(node.label),
        f"{palette.paint(node).title}, level {node.level}, {palette.count_of(node.rules, 'rule')}",
    ]
    if node.component in view.cyclic:
        lines.append("in a cyclic component")
    if node.members:
        more = len(node.members) - _MEMBERS_IN_TOOLTIP
        names = [palette.plain(name) for name in node.members[:_MEMBERS_IN_TOOLTIP]]
        lines.append(", ".join(names) + (f" and {more} more" if more > 0 else ""))
    return "\n".join(lines)


# Edges


def _edge(view: GraphView, route: EdgePath) -> str:
    edge = route.edge
    names = f"edge {edge.kind} cyclic" if edge.cyclic else f"edge {edge.kind}"
    return (
        f'<g class="{names}" data-from="{edge.source}" data-to="{edge.target}">'
        f'<title>{escape(_edge_tooltip(view, edge))}</title><path d="{route.path}"/>'
        f'<path class="tip" d="{_arrow(route)}"/></g>'
    )


def _edge_tooltip(view: GraphView, edge: GraphEdge) -> str:
    ends = f"{palette.plain(view.node[edge.source].label)} → {palette.plain(view.node[edge.target].label)}"
    if view.granularity == "predicates":
        return f"{ends}: {palette.plain(edge.label)}" if edge.label else ends
    delay = f", after {palette.plain(edge.label)}" if edge.label else ""
    return f"{ends} ({edge.kind}-edge{delay})"


def _arrow(route: EdgePath) -> str:
    """An explicit path instead of a marker, because markers need ids, which two pictures on a page would share."""
    (x, y), (right, down) = route.tip, route.heading
    back_x, back_y = x - 7 * right, y - 7 * down
    return (
        f"M{x:.1f},{y:.1f}L{back_x + 3.2 * down:.1f},{back_y + 3.2 * right:.1f}"
        f"L{back_x - 3.2 * down:.1f},{back_y - 3.2 * right:.1f}Z"
    )


def _delay(route: EdgePath) -> str:
    x, y = route.label_at
    return f'<text class="delay" text-anchor="{route.anchor}" x="{x:.1f}" y="{y + 4:.1f}">{escape(palette.plain(route.edge.label))}</text>'


# Legend


def _legend(view: GraphView, width: float) -> tuple[list[str], float]:
    """The roles and edges that occur, in as many rows as the width requires."""
    parts: list[str] = []
    x, y = 0.0, 0.0
    for swatch, text in _entries(view):
        needed = _SWATCH + 8 + len(text) * 6.6 + 18
        if x and x + needed > width:
            x, y = 0.0, y + _LEGEND_ROW
        left, top = _MARGIN + x, _MARGIN + 24 + y
        parts.append(
            f'<g class="legend" transform="translate({left:.1f},{top:.1f})">{swatch}'
            f'<text x="{_SWATCH + 8:g}" y="12">{escape(text)}</text></g>'
        )
        x += needed
    return parts, y + _LEGEND_ROW if parts else 0.0


def _entries(view: GraphView) -> Iterator[tuple[str, str]]:
    used = {palette.paint(node).name for node in view.nodes}
    for colours in palette.PAINTS.values():
        if colours.name in used:
            radius = 8 if colours.name in {"event", "signal"} else 4
            yield _swatch(f'rx="{radius}" fill="{colours.fill}" stroke="{colours.stroke}"'), colours.title
    kinds = {(edge.kind, edge.cyclic) for edge in view.edges}
    if any(kind == "i" for kind, _ in kinds):
        yield _line("edge i"), "condition"
    if any(kind == "f" for kind, _ in kinds):
        yield _line("edge f"), "delayed effect"
    if any(kind == "n" for kind, _ in kinds):
        yield _line("edge n"), "negation or aggregate"
    if any(cyclic for _, cyclic in kinds):
        yield _line("edge i cyclic"), "in a cyclic component"


def _swatch(attributes: str) -> str:
    return f'<rect y="0.5" width="{_SWATCH:g}" height="15" {attributes}/>'


def _line(name: str) -> str:
    tip = f"M{_SWATCH:g},8l-7,-3.2v6.4Z"
    return f'<g class="{name}"><path d="M0,8H{_SWATCH:g}"/><path class="tip" d="{tip}"/></g>'
