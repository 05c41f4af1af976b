"""`run`: recognise situations in a stream."""

from __future__ import annotations

import csv
import math
import sys
from pathlib import Path
from typing import Annotated

import typer

from holdsfor.cli.common import fail, friendly_errors, load_files
from holdsfor.io.rtec_csv import RecordReading as Stream, RowReader
from holdsfor.reference import Reference, Windows, recognise


def run(
    rules: Annotated[list[Path], typer.Argument(help="Rule files.", metavar="RULES…")],
    events: Annotated[list[Path], typer.Option(help="Streams in RTEC's CSV format; .gz is read as is.")],
    background: Annotated[list[Path], typer.Option(help="Files with background facts and rules.")] = [],  # noqa: B006
    window: Annotated[int | None, typer.Option(min=1, help="Window size in time-points.")] = None,
    step: Annotated[
        int | None, typer.Option(min=1, help="Distance of query times; the window size if not given.")
    ] = None,
    start: Annotated[int | None, typer.Option(help="The stream begins after this time-point.")] = None,
    end: Annotated[int | None, typer.Option(help="The last time-point to reason about.")] = None,
    fluent: Annotated[list[str], typer.Option(help="Report only these fluents.")] = [],  # noqa: B006
) -> None:
    """Recognise situations and print the intervals during which they hold, as CSV."""
    with friendly_errors():
        reasoner = load_files([*rules, *background])
        reasoner.require_no_errors()
        stream = RowReader(reasoner.analysis).read(events)
        result = recognise(reasoner.analysis, stream.records, _windows(stream, window, step, start, end))
        _print_rows(result, set(fluent))
        _print_summary(stream, result)


def _windows(
    stream: Stream, window: int | None, step: int | None, start: int | None, end: int | None
) -> Windows | None:
    if window is None and step is None and start is None and end is None:
        return None
    arrivals = [record.arrival for record in stream.records]
    first = start if start is not None else min(arrivals, default=0) - 1
    last = end if end is not None else max(arrivals, default=0)
    if last < first:
        fail(f"--end {last} lies before --start {first}")
    size = window if window is not None else last - first
    return Windows(max(size, 1), step or max(size, 1), first, last)


def _print_rows(result: Reference, wanted: set[str]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("query_time", "fluent", "value", "start", "end"))
    for row in result.intervals:
        if not wanted or row.fluent.partition("(")[0] in wanted:
            writer.writerow((row.query_time, row.fluent, row.value, _moment(row.start), _moment(row.end)))


def _moment(time: float) -> str:
    return str(time if math.isinf(time) else int(time))


def _print_summary(stream: Stream, result: Reference) -> None:
    for problem in stream.malformed[:3]:
        typer.secho(f"skipped {problem}", err=True, fg=typer.colors.YELLOW)
    unused = sum(stream.unknown.values())
    typer.echo(
        f"{len(stream.records)} records read, {unused} of names no rule knows, {len(stream.malformed)} malformed; "
        f"{len(result.intervals)} intervals, {result.conflicts} conflicts",
        err=True,
    )
