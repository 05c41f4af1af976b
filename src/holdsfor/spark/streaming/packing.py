"""Packs shuffled rows into few columns, because every column costs about the same, whatever its width."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from holdsfor.io.layouts import Form
from holdsfor.spark.job import Job
from holdsfor.spark.streaming.clock import Windows
from holdsfor.spark.streaming.rows import travelling_schema
from holdsfor.spark.wire import table_of

BUCKET = "cast(shiftright(place, 32) as int)"
"""The bucket of a packed row, in SQL."""
_MARK_BITS = 3


@dataclass(frozen=True)
class Packing:
    """Bucket, tag and mark of a row share one number, `place`. Columns that follow from others are left out."""

    schema: pa.Schema
    """The columns of packed rows."""
    stages: dict[int, int]
    """The stage of each tag."""
    has_ends: bool
    by_event: bool
    """Whether the clock follows event times; then the arrival of a row is its time."""

    @classmethod
    def of(cls, job: Job, windows: Windows) -> Packing:
        """How the rows of a run are packed."""
        tags = {number: (spec.number, tag) for spec in job.stages for number, tag in spec.tags.items()}
        has_ends = any(tag.form is Form.INTERVAL for _, tag in tags.values())
        stages = {number: stage for number, (stage, _) in tags.items()}
        return cls(travelling_schema(job.wire), stages, has_ends, windows.by_event)

    def packed(self, rows: DataFrame) -> DataFrame:
        """Packs rows for a shuffle."""
        place = f"shiftleft(cast(bucket as bigint), 32) + shiftleft(cast(tag as bigint), {_MARK_BITS}) + retracted"
        return rows.selectExpr(f"{place} as place", *self._kept)

    def unpacked(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Unpacks rows after a shuffle."""
        stage_of = np.zeros(max(self.stages, default=0) + 1, np.int16)
        stage_of[list(self.stages)] = list(self.stages.values())
        for batch in batches:
            place = batch.column("place").to_numpy()
            tag = (place & 0xFFFFFFFF) >> _MARK_BITS
            columns = {name: batch.column(name) for name in self._kept}
            columns |= {"bucket": pa.array(place >> 32), "tag": pa.array(tag), "stage": pa.array(stage_of[tag])}
            columns["retracted"] = pa.array(place & (1 << _MARK_BITS) - 1)
            if self.by_event:
                columns["arrival"] = columns["t0"]
            yield from table_of(self.schema, len(batch), columns).to_batches()

    @property
    def _kept(self) -> list[str]:
        left_out = {"bucket", "tag", "retracted", "stage"}
        left_out |= {name for name, is_out in (("t1", not self.has_ends), ("arrival", self.by_event)) if is_out}
        return [name for name in self.schema.names if name not in left_out]
