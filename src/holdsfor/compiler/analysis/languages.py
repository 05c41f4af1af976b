"""Groups metric predicates that are evaluated together, and finds cycles through both languages.

A metric predicate has rational time for the metric rules of its group, and time-points for all other readers. So metric
predicates that read each other are evaluated in one group, unless a non-metric predicate lies between them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TypeVar

from holdsfor.compiler.analysis.graphs import strong_components

N = TypeVar("N")

_NONE = -1


def grouped(graph: Mapping[N, Sequence[N]], metric: Collection[N]) -> dict[N, list[N]]:
    """A graph with edges in both directions between metric predicates that can be evaluated together."""
    ranks = _ranks(graph, metric)
    found = {node: list(successors) for node, successors in graph.items()}
    for node, successors in graph.items():
        for successor in successors:
            if node in metric and successor in metric and ranks[node] == ranks[successor]:
                found[successor].append(node)
    return found


def _ranks(graph: Mapping[N, Sequence[N]], metric: Collection[N]) -> dict[N, int]:
    """How often a path to a node changes from event rules to metric rules."""
    ranks: dict[N, int] = dict.fromkeys(graph, _NONE)
    for component in strong_components(graph):
        rank = max(ranks[node] for node in component)
        for node in component:
            ranks[node] = max(rank, 0) if node in metric else rank
        for node in component:
            for successor in graph[node]:
                enters = successor in metric and node not in metric
                ranks[successor] = max(ranks[successor], ranks[node] + enters)
    return ranks


def mixed_cycles(graph: Mapping[N, Sequence[N]], metric: Collection[N]) -> Iterator[tuple[N, ...]]:
    """Components that contain both languages."""
    for component in strong_components(graph):
        if len({node in metric for node in component}) > 1:
            yield component
