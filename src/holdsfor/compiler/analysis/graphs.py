"""Directed graphs: strongly connected components and levels, in linear time."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

N = TypeVar("N", bound=Hashable)


def strong_components(graph: Mapping[N, Iterable[N]]) -> list[tuple[N, ...]]:
    """Strongly connected components. Each comes after every component to which it has an edge.

    >>> strong_components({"a": ["b"], "b": ["c", "a"], "c": []})
    [('a', 'b'), ('c',)]
    """
    index: dict[N, int] = {}
    low: dict[N, int] = {}
    on_stack: set[N] = set()
    stack: list[N] = []
    components: list[tuple[N, ...]] = []
    for root in graph:
        if root in index:
            continue
        # Tarjan's algorithm with its recursion unrolled, because graphs may be chains of 10,000 nodes.
        work = [(root, iter(graph[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, successors = work[-1]
            for successor in successors:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    on_stack.add(successor)
                    work.append((successor, iter(graph[successor])))
                    break
                if successor in on_stack:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    components.append(_pop_component(node, stack, on_stack, index))
    components.reverse()
    return components


def _pop_component(node: N, stack: list[N], on_stack: set[N], index: Mapping[N, int]) -> tuple[N, ...]:
    start = len(stack) - 1
    while stack[start] != node:
        start -= 1
    members = stack[start:]
    del stack[start:]
    on_stack.difference_update(members)
    return tuple(sorted(members, key=index.__getitem__))


def contract(graph: Mapping[N, Iterable[N]], components: Sequence[tuple[N, ...]]) -> dict[int, set[int]]:
    """The graph between components, by component index, without edges inside a component."""
    home = {node: position for position, members in enumerate(components) for node in members}
    contracted: dict[int, set[int]] = {position: set() for position in range(len(components))}
    for node, successors in graph.items():
        for successor in successors:
            if home[node] != home[successor]:
                contracted[home[node]].add(home[successor])
    return contracted


def levels(acyclic: Mapping[N, Iterable[N]], order: Iterable[N]) -> dict[N, int]:
    """The level of each node: 1 without incoming edges, else one above its highest predecessor.

    `order` must list every node after its predecessors.

    >>> levels({"a": ["c"], "b": ["c"], "c": []}, "abc")
    {'a': 1, 'b': 1, 'c': 2}
    """
    found = dict.fromkeys(acyclic, 1)
    for node in order:
        for successor in acyclic[node]:
            found[successor] = max(found[successor], found[node] + 1)
    return found


def weak_components(nodes: Iterable[N], edges: Iterable[tuple[N, N]]) -> list[tuple[N, ...]]:
    """Weakly connected components, in the order of their first node.

    >>> weak_components("abcd", [("a", "c"), ("d", "c")])
    [('a', 'c', 'd'), ('b',)]
    """
    parent: dict[N, N] = {node: node for node in nodes}

    def find(node: N) -> N:
        while parent[node] != node:
            parent[node] = parent[parent[node]]
            node = parent[node]
        return node

    order = {node: position for position, node in enumerate(parent)}
    for left, right in edges:
        a, b = sorted((find(left), find(right)), key=order.__getitem__)
        parent[b] = a
    groups: dict[N, list[N]] = {}
    for node in parent:
        groups.setdefault(find(node), []).append(node)
    return [tuple(group) for group in groups.values()]
