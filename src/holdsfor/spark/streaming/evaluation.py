"""The work of the buckets in a micro-batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from holdsfor.spark.streaming.clock import Windows
from holdsfor.spark.streaming.rows import Admission
from holdsfor.spark.streaming.state import Place
from holdsfor.spark.streaming.unreported_swap import UnreportedSwap


@dataclass(frozen=True)
class Evaluation:
    """The query times to evaluate: those after `before` up to `until`.

    `places` are the positions of the states of buckets, by stage and bucket. `rows` are earlier batches with waiting
    rows, each with the buckets of these rows. Both refer to `buckets` buckets; the evaluation may have another number.
    `origin` is the first relevant time-point. `admission` decides which rows of this batch count.
    """

    admission: Admission
    buckets: int
    places: Mapping[str, Place]
    rows: Mapping[int, list[int]]
    before: int
    until: int
    origin: int
    plan: str = ""
    """The identity of the plan; states of another plan are evaluated again."""
    unreported_swap: UnreportedSwap | None = None
    """A swap of rules whose differences the first of the query times reports, in all buckets."""

    @property
    def batch(self) -> int:
        """The number of the batch."""
        return self.admission.batch

    @property
    def windows(self) -> Windows:
        """The windows of the stream."""
        return self.admission.windows

    @property
    def retracting(self) -> bool:
        """Whether rows may be retractions."""
        return self.admission.retracting

    def batches(self, bucket: int) -> list[int]:
        """The earlier batches with rows for a bucket."""
        return sorted(batch for batch, buckets in self.rows.items() if bucket in buckets)
