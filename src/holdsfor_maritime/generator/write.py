"""Data sets on disk, with the names and columns of the public set of the Brest area."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc

from holdsfor.diagnostics import HoldsforError
from holdsfor.io.outputs import created
from holdsfor_maritime.generator.plan import plan
from holdsfor_maritime.generator.reports import reports
from holdsfor_maritime.generator.world import geojson, land_geojson

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BLOCK = 500
"""The number of vessels whose reports are generated together."""
_DAY = 86_400
_PLAIN = pc.WriteOptions(quoting_style="none")


def generate(
    path: str | Path,
    *,
    vessels: int,
    hours: float,
    seed: int = 1,
    density: float = 1.0,
    spark: SparkSession | None = None,
) -> int:
    """Write a data set to a folder; returns the number of position reports.

    The rows depend on `vessels`, `hours`, `seed` and `density` (how often vessels report) only, not on who writes them.
    Without Spark they go to one file, with Spark to a folder of many.
    """
    if vessels < 1 or hours <= 0 or density <= 0:
        raise HoldsforError("a data set has at least one vessel, some time and some density")
    # Workers may have another current folder.
    folder = Path(path).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    made = plan(vessels, hours, seed)
    for name, text in (("areas.geojson", geojson()), ("land.geojson", land_geojson())):
        with created(folder / name) as file:
            file.write(text.encode())
    _write_csv(made.fleet.static, folder / "nari_static.csv")
    _write_csv(made.truth, folder / "truth.csv")
    blocks = -(-vessels // BLOCK)
    # Reports of an earlier set, in whichever form, would count as well.
    (folder / "nari_dynamic.csv").unlink(missing_ok=True)
    shutil.rmtree(folder / "nari_dynamic", ignore_errors=True)
    if spark is None:
        rows = pa.concat_tables([_block(vessels, hours, seed, density, block) for block in range(blocks)])
        rows = rows.take(np.argsort(rows["t"].to_numpy() // 60, kind="stable"))
        _write_csv(rows, folder / "nari_dynamic.csv")
        return len(rows)
    parts = folder / "nari_dynamic"
    parts.mkdir(exist_ok=True)

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for block in batch["id"].to_pylist():
                rows = _block(vessels, hours, seed, density, block)
                _write_days(rows, parts, block)
                yield pa.record_batch({"rows": pa.array([len(rows)])})

    counted = spark.range(0, blocks, 1, blocks).mapInArrow(work, "rows long").toArrow()
    return int(np.sum(counted["rows"].to_numpy()))


def _block(vessels: int, hours: float, seed: int, density: float, block: int) -> pa.Table:
    made = plan(vessels, hours, seed)
    return reports(made, block * BLOCK, min((block + 1) * BLOCK, vessels), seed, density)


def _write_days(rows: pa.Table, folder: Path, block: int) -> None:
    """Writes a file per day, so that the order of names is the order of time."""
    days = rows["t"].to_numpy() // _DAY
    first = int(days.min()) if len(days) else 0
    for day in np.unique(days):
        part = rows.filter(pa.array(days == day))
        _write_csv(part, folder / f"day{int(day) - first:03d}-block{block:04d}.csv")


def _write_csv(rows: pa.Table, path: Path) -> None:
    with created(path) as file:
        pc.write_csv(rows, file, _PLAIN)
