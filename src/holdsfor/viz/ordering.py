"""Orders the blocks in the columns of a layered drawing, and computes their heights.

Orders come from barycentres: each block moves to the mean position of the blocks it is linked to. Heights are the least
squares solution that keeps the order and the gaps, found by pooling neighbours that would overlap.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

_SWEEPS = 12


class Stackable(Protocol):
    """An object with a column, a height and a top."""

    column: int
    height: float
    y: float


B = TypeVar("B", bound=Stackable)


@dataclass(frozen=True, slots=True)
class LayoutEdge(Generic[B]):
    """An edge from one column to a later one, attached at an offset below the top of each block."""

    left: B
    right: B
    leaves: float
    arrives: float


_Links: TypeAlias = dict[int, list[LayoutEdge[B]]]


def reduce_crossings(columns: list[list[B]], links: Sequence[LayoutEdge[B]]) -> None:
    """Sweeps forth and back over the columns, and keeps the order with the fewest crossings."""
    into, out_of = _by_block(links)
    best = [list(blocks) for blocks in columns]
    fewest = crossings(columns, links)
    for sweep in range(_SWEEPS):
        if fewest == 0:
            break
        forth = sweep % 2 == 0
        for blocks in columns if forth else reversed(columns):
            _sort_by_neighbours(columns, blocks, into if forth else out_of, forth)
        found = crossings(columns, links)
        if found < fewest:
            fewest, best = found, [list(blocks) for blocks in columns]
    columns[:] = best


def _by_block(links: Sequence[LayoutEdge[B]]) -> tuple[_Links[B], _Links[B]]:
    into: _Links[B] = defaultdict(list)
    out_of: _Links[B] = defaultdict(list)
    for link in links:
        into[id(link.right)].append(link)
        out_of[id(link.left)].append(link)
    return into, out_of


def _positions(columns: Sequence[Sequence[B]]) -> dict[int, int]:
    return {id(block): position for blocks in columns for position, block in enumerate(blocks)}


def _sort_by_neighbours(columns: list[list[B]], blocks: list[B], links: _Links[B], forth: bool) -> None:
    if len(blocks) < 2:
        return
    column = blocks[0].column
    known = columns[column - 1 : column] if forth else columns[column + 1 : column + 2]
    positions = _positions(known)

    def barycentre(position: int, block: B) -> float:
        seen = [
            positions[id(other)] + offset / other.height
            for link in links.get(id(block), ())
            for other, offset in ((link.left, link.leaves) if forth else (link.right, link.arrives),)
            if id(other) in positions
        ]
        return sum(seen) / len(seen) if seen else position + 0.5

    keys = {id(block): barycentre(position, block) for position, block in enumerate(blocks)}
    blocks.sort(key=lambda block: keys[id(block)])


def crossings(columns: Sequence[Sequence[B]], links: Sequence[LayoutEdge[B]]) -> int:
    """The number of crossing pairs of links."""
    positions = _positions(columns)
    by_column: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for link in links:
        left = positions[id(link.left)] + link.leaves / link.left.height
        right = positions[id(link.right)] + link.arrives / link.right.height
        by_column[link.left.column].append((left, right))
    total = 0
    for ends in by_column.values():
        seen: list[float] = []
        for _, right in sorted(ends):
            total += len(seen) - bisect_right(seen, right)
            insort(seen, right)
    return total


def place(columns: Sequence[Sequence[B]], links: Sequence[LayoutEdge[B]], gap: float, sweeps: int) -> None:
    """Sets the top of every block so that links are as horizontal as the order allows; the highest block is at 0."""
    into, out_of = _by_block(links)
    for blocks in columns:
        tops = separate([0.0] * len(blocks), [1.0] * len(blocks), _distances(blocks, gap))
        for block, top in zip(blocks, tops, strict=True):
            block.y = top
    nothing: _Links[B] = {}
    for sweep in range(sweeps):
        forth, last = sweep % 2 == 0, sweep >= sweeps - 2
        for blocks in columns if forth else reversed(columns):
            _pull(blocks, into if forth or last else nothing, out_of if last or not forth else nothing, gap)
    _close_gaps([block for blocks in columns for block in blocks], gap)


def _distances(blocks: Sequence[B], gap: float) -> list[float]:
    return [block.height + gap for block in blocks[:-1]]


def _pull(blocks: Sequence[B], into: _Links[B], out_of: _Links[B], gap: float) -> None:
    wanted: list[float] = []
    weights: list[float] = []
    for block in blocks:
        pulls = [link.left.y + link.leaves - link.arrives for link in into.get(id(block), ())]
        pulls += [link.right.y + link.arrives - link.leaves for link in out_of.get(id(block), ())]
        wanted.append(sum(pulls) / len(pulls) if pulls else block.y)
        weights.append(float(len(pulls)) or 0.1)
    for block, top in zip(blocks, separate(wanted, weights, _distances(blocks, gap)), strict=True):
        block.y = top


def _close_gaps(blocks: Sequence[B], gap: float) -> None:
    """Removes stripes that are empty across all columns, such as those between unconnected parts."""
    bottom, shift = 0.0, 0.0
    for position, block in enumerate(sorted(blocks, key=lambda block: block.y)):
        if position == 0:
            shift, bottom = block.y, block.y
        elif block.y > bottom + gap:
            shift += block.y - bottom - gap
        bottom = max(bottom, block.y + block.height)
        block.y -= shift


def separate(wanted: Sequence[float], weights: Sequence[float], distances: Sequence[float]) -> list[float]:
    """The ordered positions nearest to the wanted ones, with at least the given distances.

    >>> separate([0, 0, 9], [1, 1, 1], [4, 4])
    [-2.0, 2.0, 9.0]
    """
    pools: list[tuple[float, float, int]] = []
    offset, offsets = 0.0, []
    for position, (want, weight) in enumerate(zip(wanted, weights, strict=True)):
        offsets.append(offset)
        mean, total, size = want - offset, weight, 1
        while pools and pools[-1][0] >= mean:
            other, other_weight, other_size = pools.pop()
            mean = (mean * total + other * other_weight) / (total + other_weight)
            total, size = total + other_weight, size + other_size
        pools.append((mean, total, size))
        if position < len(distances):
            offset += distances[position]
    levels = [mean for mean, _, size in pools for _ in range(size)]
    return [float(mean + start) for mean, start in zip(levels, offsets, strict=True)]
