"""Stage 1 over a streaming DataFrame of position reports: the events of each batch.

Every micro-batch is a handful of tasks over buckets of vessels, whose memories are Arrow files named by batch, below the
checkpoint: what `holdsfor.spark.streaming` does. State stores of Spark keep one value for each key and call Python for
each key; here a call works on thousands of vessels.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from holdsfor.diagnostics import HoldsforError
from holdsfor.spark.batch import default_partitions
from holdsfor.spark.session import spare_worker
from holdsfor.spark.streaming.chain import newest_link, run_of
from holdsfor.spark.streaming.shared import probe
from holdsfor.spark.streaming.store import Store, make_folder, spark_path
from holdsfor.spark.wire import ddl
from holdsfor_maritime.columns import COLUMNS
from holdsfor_maritime.signals.areas import area_index, read_areas
from holdsfor_maritime.signals.batch import SessionWorkers
from holdsfor_maritime.signals.cleaning import parsed
from holdsfor_maritime.signals.flow import Flow
from holdsfor_maritime.signals.run import Given
from holdsfor_maritime.signals.thresholds import thresholds as read_thresholds
from holdsfor_maritime.signals.work import OUTPUTS, Note, TaskSetting, store_rows

REPORTS = (
    "sourcemmsi bigint, navigationalstatus double, rateofturn double, speedoverground double, "
    "courseoverground double, trueheading double, lon double, lat double, t bigint"
)
"""The columns of the public set, for `readStream.schema`."""


@dataclass(frozen=True)
class SignalStream:
    """The output of signals: folders of Parquet below `out`, one for each name, with files for each micro-batch."""

    reports: DataFrame
    flow: Flow
    checkpoint: str
    out: str

    def start(self, *, trigger: dict[str, Any] | None = None, on_report: Callable[[Note], None] | None = None) -> Any:
        """Start the query; `trigger` is what `DataStreamWriter.trigger` takes, `on_report` gets the counts of batches."""
        flow, narrow = self.flow, self.reports.select(*COLUMNS)
        probe(narrow.sparkSession, flow.setting.store)

        def work(rows: DataFrame, batch: int) -> None:
            here = replace(flow, workers=SessionWorkers(rows.sparkSession))
            report = here.take(batch, lambda setting, until: _arrived(rows, setting, until))
            if on_report is not None:
                on_report(report)

        writer = narrow.writeStream.foreachBatch(work).option("checkpointLocation", spark_path(self.checkpoint))
        return (writer if trigger is None else writer.trigger(**trigger)).start()

    def finish(self) -> Note:
        """Process the waiting reports after the query has been stopped."""
        return self.flow.finish()

    def frames(self) -> dict[str, DataFrame]:
        """The inputs of the rules, as streaming DataFrames."""
        spark = self.reports.sparkSession
        names = [name for name in OUTPUTS if name not in ("tracks", "aside")]
        return {
            name: spark.readStream.schema(ddl(OUTPUTS[name])).parquet(spark_path(f"{self.out}/{name}"))
            for name in names
        }


def stream_signals(
    reports: DataFrame,
    areas: str | Path,
    out: str | Path,
    *,
    checkpoint: str | Path,
    lateness: int = 0,
    thresholds: Given = None,
    buckets: int | None = None,
) -> SignalStream:
    """The signals of a streaming DataFrame with the columns of the public set.

    `areas` is a GeoJSON file. Reports that are more than `lateness` seconds behind the latest are late: they are counted,
    kept aside and not used. `out` and `checkpoint` are folders that all workers see.
    """
    missing = [name for name in COLUMNS if name not in reports.columns]
    if missing:
        raise HoldsforError(f"the reports have no column {', '.join(missing)}")
    if lateness < 0:
        raise HoldsforError("the lateness is a number of seconds, 0 or more")
    for name in OUTPUTS:
        make_folder(f"{out}/{name}", "signals")
    limits = read_thresholds(thresholds)
    spark: SparkSession = reports.sparkSession
    index = area_index(read_areas(areas), limits.areas_resolution)
    store = Store.below(str(checkpoint))
    store = store.owned(run_of(newest_link(store), "signals"))
    setting = TaskSetting(store, Store(str(out)), index, limits, buckets or default_partitions(spark))
    return SignalStream(reports, Flow(setting, SessionWorkers(spark), lateness), str(checkpoint), str(out))


def _arrived(rows: DataFrame, setting: TaskSetting, until: int | None) -> Sequence[Note]:
    """The rows of a micro-batch, sorted out by the tasks that read them."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        spare_worker()
        context = TaskContext.get()
        assert context is not None
        found = [parsed(pa.Table.from_batches([batch])) for batch in batches]
        note = store_rows(setting, context.partitionId(), found, until)
        yield pa.record_batch({"note": pa.array([json.dumps(note)], pa.string())})

    notes = rows.mapInArrow(work, "note string").toArrow()
    return [json.loads(note) for note in notes["note"].to_pylist()]
