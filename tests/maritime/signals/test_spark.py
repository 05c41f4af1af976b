"""Stage 1 and the generator on Spark."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

from holdsfor.diagnostics import HoldsforError
from holdsfor_maritime.generator import generate
from holdsfor_maritime.signals.local import critical_events as local_events
from tests.maritime.signals.streams import in_one_piece, tuples
from tests.spark.conftest import mounted, spark

__all__ = ["mounted", "spark"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("ais")
    generate(made, vessels=40, hours=3, seed=2)
    return made


def test_spark_makes_the_same_rows(spark: Any, folder: Path, tmp_path: Path) -> None:
    generate(tmp_path, vessels=3, hours=1, seed=9)
    counted = generate(tmp_path, vessels=40, hours=3, seed=2, spark=spark)
    assert not (tmp_path / "nari_dynamic.csv").exists()
    parts = [csv.read_csv(path) for path in sorted((tmp_path / "nari_dynamic").iterdir())]
    one = csv.read_csv(folder / "nari_dynamic.csv")
    assert counted == len(one)
    assert tuples(pa.concat_tables(parts)) == tuples(one)
    assert (tmp_path / "truth.csv").read_bytes() == (folder / "truth.csv").read_bytes()


def test_a_batch_is_the_local_one(spark: Any, folder: Path, tmp_path: Path) -> None:
    from holdsfor_maritime.signals.batch import critical_events

    wanted = local_events(folder)
    found = critical_events(spark, folder, out=tmp_path / "signals", buckets=3)
    assert found.counts() == wanted.counts()
    for name, table in wanted.frames.items():
        assert tuples(found.frames[name].toArrow()) == tuples(table), name
    assert tuples(found.tracks.toArrow()) == tuples(wanted.tracks)
    assert tuples(found.vessels.toArrow()) == tuples(wanted.vessels)
    assert tuples(found.areas.toArrow()) == tuples(wanted.areas)
    assert not (tmp_path / "signals" / "_work").exists()


def test_a_stream_is_the_batch(spark: Any, folder: Path, tmp_path: Path) -> None:
    from holdsfor_maritime.signals.streaming import REPORTS, stream_signals

    rows = csv.read_csv(folder / "nari_dynamic.csv")
    (tmp_path / "in").mkdir()
    edges = np.linspace(0, len(rows), 4).astype(int)
    for number, (begin, end) in enumerate(pairwise(edges.tolist())):
        path = tmp_path / "in" / f"{number}.csv"
        csv.write_csv(rows.slice(begin, end - begin), path)
        # Spark reads older files first.
        os.utime(path, (number, number))
    reports = (
        spark.readStream.schema(REPORTS)
        .option("header", True)
        .option("maxFilesPerTrigger", 1)
        .csv(str(tmp_path / "in"))
    )
    stream = stream_signals(
        reports,
        folder / "areas.geojson",
        tmp_path / "out",
        checkpoint=tmp_path / "checkpoint",
        lateness=600,
        buckets=2,
    )
    told: list[dict[str, int]] = []
    stream.start(trigger={"availableNow": True}, on_report=told.append).awaitTermination()
    assert [note["late"] for note in told] == [0, 0, 0]
    stream.finish()
    wanted = local_events(folder).frames
    for name, table in wanted.items():
        found = spark.read.parquet(str(tmp_path / "out" / name)).toArrow() if len(table) else table
        if name == "proximity":
            assert in_one_piece(found, 120) == in_one_piece(table, 120)
        else:
            assert tuples(found) == tuples(table), name
    assert set(stream.frames()) == set(wanted)


def test_a_stream_without_its_columns(spark: Any, tmp_path: Path) -> None:
    from holdsfor_maritime.signals.streaming import stream_signals

    with pytest.raises(HoldsforError, match="have no column sourcemmsi"):
        stream_signals(spark.readStream.format("rate").load(), "x", tmp_path, checkpoint=tmp_path)
