"""Stage 1 on Spark: the critical events of a data set as DataFrames."""

from __future__ import annotations

import atexit
import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from holdsfor.spark.batch import default_partitions
from holdsfor.spark.session import spare_worker
from holdsfor.spark.streaming.store import Store, make_folder, place_of, spark_path
from holdsfor.spark.wire import ddl
from holdsfor_maritime.signals.run import Given, run_batch
from holdsfor_maritime.signals.signals import Signals
from holdsfor_maritime.signals.work import OUTPUTS, Note, Task


@dataclass(frozen=True)
class SessionWorkers:
    """The workers of a Spark session."""

    spark: SparkSession

    def run(self, task: Task, count: int) -> list[Note]:
        """Do a task for the numbers below `count`, each as a task of Spark's."""
        if not count:
            return []

        def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            spare_worker()
            notes = [json.dumps(task(number)) for batch in batches for number in batch["id"].to_pylist()]
            yield pa.record_batch({"note": pa.array(notes, pa.string())})

        found = self.spark.range(0, count, 1, count).mapInArrow(work, "note string").toArrow()
        return [json.loads(note) for note in found["note"].to_pylist()]


def critical_events(
    spark: SparkSession,
    dataset: str | Path,
    thresholds: Given = None,
    *,
    out: str | Path | None = None,
    buckets: int | None = None,
) -> Signals[DataFrame]:
    """The critical events of a data set (see `docs/maritime_signals.md`), evaluated at once.

    They are written to folders of Parquet below `out`, one for each name, and read from there. It must be a folder that
    all workers see. Without it, they are in a temporary folder of this machine as long as this process lives.
    """
    if out is None:
        made = tempfile.mkdtemp(prefix="holdsfor-")
        atexit.register(shutil.rmtree, made, ignore_errors=True)
        target = made
    else:
        target = _absolute(out)
    make_folder(target, "signals")
    work = Store(f"{target}/_work")

    def frame(name: str) -> DataFrame:
        make_folder(f"{target}/{name}", "signals")
        return spark.read.schema(ddl(OUTPUTS[name])).parquet(spark_path(f"{target}/{name}"))

    found = run_batch(
        SessionWorkers(spark),
        _absolute(dataset),
        thresholds,
        (work, Store(target)),
        buckets or default_partitions(spark),
        frame,
        spark.createDataFrame,
    )
    system, path = place_of(work.root)
    system.delete_dir(path)
    return found


def _absolute(path: str | Path) -> str:
    """A folder as workers see it, who may have another current folder; the name of a file system goes before all else."""
    return str(path) if ":" in str(path) else str(Path(path).resolve())
