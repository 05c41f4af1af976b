"""Dependency graphs as pictures: build a view, then write it as Mermaid, Graphviz DOT or SVG."""

from holdsfor.viz.dot import to_dot
from holdsfor.viz.mermaid import to_mermaid
from holdsfor.viz.metric import metric_view
from holdsfor.viz.svg import to_svg
from holdsfor.viz.view import Granularity, GraphComponent, GraphEdge, GraphNode, GraphView, dependency_view

__all__ = [
    "Granularity",
    "GraphComponent",
    "GraphEdge",
    "GraphNode",
    "GraphView",
    "dependency_view",
    "metric_view",
    "to_dot",
    "to_mermaid",
    "to_svg",
]
