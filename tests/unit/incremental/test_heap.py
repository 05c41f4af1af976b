"""Rows by key: what is put in comes out, however many keys change at a time."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.incremental.heap import KEY, Heap, Rows, in_order

WIDTH = 3
Change = tuple[list[int], int]
"""Keys whose rows are replaced, and how many rows each of them gets."""
CHANGES = st.lists(st.tuples(st.lists(st.integers(0, 300), max_size=150, unique=True), st.integers(0, 3)), max_size=8)


def rows_of(keys: list[int], count: int, mark: int) -> Rows:
    """So many rows of each key, with a mark of their own."""
    listed = [[key, mark, number] for key in keys for number in range(count)]
    return np.array(listed, np.int64).reshape(-1, WIDTH)


def lines(rows: Rows) -> list[list[int]]:
    return sorted(rows.tolist())


@settings(max_examples=60)
@given(CHANGES, st.lists(st.integers(0, 310), max_size=120, unique=True))
def test_layers_are_a_dictionary(changes: list[Change], asked: list[int]) -> None:
    heap, known = Heap(WIDTH), {}
    for mark, (keys, count) in enumerate(changes):
        rows = rows_of(sorted(keys), count, mark)
        heap.put(np.array(sorted(keys), np.int64), rows)
        known |= {key: rows[rows[:, KEY] == key] for key in keys}
    other = heap.copy()
    wanted = np.concatenate([np.empty((0, WIDTH), np.int64), *(known[key] for key in asked if key in known)])
    found = heap.of(np.array(sorted(asked), np.int64))
    assert lines(found) == lines(wanted)
    assert in_order(found) is found
    everything = np.concatenate([np.empty((0, WIDTH), np.int64), *known.values()])
    assert lines(heap.all()) == lines(everything) == lines(other.of(None))


def test_rows_are_added_once_and_taken_away() -> None:
    heap, many = Heap(WIDTH), rows_of(list(range(200)), 1, 7)
    heap.add(many)
    heap.add(many[:100])
    assert lines(heap.all()) == lines(many)
    heap.remove(many[50:])
    assert lines(heap.all()) == lines(many[:50])
    assert heap.has(many[49:51]).tolist() == [True, False]
