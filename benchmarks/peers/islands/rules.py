"""The same by rules."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from holdsfor import Reasoner, loads

if TYPE_CHECKING:
    import pyarrow as pa

RULES = """
initiatedAt(fast(V)=true, T) :- happensAt(velocity(V, Speed), T), Speed > 8.
terminatedAt(fast(V)=true, T) :- happensAt(velocity(V, Speed), T), Speed =< 8.
initiatedAt(inside(V)=true, T) :- happensAt(entersArea(V), T).
terminatedAt(inside(V)=true, T) :- happensAt(leavesArea(V), T).
holdsFor(fastInside(V)=true, I) :- holdsFor(fast(V)=true, I1), holdsFor(inside(V)=true, I2), intersect_all([I1, I2], I).
"""
MAPPING = {
    "time": "time",
    "event": {
        "velocity": {"args": ["vessel", "speed"], "where": {"kind": 0}},
        "entersArea": {"args": ["vessel"], "where": {"kind": 1}},
        "leavesArea": {"args": ["vessel"], "where": {"kind": 2}},
    },
}


@cache
def reasoner() -> Reasoner:
    """The rules, compiled once."""
    return loads(RULES)


def answer(path: str) -> pa.Table:
    """The intervals."""
    found = reasoner().recognise(path, mapping=MAPPING)["fastInside"]
    return found.to_arrow(split=True)


def rows(found: pa.Table) -> list[tuple[int, int, int | None]]:
    """Vessel, start and end of every interval."""
    return list(zip(*(found[name].to_pylist() for name in ("v", "start", "end")), strict=True))
