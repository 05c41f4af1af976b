"""Maritime and other events as Arrow tables by name, which sessions of both engines take."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from benchmarks.suite.data.maritime_rules import HOURS, MIX

Frames = dict[str, pa.Table]
END = HOURS * 3600


def vessel_names(count: int) -> pa.Array:
    """Names of vessels."""
    return pa.array([f"v{number}" for number in range(count)])


def events(random: np.random.Generator, count: int, vessels: pa.Array, after: int = 0, until: int = END) -> Frames:
    """So many random events of all kinds, in order of time."""
    names, shares = list(MIX), np.array(list(MIX.values())) / sum(MIX.values())
    made: Frames = {}
    for name, number in zip(names, random.multinomial(count, shares).tolist(), strict=True):
        if not number:
            continue
        columns = {
            "time": np.sort(random.integers(after + 1, until + 1, number)),
            "vessel": vessels.take(pa.array(random.integers(0, len(vessels), number))),
        }
        if name == "velocity":
            columns["speed"] = np.round(random.gamma(2.0, 4.0, number), 1)
        elif name.endswith("Area"):
            columns["area"] = pa.array(["a0", "a1", "a2", "a3"]).take(pa.array(random.integers(0, 4, number)))
        made[name] = pa.table(columns)
    return made


def proximity(random: np.random.Generator, count: int, vessels: pa.Array, until: int = END) -> Frames:
    """Pairs of vessels that are near each other for an hour."""
    start = np.sort(random.integers(1, until - 3600, count))
    one, other = (vessels.take(pa.array(random.integers(0, len(vessels), count))) for _ in range(2))
    columns = {"start": start, "end": start + 3600, "value": ["true"] * count, "one": one, "other": other}
    return {"proximity": pa.table(columns)}


def every_vessel(random: np.random.Generator, count: int, vessels: pa.Array) -> Frames:
    """Events of which every vessel has at least one, and pairs that are near each other."""
    made = events(random, count, vessels)
    there = pa.table({"time": np.sort(random.integers(1, END + 1, len(vessels))), "vessel": vessels})
    made["change_in_heading"] = pa.concat_tables([made["change_in_heading"], there])
    return made | proximity(random, len(vessels) // 3, vessels)


def doors_that_come_and_go(batches: int, keys: int, step: int) -> Iterator[Frames]:
    """Batches of events, each about doors that no other batch mentions."""
    for batch in range(batches):
        names = pa.array([f"d{number}" for number in range(batch * keys, (batch + 1) * keys)])
        time = np.sort(np.random.default_rng(batch).integers(batch * step + 1, (batch + 1) * step, keys))
        yield {"unlock": pa.table({"time": time, "door": names}), "lock": pa.table({"time": time + 1, "door": names})}
