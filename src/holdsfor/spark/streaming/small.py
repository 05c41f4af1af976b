"""Runs small batches in the driver process: one task fetches their rows, and the stages run locally.

In a micro-batch with few rows, nearly all time is overhead of Spark for shuffles, tasks and Python workers. A small
batch avoids it. Its buckets, states and results have the usual form, so that a large batch may follow.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame

from holdsfor.columns.kernels import Bools, Ints
from holdsfor.io.ahead import quantile
from holdsfor.spark.streaming.driver import Seen
from holdsfor.spark.streaming.frames import SENDER
from holdsfor.spark.streaming.rows import BACK, BAD, ROW, travelling_schema
from holdsfor.spark.streaming.work import Work
from holdsfor.spark.wire import Wire

MOST_ROWS = 50_000
"""The most rows of a small batch."""
MOST_BYTES = 64_000_000
"""The most bytes of states that a small batch reads."""

Task = Callable[[int, Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]
"""The work on a bucket, given its number and its rows."""


@dataclass(frozen=True)
class FetchedRows:
    """The rows of a small batch: valid ones for their buckets, and a marked row for each other row."""

    table: pa.Table
    wire: Wire

    def seen(self, latest: int | None) -> Seen:
        """The input of the batch, without rows with a time after `latest`."""
        times = self._times
        if latest is not None:
            times = times[times <= latest]
        first, last = (int(times.min()), int(times.max())) if len(times) else (None, None)
        beats = self.table["beat"].drop_null().to_numpy()
        now = int(beats.max()) if len(beats) else None
        return Seen(len(times), int(np.count_nonzero(self._marks == BAD)), first, last, now, self._last_of(latest))

    def _last_of(self, latest: int | None) -> dict[str, int]:
        """The last time of each source, if each has its own lateness."""
        if SENDER not in self.table.column_names:
            return {}
        rows = self.table.select([SENDER, "arrival"]).filter(pa.array(self._is_once))
        if latest is not None:
            rows = rows.filter(pc.less_equal(rows["arrival"], latest))
        found = rows.group_by(SENDER).aggregate([("arrival", "max")])
        return dict(zip(found[SENDER].to_pylist(), found["arrival_max"].to_pylist(), strict=True))

    def middle(self) -> tuple[int, int]:
        """The lower quartile and the median of the times of valid rows."""
        return quantile(self._times, 1, 4), quantile(self._times, 1, 2)

    def travelling(self) -> pa.Table:
        """The valid rows, once per bucket."""
        is_good = (self._marks < BAD) & self.table["bucket"].is_valid().to_numpy()
        return self.table.select(travelling_schema(self.wire).names).filter(pa.array(is_good))

    @property
    def count(self) -> int:
        """The number of rows of any kind, without copies."""
        marks = self._marks
        return int(np.count_nonzero((marks == ROW) | (marks == BACK) | (marks >= BAD)))

    @property
    def _marks(self) -> Ints:
        found: Ints = self.table["retracted"].to_numpy()
        return found

    @cached_property
    def _times(self) -> Ints:
        """The times of valid rows, once per row."""
        found: Ints = self.table.select(["arrival"]).filter(pa.array(self._is_once))["arrival"].to_numpy()
        return found

    @property
    def _is_once(self) -> Bools:
        """Valid rows without copies."""
        found: Bools = (self._marks == ROW) | (self._marks == BACK)
        return found


def is_few(rows: int) -> bool:
    """Whether a batch with this number of rows is small."""
    return rows <= MOST_ROWS


def fetch(rows: DataFrame, work: Work) -> FetchedRows | None:
    """Fetches the rows of a batch with one task; None if there are many."""
    limited = rows.coalesce(1).limit(MOST_ROWS + 1)
    frames = [sorting.fetched(limited) for sorting in work.sortings]
    together = frames[0] if len(frames) == 1 else reduce(DataFrame.unionAll, frames).coalesce(1)
    found = FetchedRows(together.toArrow(), work.job.wire)
    # Every sorting reports each row once.
    return found if is_few(found.count // len(frames)) else None


def worked_here(rows: pa.Table, buckets: int, task: Task, schema: pa.Schema) -> pa.Table:
    """Distributes rows to their buckets and processes them in this process: the local version of `on_buckets`."""
    bucket = rows["bucket"].to_numpy()
    if (bucket[1:] < bucket[:-1]).any():
        order = np.argsort(bucket, kind="stable")
        rows, bucket = rows.take(pa.array(order)), bucket[order]
    bounds = np.searchsorted(bucket, np.arange(buckets + 1)).tolist()

    def work(number: int) -> list[pa.RecordBatch]:
        first, last = bounds[number], bounds[number + 1]
        return list(task(number, iter(rows.slice(first, last - first).to_batches())))

    # The engine releases the GIL while it works.
    with ThreadPoolExecutor(min(buckets, os.cpu_count() or 1)) as threads:
        made = [batch for found in threads.map(work, range(buckets)) for batch in found]
    return pa.Table.from_batches(made, schema)
