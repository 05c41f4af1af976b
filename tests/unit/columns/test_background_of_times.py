"""Background rules that are asked about the time-point of a rule."""

from __future__ import annotations

import pytest

from holdsfor import loads
from holdsfor.reference import Occurrence
from holdsfor.syntax.terms import Compound, Const
from tests.strategies.engine_runs import differences, on_engine, on_reference

RULES = """late(T) :- H is T mod 24, H >= 18.
part(T, P) :- P is T // 24.
initiatedAt(f(X)=true, T) :- happensAt(go(X), T), late(T).
happensAt(day(X, P), T) :- happensAt(go(X), T), part(T, P).
happensAt(free(X), T) :- happensAt(go(X), T), \\+ late(T).
"""


@pytest.mark.parametrize("first", [0, 1_700_000_000])
def test_the_time_point_stays_a_number(first: int) -> None:
    reasoner = loads(RULES)
    records = [Occurrence(Compound("go", (Const("ann"),)), first + time, first + time) for time in range(0, 60, 7)]
    found = on_engine(reasoner, records, None)
    assert found.events and found.intervals
    assert differences(found, on_reference(reasoner, records, None)) == []
