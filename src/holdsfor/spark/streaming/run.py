"""The function that Spark calls with every micro-batch: evaluates it, passes results to the sinks, and commits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from holdsfor.spark.streaming.driver import Driver, Report
from holdsfor.spark.streaming.sinks import FunctionSink
from holdsfor.spark.streaming.small import is_few
from holdsfor.spark.streaming.swapping import RuleSwap
from holdsfor.spark.streaming.table_workers import TableHome
from holdsfor.spark.streaming.work import Work
from holdsfor.spark.streaming.workers import FileHome, SparkWorkers

OnReport = Callable[[Report], None]
Home = FileHome | TableHome


@dataclass(frozen=True)
class Sinks:
    """The sinks of the changelog, of derived events, and of unusable rows."""

    changes: FunctionSink
    events: FunctionSink | None = None
    side: FunctionSink | None = None


@dataclass
class Run:
    """Processes micro-batches."""

    work: Work
    home: Home
    settings: Mapping[str, Any]
    first: int | None
    sinks: Sinks
    on_report: OnReport | None
    max_ahead: float | None = None
    swap: RuleSwap | None = None
    """Edited rules, if the last commit has the earlier ones."""
    expects_few: bool = True

    def __call__(self, frame: DataFrame, batch: int) -> None:
        """Processes a micro-batch."""
        report = self.once(frame, batch, None)
        if self.on_report is not None:
            self.on_report(report)

    def once(self, frame: DataFrame, batch: int, until: int | None) -> Report:
        """Processes a batch."""
        checkpoint, workers = self.home.opened(frame.sparkSession, self.work)
        workers.expects_few = self.expects_few
        driver: Driver[DataFrame] = Driver(
            checkpoint,
            self.settings,
            self.work.windows,
            workers,
            self.first,
            self.work.sources.retracted is not None,
            self.max_ahead,
            self.work.identity,
            self.swap,
        )

        def deliver(report: Report) -> None:
            sinks = self.sinks
            if report.changes:
                workers.hand_over("changes", sinks.changes, report.changes)
            if report.event_changes and sinks.events is not None:
                workers.hand_over("events", sinks.events, report.event_changes)
            if sinks.side is not None and (report.late or report.malformed or report.ahead or report.unmatched):
                sinks.side(reduce(DataFrame.unionAll, self._aside(frame, batch, report, workers)), batch)

        report = driver.run(frame, batch, deliver, until)
        self.expects_few = is_few(workers.rows_read)
        return replace(report, time_scale=self.work.job.time_scale)

    def _aside(self, frame: DataFrame, batch: int, report: Report, workers: SparkWorkers) -> Iterator[DataFrame]:
        """Unusable rows in their original form."""
        named = [f"{batch}L as batch", "reason", "source", "row"]
        if report.late or report.malformed or report.ahead:
            sources, admission = self.work.sources, workers.admission
            assert admission is not None or not (report.late or report.ahead)
            keep = [f"{sources.source_text()} as source", f"{sources.row_text()} as row"]
            for sorting in self.work.sortings:
                found = sorting.sorted_out(frame, keep).where("chosen")
                wrong = "null" if admission is None else sorting.misplaced(admission.clock, admission.latest)
                reason = F.expr(f"if(good, {wrong}, 'malformed')")
                yield found.withColumn("reason", reason).where("reason is not null").selectExpr(*named)
        if report.unmatched:
            text = "to_json(struct(*)) as row"
            yield (
                workers.found("unmatched")
                .selectExpr("'nothing to take back' as reason", "cast(null as string) as source", text)
                .selectExpr(*named)
            )
