"""A stream gives what a batch gives, however it is cut."""

from __future__ import annotations

import random
import tempfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.diagnostics import HoldsforError
from holdsfor.spark.streaming.store import Store
from holdsfor_maritime.signals.derive import VesselStates, derive
from holdsfor_maritime.signals.flow import Flow
from holdsfor_maritime.signals.local import Here
from holdsfor_maritime.signals.proximity import intervals, near, runs
from holdsfor_maritime.signals.work import OUTPUTS, TaskSetting, store_rows
from tests.maritime.signals.slowly import Report
from tests.maritime.signals.streams import INDEX, LIMITS, fleets, in_one_piece, latest, rows, tuples


def results(out: str, name: str) -> pa.Table:
    folder = Path(out, name)
    if not folder.exists():
        return OUTPUTS[name].empty_table()
    return ds.dataset(folder, OUTPUTS[name], format="parquet").to_table()


def flow(folder: str, lateness: int) -> Flow:
    return Flow(TaskSetting(Store(f"{folder}/work"), Store(f"{folder}/out"), INDEX, LIMITS, 3), Here(), lateness)


def take(run: Flow, batch: int, parts: list[pa.Table]) -> dict[str, int]:
    nothing = OUTPUTS["aside"].empty_table()
    return run.take(
        batch,
        lambda setting, until: [store_rows(setting, at, [(part, nothing)], until) for at, part in enumerate(parts)],
    )


def close_by(fleet: list[list[Report]]) -> pa.Table:
    places = derive(rows(fleet), VesselStates.empty(), INDEX, LIMITS).samples
    return intervals(runs(places, *near(places, LIMITS)), LIMITS)


def in_one(fleet: list[list[Report]]) -> dict[str, list[tuple[Any, ...]]]:
    found = derive(rows(fleet), VesselStates.empty(), INDEX, LIMITS, None, latest(fleet))
    tables = {**found.events, "proximity": close_by(fleet), "tracks": found.tracks, "aside": found.aside}
    return {name: tuples(table.drop_columns("text") if name == "aside" else table) for name, table in tables.items()}


@settings(max_examples=30)
@given(fleets, st.integers(0, 2**32), st.sampled_from([0, 50, 400, 3_000]), st.integers(1, 6))
def test_a_stream_is_a_batch(fleet: list[list[Report]], seed: int, lateness: int, cuts: int) -> None:
    every = rows(fleet)
    # Reports come in out of order, but not by more than the lateness.
    chance = random.Random(seed)
    arrival = [(time + chance.randint(0, lateness), at) for at, time in enumerate(every["time"].to_pylist())]
    order = np.array([at for _, at in sorted(arrival)], np.int64)
    edges = sorted([0, *(chance.randint(0, len(order)) for _ in range(cuts)), len(order)])
    with tempfile.TemporaryDirectory() as folder:
        run = flow(folder, lateness + 1)
        for batch, (begin, end) in enumerate(pairwise(edges)):
            middle = (begin + end) // 2
            parts = [every.take(order[begin:middle]), every.take(order[middle:end])]
            take(run, batch, parts)
            if chance.random() < 0.2:
                # A batch that is run again changes nothing.
                take(run, batch, parts)
        run.finish()
        wanted = in_one(fleet)
        for name, rows_ in wanted.items():
            table = results(f"{folder}/out", name)
            if name == "proximity":
                slot = LIMITS.proximity_slot
                assert in_one_piece(table, slot) == in_one_piece(close_by(fleet), slot)
            else:
                assert tuples(table.drop_columns("text") if name == "aside" else table) == rows_, name


def test_what_comes_too_late_is_kept_aside() -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = flow(folder, 100)
        take(run, 0, [rows([[Report(1_000, -5.0, 48.0, 1.0, None)]])])
        counted = take(run, 1, [rows([[Report(900, -5.0, 48.0, 1.0, None), Report(901, -5.0, 48.0, 1.0, None)]])])
        assert counted["late"] == 1
        assert results(f"{folder}/out", "aside")["reason"].to_pylist() == ["late"]


def test_little_is_remembered_and_old_batches_go() -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = flow(folder, 0)
        for batch in range(40):
            moment = batch * 300
            found = take(run, batch, [rows([[Report(moment, -5.0, 48.0 + batch * 1e-4, 5.0, 10.0)]])])
        assert found["waiting"] == 0
        assert found["places"] <= LIMITS.gap_seconds // LIMITS.proximity_slot
        assert run.setting.store.batches() == [38, 39]


def test_silence_is_told_before_it_ends() -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = flow(folder, 0)
        one, other = Report(0, -5.0, 48.0, 5.0, None), Report(700, -5.0, 48.0, 5.0, None)
        take(run, 0, [rows([[one]])])
        take(run, 1, [rows([[], [other]])])
        assert tuples(results(f"{folder}/out", "gap_start")) == [(0, 1)]
        take(run, 2, [rows([[replace(one, time=800)]])])
        assert tuples(results(f"{folder}/out", "gap_start")) == [(0, 1)]
        assert tuples(results(f"{folder}/out", "gap_end")) == [(800, 1)]


def test_a_checkpoint_is_of_its_settings() -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = flow(folder, 0)
        take(run, 0, [rows([[Report(0, -5.0, 48.0, 5.0, None)]])])
        other = replace(run, setting=replace(run.setting, buckets=4))
        with pytest.raises(HoldsforError, match="buckets 3, not 4"):
            take(other, 1, [rows([[Report(1, -5.0, 48.0, 5.0, None)]])])


def test_a_damaged_memory_is_refused() -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = flow(folder, 0)
        take(run, 0, [rows([[]])])
        take(run, 1, [rows([[Report(1_000, -5.0, 48.0, 1.0, None)]])])
        take(run, 2, [rows([[]])])
        memory = Path(folder, "work/1/vessels/0.arrow")
        data = bytearray(memory.read_bytes())
        data[20] ^= 1
        memory.write_bytes(data)
        with pytest.raises(HoldsforError, match=r"1/vessels/0.arrow has been changed since it was written"):
            take(run, 3, [rows([[Report(1_100, -5.0, 48.0, 1.0, None)]])])
        with pytest.raises(HoldsforError, match=r"3/commit.json is missing, the commit of the batch before batch 4"):
            take(run, 4, [rows([[]])])
