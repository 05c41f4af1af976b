"""Stage 1 without Spark: the same tasks, one after the other."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds

from holdsfor.spark.streaming.store import Store
from holdsfor_maritime.signals.run import Given, run_batch
from holdsfor_maritime.signals.signals import Signals
from holdsfor_maritime.signals.work import OUTPUTS, Note, Task

_BUCKETS = 4


class Here:
    """Executes tasks in this process."""

    def run(self, task: Task, count: int) -> list[Note]:
        """Executes a task for the numbers below `count`."""
        return [task(number) for number in range(count)]


def critical_events(
    dataset: str | Path, thresholds: Given = None, *, out: str | Path | None = None
) -> Signals[pa.Table]:
    """The critical events of a data set, as Arrow tables; `out` is a folder for them as Parquet."""
    with tempfile.TemporaryDirectory(prefix="holdsfor-") as work:
        target = f"{work}/out" if out is None else str(out)

        def table(name: str) -> pa.Table:
            folder = Path(target, name)
            if not folder.exists():
                return OUTPUTS[name].empty_table()
            return ds.dataset(folder, OUTPUTS[name], format="parquet").to_table()

        return run_batch(
            Here(), dataset, thresholds, (Store(work), Store(target)), _BUCKETS, table, lambda facts: facts
        )
