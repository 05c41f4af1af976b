"""The three stages put together: position reports to signals, signals to situations, situations to files and a report."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from holdsfor.io.outputs import created
from holdsfor_maritime.report.findings import (
    REPORT,
    RUN,
    SIGNALS,
    TRACKS,
    VESSELS,
    Findings,
    load_findings,
    named_vessels,
)
from holdsfor_maritime.report.page import write_page
from holdsfor_maritime.report.rows import situation_rows
from holdsfor_maritime.report.store import as_rows, to_postgres, write_rows
from holdsfor_maritime.rules import SITUATIONS, situation_rules

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OnStep = Callable[[str], None]
"""Receives the name of each step."""


def _silent(_words: str) -> None:
    pass


@dataclass(frozen=True)
class PipelineJob:
    """A run: the data set, the folder of results, and options."""

    dataset: Path
    out: Path
    thresholds: Path | None = None
    limits: tuple[Path, ...] = ()
    all_fluents: bool = False
    postgres: str | None = None
    table: str = "situations"

    @property
    def fluents(self) -> set[str] | None:
        """The reported fluents; None for all."""
        return None if self.all_fluents else {one.name for one in SITUATIONS}


@dataclass
class StepTimer:
    """Reports each step, and measures it."""

    on_step: OnStep
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def of(self, name: str, words: str) -> Iterator[None]:
        """Measures a block."""
        self.on_step(words)
        begin = time.perf_counter()
        yield
        self.seconds[name] = time.perf_counter() - begin


def run_on_spark(spark: SparkSession, job: PipelineJob, on_step: OnStep = _silent) -> Findings:
    """All stages as Spark jobs. Signals are kept as Parquet files: the rules read them several times."""
    from holdsfor.spark import recognise
    from holdsfor_maritime.signals.batch import critical_events

    clock = StepTimer(on_step)
    with clock.of("signals", "stage 1: position reports to signals"):
        signals = critical_events(spark, job.dataset, job.thresholds, out=emptied(job.out / SIGNALS))
    with clock.of("recognition", "stage 2: signals to situations"):
        vessels = signals.vessels.toArrow()
        rules = situation_rules({"vesselType": vessels, "areaType": signals.areas.toArrow()}, job.limits)
        found = recognise(rules, signals.frames, fluents=job.fluents)
        write_rows(as_rows(found), job.out)
    if job.postgres is not None:
        with clock.of("PostgreSQL", "stage 3: situations to PostgreSQL"):
            to_postgres(spark, job.out, job.postgres, job.table)
    return _finished(job, f"Spark on {spark.conf.get('spark.master')}", signals.counts(), vessels, clock)


def run_locally(job: PipelineJob, on_step: OnStep = _silent) -> Findings:
    """The same in this process, for data sets that fit into memory."""
    from holdsfor_maritime.signals.local import critical_events

    clock = StepTimer(on_step)
    with clock.of("signals", "stage 1: position reports to signals"):
        signals = critical_events(job.dataset, job.thresholds, out=emptied(job.out / SIGNALS))
    with clock.of("recognition", "stage 2: signals to situations"):
        rules = situation_rules({"vesselType": signals.vessels, "areaType": signals.areas}, job.limits)
        rows = situation_rows(rules.recognise(signals.frames).to_arrow(points=True))
        if job.fluents is not None:
            rows = rows.filter(pc.is_in(rows["situation"], pa.array(sorted(job.fluents))))
        write_rows(rows, job.out)
    return _finished(job, "local", signals.counts(), signals.vessels, clock)


def emptied(folder: Path) -> Path:
    """An empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _finished(
    job: PipelineJob, engine: str, counts: Mapping[str, int], vessels: pa.Table, clock: StepTimer
) -> Findings:
    """Writes the record of a run, then its report."""
    times = pq.read_table(job.out / SIGNALS / TRACKS, columns=["time"])["time"]
    span = pc.min_max(times).as_py() if len(times) else {"min": 0, "max": 0}
    with created(job.out / VESSELS) as file:
        pq.write_table(named_vessels(job.dataset, vessels), file)
    run = {
        "engine": engine,
        "span": [span["min"], span["max"]],
        "counts": dict(counts),
        "seconds": clock.seconds,
    }
    _write_run(job, run)
    with clock.of("report", "stage 3: report"):
        findings = reported(load_findings(job.dataset, job.out))
    _write_run(job, run)
    return replace(findings, run=run)


def _write_run(job: PipelineJob, run: Mapping[str, Any]) -> None:
    with created(job.out / RUN) as file:
        file.write(json.dumps(run, indent=2).encode())


def reported(findings: Findings) -> Findings:
    """Write the page of a run."""
    write_page(findings, findings.out / REPORT)
    return findings
