"""What listeners of Spark's are told of a micro-batch, and what `on_report` adds to it by the number of the batch."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.streaming import StreamingQueryListener

from holdsfor import loads
from holdsfor.spark import recognise_stream
from holdsfor.spark.streaming.driver import Report
from holdsfor.spark.streaming.sinks import Memory
from tests.spark.stream_files import MAPPING, RULES, STEP, WINDOW, file_stream, some_rows, write_file

pytestmark = pytest.mark.filterwarnings("ignore")


class Listener(StreamingQueryListener):
    """Has the report of a batch when Spark tells of its progress."""

    def __init__(self) -> None:
        self.reports: dict[int, Report] = {}
        self.seen: list[tuple[Any, Report]] = []
        self.ended = threading.Event()

    def reported(self, report: Report) -> None:
        self.reports[report.batch] = report

    def onQueryStarted(self, event: Any) -> None:
        pass

    def onQueryProgress(self, event: Any) -> None:
        self.seen.append((event.progress.observedMetrics["holdsfor"], self.reports[event.progress.batchId]))

    def onQueryTerminated(self, event: Any) -> None:  # noqa: ARG002
        self.ended.set()


def test_a_listener_has_the_report_of_every_batch(spark: Any, tmp_path: Path) -> None:
    rows = some_rows(3, 1, 121)
    bad: list[Any] = [("go", 100, None, None)]
    far = [("go", 100_000, "a", "b")]
    late = [("go", 2, "a", "b"), ("stop", 3, "b", "c")]
    for number, more in enumerate([[], bad, [*late, *far]]):
        write_file(tmp_path / "in", number, [*rows[120 * number : 120 * number + 120], *more])
    stream, listener = file_stream(spark, tmp_path / "in"), Listener()
    made = recognise_stream(loads(RULES), stream, mapping=MAPPING, window=WINDOW, step=STEP, start=0, buckets=2)
    spark.streams.addListener(listener)
    try:
        where = str(tmp_path / "checkpoint")
        query = made.start(Memory(), checkpoint=where, trigger={"availableNow": True}, on_report=listener.reported)
        query.awaitTermination()
        assert listener.ended.wait(30)
    finally:
        spark.streams.removeListener(listener)
    told = [report for _, report in listener.seen]
    assert [report.batch for report in told] == [0, 1, 2]
    for observed, report in listener.seen:
        assert observed["events"] == report.events + report.late + report.ahead
        assert observed["malformed"] == report.malformed
        assert report.keys_held > 0
        assert report.state_bytes > 0
    assert [(report.late, report.malformed, report.ahead) for report in told] == [(0, 0, 0), (0, 1, 0), (2, 0, 1)]
    assert all(report.keys_worked > 0 for report in told)
