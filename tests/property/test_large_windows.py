"""Large streams in windows that overlap: what has changed is evaluated = each window from scratch by strata."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from holdsfor.engine.run import Run as StrataRun

from holdsfor import loads
from holdsfor.engine.kernels import Ints
from holdsfor.engine.report import Texts, interval_table
from holdsfor.engine.windows import WindowPlan
from holdsfor.recognition import read_events

PAIRS = """
initiatedAt(fast(V)=true, T) :- happensAt(velocity(V,S), T), S > 12.
terminatedAt(fast(V)=true, T) :- happensAt(velocity(V,S), T), S =< 12.
initiatedAt(near(V,W)=true, T) :- happensAt(close(V,W), T).
terminatedAt(near(V,W)=true, T) :- happensAt(apart(V,W), T).
fi(fast(V)=true, fast(V)=tired, 40).
holdsFor(chase(V,W)=true, I) :-
    holdsFor(near(V,W)=true, I1), holdsFor(fast(V)=true, I2), holdsFor(fast(W)=true, I3), intersect_all([I1,I2,I3], I).
"""
UNUSED = """
initiatedAt(f(X)=true, T) :- happensAt(velocity(X,_N), T).
terminatedAt(f(X)=true, T) :- happensAt(close(X,_W), T).
terminatedAt(f(_)=true, T) :- happensAt(reset, T).
"""
COUNTED = """
initiatedAt(top(V)=S, T) :- happensAt(velocity(V,S), T), \\+ holdsAt(calm=true, T).
terminatedAt(top(V)=S, T) :- happensAt(close(V,_), T), holdsAt(top(V)=S, T).
initiatedAt(calm=true, T) :- happensAt(reset, T).
terminatedAt(calm=true, T) :- happensAt(apart(_,_), T).
"""


def _stream(rng: np.random.Generator, rows: int, keys: int, last: int, late: float) -> dict[str, pa.Table]:
    def table(count: int, **args: Ints) -> pa.Table:
        time = np.sort(rng.integers(1, last, count))
        arrival = time + np.where(rng.random(count) < late, rng.integers(0, last // 8, count), 0)
        return pa.table({"time": time, "arrival": arrival, **args})

    def vessels(count: int) -> Ints:
        return rng.integers(0, keys, count)

    half, tenth = rows // 2, rows // 10
    return {
        "velocity": table(half, V=vessels(half), S=rng.integers(1, 25, half)),
        "close": table(3 * tenth, V=vessels(3 * tenth), W=vessels(3 * tenth)),
        "apart": table(2 * tenth, V=vessels(2 * tenth), W=vessels(2 * tenth)),
        "reset": table(3),
    }


@pytest.mark.parametrize(
    ("rules", "rows", "keys", "steps", "overlap", "late"),
    [
        (PAIRS, 1_000, 30, 12, 3, 0.2),
        (PAIRS, 20_000, 200, 21, 12, 0.01),
        (UNUSED, 1_000, 30, 12, 3, 0.2),
        (UNUSED, 120_000, 500, 24, 20, 0.002),
        (COUNTED, 1_000, 30, 12, 3, 0.2),
        (COUNTED, 30_000, 200, 21, 12, 0.01),
    ],
)
def test_large_windows(rules: str, rows: int, keys: int, steps: int, overlap: int, late: float) -> None:
    step = 400
    reasoner = loads(rules)
    known = {symbol.name for symbol in reasoner.plan.inputs}
    stream = _stream(np.random.default_rng(rows + steps), rows, keys, step * steps, late)
    events = {name: table for name, table in stream.items() if name in known}
    found = reasoner.recognise(events, window=step * overlap, step=step, start=0, end=step * steps).to_arrow()
    reading = read_events(reasoner.plan, events)
    answers = list(
        StrataRun(reasoner.plan, reading.dictionary, reading.stream, WindowPlan(step * overlap, step, 0, step * steps))
    )
    wanted = pa.concat_tables([interval_table(answer, Texts(reading.dictionary)) for answer in answers])
    order = [(name, "ascending") for name in found.column_names]
    assert found.sort_by(order).equals(wanted.sort_by(order))
