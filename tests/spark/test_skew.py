"""A key with half of all events: the same answer, and no more of it in memory than was asked for."""

from __future__ import annotations

import random
from typing import Any

import pytest

from holdsfor import loads
from holdsfor.core.engine import Engine
from holdsfor.reference import Record
from holdsfor.reference.history import Occurrence
from holdsfor.spark.job import Span
from holdsfor.syntax.terms import Compound, Const
from tests.spark.simulated import on_buckets
from tests.strategies.engine_runs import differences, on_engine

RULES = """
initiatedAt(on(K)=true, T) :- happensAt(switch_on(K), T).
terminatedAt(on(K)=true, T) :- happensAt(switch_off(K), T).
initiatedAt(busy(K)=true, T) :- happensAt(start(on(K)=true), T).
terminatedAt(busy(K)=true, T) :- happensAt(end(on(K)=true), T).
"""
EVENTS, AT_ONCE, BATCH = 4_000, 200, 7


def _records() -> list[Record]:
    pick = random.Random(5)
    keys = ["heavy" if pick.random() < 0.5 else f"k{pick.randrange(100)}" for _ in range(EVENTS)]
    return [
        Occurrence(Compound(pick.choice(("switch_on", "switch_off")), (Const(key),)), time, time)
        for time, key in enumerate(keys)
    ]


@pytest.mark.parametrize("rows_at_once", [None, AT_ONCE])
def test_heavy_key(rows_at_once: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[int] = []
    advance = Engine.advance

    def measured(engine: Engine, query: int, **more: Any) -> None:
        advance(engine, query, **more)
        kept.append(engine.kept_rows)

    monkeypatch.setattr(Engine, "advance", measured)
    reasoner, records = loads(RULES), _records()
    found = on_buckets(reasoner, records, Span(), 16, rows_at_once)
    assert differences(found, on_engine(reasoner, records, None)) == []
    if rows_at_once is not None:
        assert len(kept) > EVENTS / 2 / AT_ONCE
        # A piece, and what is behind the border but not worth a checkpoint yet.
        assert max(kept) <= 3 * AT_ONCE
