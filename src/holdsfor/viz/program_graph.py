"""The dependency graph of a program as a picture for notebooks, pages and files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from holdsfor.viz.dot import to_dot
from holdsfor.viz.mermaid import to_mermaid
from holdsfor.viz.page import page
from holdsfor.viz.palette import GRANULARITIES, count_of
from holdsfor.viz.picture import Picture
from holdsfor.viz.svg import to_svg
from holdsfor.viz.view import GraphView


@dataclass(frozen=True)
class ProgramGraph(Picture):
    """A dependency graph. `view` has its nodes and edges."""

    view: GraphView

    @property
    def title(self) -> str:
        """The title of the picture."""
        return f"Dependencies of {GRANULARITIES[self.view.granularity]}"

    def svg(self) -> str:
        """A self-contained picture."""
        return to_svg(self.view)

    def html(self) -> str:
        """An interactive page."""
        counts = f"{count_of(len(self.view.nodes), 'node')} and {count_of(len(self.view.edges), 'edge')}"
        body = f"""<header>
<h1>{escape(self.title)}</h1>
<div class="tools">
<button id="out" aria-label="smaller">−</button><button id="in" aria-label="larger">+</button><button id="all">all</button>
<span>{counts}</span></div>
</header>
<main class="field" id="field" tabindex="0" aria-describedby="keys">{self.svg()}</main>
<footer><p id="keys">Drag or arrow keys to move, wheel or + − to scale, 0 for all, 1 for its own size.</p></footer>"""
        return page(self.title, f"{self.title}: {counts}.", body, {}, ["common.js", "graph.js"])

    def mermaid(self) -> str:
        """The graph in Mermaid's notation."""
        return to_mermaid(self.view)

    def dot(self) -> str:
        """The graph in Graphviz's notation."""
        return to_dot(self.view)

    def formats(self) -> dict[str, Callable[[], str]]:
        """The text by file name ending."""
        return super().formats() | {".mmd": self.mermaid, ".dot": self.dot}

    def _repr_svg_(self) -> str:
        return self.svg()
