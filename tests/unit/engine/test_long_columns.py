"""Long columns go ways of their own through memory, and give what short ones give."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from holdsfor import loads
from holdsfor.engine import expressions, tables
from holdsfor.engine.frames import Codes, Numbers
from holdsfor.engine.tables import Events

RULES = """
initiatedAt(fast(V)=true, T) :- happensAt(velocity(V, Speed), T), Speed > 8.
terminatedAt(fast(V)=true, T) :- happensAt(velocity(V, Speed), T), Speed =< 8, V =\\= 3.
initiatedAt(level(V)=Speed, T) :- happensAt(level(V, Speed), T), Speed * 2 < 9.
"""


@pytest.mark.parametrize(("codes", "span"), [(500, 40_000), (40_000, 1_000), (2**40, 100), (300, 2**40)])
def test_events_in_order_of_time_are_grouped(codes: int, span: int) -> None:
    rows = 70_000
    chance = np.random.default_rng(4)
    time = np.sort(chance.integers(-span // 3, span, rows))
    first, second = chance.integers(0, codes, rows), chance.random(rows)
    found = Events((Codes(first), Numbers(second)), time).in_order()
    order = np.lexsort((np.arange(rows), time, first))
    for column, expected in zip((*found.args, Numbers(found.time)), (first, second, time), strict=True):
        assert isinstance(column, Codes | Numbers)
        np.testing.assert_array_equal(column.data, expected[order])
    assert found.time.dtype == np.int64


def test_answers_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = 100_000
    chance = np.random.default_rng(6)

    def table() -> pa.Table:
        speed = np.round(chance.gamma(2.0, 4.0, rows), 1)
        return pa.table({"time": np.arange(rows) // 3, "v": chance.integers(0, 900, rows), "speed": speed})

    frames = {"velocity": table(), "level": table()}
    long = loads(RULES).recognise(frames).to_arrow()
    for module in (tables, expressions):
        monkeypatch.setattr(module, "_MANY", 1 << 40)
    assert len(long) > 10_000
    assert long.equals(loads(RULES).recognise(frames).to_arrow())
