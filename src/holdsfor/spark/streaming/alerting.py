"""Sends alerts from a stream as part of a batch, so a repeated batch sends the same ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import pyarrow.parquet as pq
from pyspark.sql import DataFrame

from holdsfor.alerts import Alert, alerts_of
from holdsfor.spark.streaming.sinks import Directory
from holdsfor.spark.streaming.store import place_of

Send = Callable[[Iterable[Alert]], None]


@dataclass(frozen=True)
class AlertSink:
    """A sink that sends the changes of a batch as alerts, in the order of query times.

    A batch that is run again hands on the same alerts, with the same ids.
    """

    send: Send
    fluents: frozenset[str] | None = None

    def __call__(self, rows: DataFrame, batch: int) -> None:  # noqa: ARG002 -- ids tell messages apart
        """Sends the changes of a batch."""
        ordered = rows.orderBy("query_time", "id").toLocalIterator()
        self.send(alerts_of((row.asDict() for row in ordered), self.fluents))


@dataclass(frozen=True)
class AlertingDirectory(Directory):
    """A folder of results whose changes are sent as alerts after they have been written."""

    send: Send = field(kw_only=True)

    def take(self, folder: str, batch: int, rows: int) -> None:
        """Moves the files of a batch to the folder, and sends alerts."""
        super().take(folder, batch, rows)
        system, path = place_of(f"{self.path}/batch={batch}")
        table = pq.read_table(path, filesystem=system, partitioning=None)
        self.send(alerts_of(table.sort_by([("query_time", "ascending"), ("id", "ascending")]).to_pylist()))

    def __call__(self, rows: DataFrame, batch: int) -> None:
        """Writes the rows of a batch, and sends alerts."""
        super().__call__(rows, batch)
        AlertSink(self.send)(rows, batch)
