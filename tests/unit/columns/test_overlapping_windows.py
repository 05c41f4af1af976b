"""Windows that overlap: what is known at one query time counts at later ones."""

from __future__ import annotations

import numpy as np

from holdsfor import loads
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.stream import EventColumns, Stream
from holdsfor.compiler.analysis.entities import EntityKind, Symbol

RULES = """
initiatedAt(on(X)=true, T) :- happensAt(up(X), T).
terminatedAt(on(X)=true, T) :- happensAt(down(X), T).
holdsFor(lit(X)=true, I) :- holdsFor(on(X)=true, I1), union_all([I1], I).
"""
STEP = 1_000


def stream(dictionary: Dictionary, rows: int, keys: int, delayed: float) -> Stream:
    random = np.random.default_rng(5)
    codes, found = dictionary.encode(range(keys)), Stream()
    for name in ("up", "down"):
        time = random.integers(1, 16 * STEP, rows)
        arrival = time + np.where(random.random(rows) < delayed, random.integers(0, 2 * STEP, rows), 0)
        found.events[Symbol(EntityKind.EVENT, name, 1)] = EventColumns(
            (codes[random.integers(0, keys, rows)],), time, arrival
        )
    return found


def test_what_is_known_later_counts_from_when_it_was() -> None:
    rules = """
    initiatedAt(on(X)=true, T) :- happensAt(a(X), T).
    terminatedAt(on(X)=true, T) :- happensAt(b(X), T).
    limit(10).
    holdsFor(long(X)=true, I) :- holdsFor(on(X)=true, I1), limit(D), intDurGreater(I1, D, I).
    initiatedAt(since(X)=true, T) :- happensAt(start(long(X)=true), T).
    terminatedAt(since(X)=true, T) :- happensAt(c(X), T).
    """
    events = {"a": [(1, "k")], "b": [(25, "k")], "c": [(40, "k")]}
    for window in (5, 10, 20, 100):
        result = loads(rules).recognise(events, window=window, step=5, start=0, end=40)
        assert [(row.start, row.end) for row in result["since"] if row.query_time == 40] == [(2, 41)]
