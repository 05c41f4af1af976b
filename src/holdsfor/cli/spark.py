"""The Spark side of `plan` and `run`."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from holdsfor.cli.times import GivenSpan, span_of
from holdsfor.compiler.plan import Plan
from holdsfor.diagnostics import HoldsforError
from holdsfor.times import TimeScale

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession


_SHOWN_BUCKETS = 200
"""The number of buckets for which grids are shown: Spark's default."""


def shown_stages(plan: Plan, *, as_json: bool) -> str:
    """The stages of a plan, with the differences on streams, where the tied keys are not known in advance."""
    from holdsfor.spark.describe import stages_data, stages_text
    from holdsfor.spark.stages import physical_stages

    stages = physical_stages(plan, _SHOWN_BUCKETS)
    in_streams = physical_stages(plan, _SHOWN_BUCKETS, tied=False).warnings
    differing = [message for message in in_streams if message not in stages.warnings]
    if as_json:
        data = {**stages_data(stages), "stream_warnings": differing}
        return json.dumps(data, indent=2, ensure_ascii=False)
    return "\n".join([stages_text(stages), *(f"in a stream: {message}" for message in differing)])


@dataclass
class SparkRun:
    """A run over files, on Spark."""

    plan: Plan
    events: Sequence[Path]
    mapping: Path | None
    span: GivenSpan
    fluents: Collection[str] | None
    master: str
    partitions: int | None
    rules: Sequence[Path] = ()
    unit: str | None = None
    quiet: bool = False
    scale: TimeScale | None = None
    """The time scale; timestamps among the events determine it if it is not declared."""
    _counts: dict[str, int] = field(default_factory=dict)

    def tables(self, with_events: bool) -> tuple[pa.Table, pa.Table]:
        """All intervals and, if requested, all derived events, sorted."""
        from holdsfor.columns.report import EVENTS, INTERVALS
        from holdsfor.io.mapping import read_mapping

        spark = spark_session(self.master)
        from pyspark.sql import Observation

        from holdsfor.spark.batch import events_of, intervals_of, stage_output
        from holdsfor.spark.files import file_feeds
        from holdsfor.spark.input_frames import have_dates
        from holdsfor.spark.job import Span
        from holdsfor.spark.streaming.reasons import spark_errors

        declared = self.plan.analysis.written.time_scale
        mapping = None if self.mapping is None else read_mapping(self.mapping).with_unit(self.unit, declared)
        feeds = file_feeds(spark, self.events, self.plan.analysis.entities, mapping)
        if self.scale is None and mapping is not None and have_dates((feed.frame for feed in feeds), mapping):
            self.scale = TimeScale(mapping.unit)
        span = Span(*span_of(self.span, None if self.scale is None else self.scale.unit))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            output = stage_output(
                self.plan,
                spark,
                feeds,
                span,
                self.partitions,
                fluents=self.fluents,
                derived_events=with_events,
            )
        for warning in () if self.quiet else caught:
            typer.secho(f"warning: {warning.message}", err=True, fg=typer.colors.YELLOW)
        observation = Observation()
        if with_events:
            output = output.cache()
        with spark_errors("the rules cannot be run"):
            intervals = intervals_of(output, observation).toArrow().cast(INTERVALS)
            happened = events_of(output).toArrow().cast(EVENTS) if with_events else EVENTS.empty_table()
        self._counts = observation.get
        spark.stop()
        self._require_some_read()
        order = ("query_time", "fluent", "value", "start")
        return (
            intervals.sort_by([(name, "ascending") for name in order]),
            happened.sort_by([(name, "ascending") for name in EVENTS.names]),
        )

    def _require_some_read(self) -> None:
        """Checks that something was read. Spark only counts rows with known names; other files are inspected."""
        from holdsfor.io.format_detection import apparent_format, require_some_read
        from holdsfor.io.inputs import input_files

        counts = self._counts
        bad = [f"{counts['malformed']} malformed rows"] if counts["malformed"] else []
        strange = (
            [] if self.mapping is not None else [path for path in input_files(self.events) if apparent_format(path)]
        )
        if strange or bad:
            described = None if self.mapping is None else str(self.mapping)
            require_some_read(
                self.events,
                read=counts["read"],
                unknown=map(str, strange),
                malformed=bad,
                mapping=described,
                rules=self.rules,
            )

    def print_summary(self) -> None:
        """Prints the numbers of rows and results."""
        if self.quiet:
            return
        counts = self._counts
        typer.echo(f"{counts['read']} records read, {counts['malformed']} malformed", err=True)
        typer.echo(f"{counts['intervals']} intervals, {counts['conflicts']} conflicts", err=True)
        if counts["without_value"]:
            typer.echo(f"no value: {counts['without_value']} rows in all; {counts['first_without_value']}", err=True)


def spark_session(master: str, options: Mapping[str, str] | None = None) -> SparkSession:
    """A Spark session; raises HoldsforError if something is missing."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise HoldsforError("Spark is not installed: pip install 'holdsfor[spark]'") from None
    from holdsfor.spark.java import require_java
    from holdsfor.spark.session import worker_python

    require_java()
    worker_python()
    if not re.match(r"local(\[|-cluster\[|$)|yarn$|(?!sc:)[\w-]+://", master):
        raise HoldsforError(f"{master!r} is not a Spark master; write local[*], local[2], or spark://host:7077")
    from holdsfor.spark.streaming.reasons import spark_errors

    with spark_errors(f"Spark cannot be started on {master}"):
        builder = (
            SparkSession.builder.master(master)
            .appName("holdsfor")
            .config("spark.sql.execution.arrow.maxRecordsPerBatch", "100000")
            .config("spark.ui.showConsoleProgress", "false")
        )
        for name, value in (options or {}).items():
            builder = builder.config(name, value)
        made: SparkSession = builder.getOrCreate()
    # The caller reports errors in a sentence; the log would add positions in the code of Spark.
    made.sparkContext.setLogLevel("OFF")
    return made
