"""Many rows are grouped by several threads: answers are the same, row by row, for any number of them."""

from __future__ import annotations

import numpy as np
import pytest

from holdsfor import loads
from holdsfor.core.engine import Engine
from holdsfor.core.vocabulary import words_of_wholes

RULES = """
    initiatedAt(near(X,Y)=true, T) :- happensAt(meet(X,Y), T).
    terminatedAt(near(X,Y)=true, T) :- happensAt(part(X,Y), T).
    initiatedAt(busy(X)=V, T) :- happensAt(load(X,V), T), V > 3.
    initiatedAt(busy(X)=none, T) :- happensAt(load(X,V), T), V =< 3.
    terminatedAt(busy(X)=V, T) :- happensAt(meet(X,_), T), holdsAt(busy(X)=V, T).
"""
ROWS = 30_000


def answers(threads: int, pushes: int = 1) -> list[bytes]:
    """The columns of all answers, after all rows were pushed in so many parts."""
    engine = Engine(loads(RULES).plan, threads=threads)
    random = np.random.default_rng(7)
    found: list[bytes] = []
    for part in range(pushes):
        for name in ("meet", "part", "load"):
            table = next(number for number, symbol in enumerate(engine.symbols) if symbol.name == name)
            args = np.stack([random.integers(0, 500, ROWS), random.integers(0, 8, ROWS)], 1)
            words = words_of_wholes(args.reshape(-1), engine.words)
            engine.core.insert_events(table, random.integers(0, 100_000, ROWS), words)
        engine.advance(100_000 + part)
        for number, symbol in enumerate(engine.symbols):
            if symbol.name in ("near", "busy"):
                found.extend(column.tobytes() for column in engine.core.answers(number))
    return found


@pytest.mark.parametrize("pushes", [1, 2])
def test_any_number_of_threads(pushes: int) -> None:
    alone = answers(1, pushes)
    assert all(map(len, alone))
    for threads in (2, 3, 5, 8):
        assert answers(threads, pushes) == alone


def test_the_last_query_time() -> None:
    """Answers are the same, rows are no longer kept, and time does not go on."""
    kept, last = (Engine(loads(RULES).plan, threads=2) for _ in range(2))
    random = np.random.default_rng(7)
    args = np.stack([random.integers(0, 500, ROWS), random.integers(0, 8, ROWS)], 1).reshape(-1)
    times = random.integers(0, 100_000, ROWS)
    for engine in (kept, last):
        for name in ("meet", "load"):
            table = next(number for number, symbol in enumerate(engine.symbols) if symbol.name == name)
            engine.core.insert_events(table, times, words_of_wholes(args, engine.words))
        engine.advance(100_000, is_last=engine is last)
    for number, symbol in enumerate(kept.symbols):
        if symbol.name in ("near", "busy"):
            for one, other in zip(kept.core.answers(number), last.core.answers(number), strict=True):
                np.testing.assert_array_equal(one, other)
    assert kept.kept_rows > ROWS and not last.kept_rows
    assert last.keys == kept.keys
    for go_on in (lambda: last.advance(100_001), last.save):
        with pytest.raises(RuntimeError, match="the last query time is over"):
            go_on()
