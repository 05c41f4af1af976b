"""`stream`: recognise situations in a stream that goes on, on Spark."""

from __future__ import annotations

import warnings
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdsfor.cli.common import fail, friendly_errors, load_files
from holdsfor.diagnostics import HoldsforError

if TYPE_CHECKING:
    from holdsfor.spark.streaming.driver import Report


class Clock(StrEnum):
    """What query times go by."""

    EVENT = "event"
    ARRIVAL = "arrival"


class Format(StrEnum):
    """Formats of a folder of results."""

    PARQUET = "parquet"
    JSON = "json"
    CSV = "csv"
    ORC = "orc"


def stream(
    rules: Annotated[list[Path], typer.Argument(help="Rule files.", metavar="RULES…")],
    source: Annotated[str, typer.Option(help="Where events come from: parquet, json, csv, or any format of Spark.")],
    mapping: Annotated[Path, typer.Option(help="TOML file: which columns are which event.")],
    window: Annotated[int, typer.Option(min=1, help="Window size in time-points.")],
    checkpoint: Annotated[str, typer.Option(help="Folder from which a run that was stopped goes on.")],
    sink: Annotated[str, typer.Option(help="Folder for the changelog: one folder for each batch.")],
    path: Annotated[str | None, typer.Option(help="Folder with files of events.")] = None,
    schema: Annotated[
        str | None, typer.Option(help='Columns, as "vessel string, at bigint"; files there are can show them.')
    ] = None,
    option: Annotated[list[str], typer.Option(help="Option of the source, as name=value.")] = [],  # noqa: B006
    background: Annotated[list[Path], typer.Option(help="Files with background facts and rules.")] = [],  # noqa: B006
    step: Annotated[int | None, typer.Option(min=1, help="Distance of query times; the window if not given.")] = None,
    lateness: Annotated[int, typer.Option(min=0, help="How long a query time waits for late events.")] = 0,
    start: Annotated[int | None, typer.Option(help="The stream begins after this time-point.")] = None,
    clock: Annotated[Clock, typer.Option(help="Query times go by the time of events or by their arrival.")] = (
        Clock.EVENT
    ),
    idle: Annotated[str | None, typer.Option(help='Go on without events after such a time, as "10 seconds".')] = None,
    retracted: Annotated[str | None, typer.Option(help="Column that is true in rows that take something back.")] = None,
    fluent: Annotated[list[str], typer.Option(help="Report only these fluents.")] = [],  # noqa: B006
    style: Annotated[Format, typer.Option("--format", "-f", help="Format of the changelog.")] = Format.PARQUET,
    derived: Annotated[
        str | None, typer.Option("--derived-events", help="Folder for the changelog of derived events.")
    ] = None,
    side: Annotated[str | None, typer.Option(help="Folder for rows that were late or could not be read.")] = None,
    trigger: Annotated[str | None, typer.Option(help='Time between batches, as "5 seconds".')] = None,
    once: Annotated[bool, typer.Option("--once", help="Stop when all that is there has been read.")] = False,
    history: Annotated[
        str | None, typer.Option(help="Folder with files of the time before, read first when a run begins.")
    ] = None,
    buckets: Annotated[int | None, typer.Option(min=1, help="Parts that the work is spread over.")] = None,
    master: Annotated[str, typer.Option(help="The Spark master.")] = "local[*]",
) -> None:
    """Follow a stream and write down what changes, with a line for each micro-batch."""
    if once and trigger is not None:
        fail("--once reads all there is at once; leave out --trigger")
    with friendly_errors():
        from holdsfor.cli.spark import _session

        reasoner = load_files([*rules, *background])
        reasoner.require_no_errors()
        options = _options(option)
        spark = _session(master)
        from holdsfor.spark.streaming.opening import opened, read_history, wait_for
        from holdsfor.spark.streaming.query import recognise_stream
        from holdsfor.spark.streaming.reasons import spark_errors

        with warnings.catch_warnings(record=True) as complaints:
            warnings.simplefilter("always")
            events, columns = opened(spark, source, path, schema, options)
            made = recognise_stream(
                reasoner,
                events,
                mapping=mapping,
                window=window,
                step=step,
                lateness=lateness,
                start=start,
                clock=clock.value,
                idle=idle,
                retracted=retracted,
                fluents=set(fluent) or None,
                buckets=buckets,
                untyped=source == "csv",
            )
        for complaint in complaints:
            typer.secho(f"warning: {complaint.message}", err=True, fg=typer.colors.YELLOW)
        if history is not None and not made.has_begun(checkpoint):
            before = read_history(spark, source, history, columns, options)
            with spark_errors(f"{history} cannot be worked through"):
                _show(made.backfill(before, sink, checkpoint=checkpoint, events=derived, side=side, style=style.value))
        with spark_errors("the stream cannot be started"):
            query = made.start(
                sink,
                checkpoint=checkpoint,
                trigger={"availableNow": True} if once else trigger,
                events=derived,
                side=side,
                on_report=_show,
                style=style.value,
            )
        wait_for(query)
        spark.stop()


def _options(given: list[str]) -> dict[str, str]:
    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise HoldsforError(f"--option {text}: write name=value")
        found[name] = value
    return found


def _show(report: Report) -> None:
    typer.echo(str(report))
