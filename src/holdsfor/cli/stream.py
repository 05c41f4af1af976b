"""`stream`: recognise situations in a live stream, on Spark."""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Collection, Iterable
from enum import StrEnum
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdsfor.alerts import JsonLines, Webhook
from holdsfor.cli.columns import arities, folders
from holdsfor.cli.common import BACKGROUND, fail, friendly_errors, is_metric, limited, load_files
from holdsfor.cli.options import ForgetOption, MaxDelayedEffectsOption
from holdsfor.cli.times import (
    Given,
    UnitOption,
    declared_unit,
    duration_given,
    duration_option,
    forgetful,
    time_option,
    whole,
)
from holdsfor.compiler.analysis.entities import EntityKind
from holdsfor.compiler.plan import Plan
from holdsfor.core.program import encoded
from holdsfor.diagnostics import HoldsforError
from holdsfor.loading import Reasoner
from holdsfor.monitoring import Metrics, served

if TYPE_CHECKING:
    from holdsfor.spark.streaming.driver import Report


SECRET = "HOLDSFOR_WEBHOOK_SECRET"  # noqa: S105 -- the name of a variable


class ClockSource(StrEnum):
    """The source of the watermark."""

    EVENT = "event"
    ARRIVAL = "arrival"


class StateStorage(StrEnum):
    """The storage of a stream's state."""

    FILES = "files"
    TABLES = "tables"


class FolderFormat(StrEnum):
    """Formats of a folder of results."""

    PARQUET = "parquet"
    JSON = "json"
    CSV = "csv"
    ORC = "orc"


def stream(
    rules: Annotated[list[Path], typer.Argument(help="Rule files.", metavar="RULES…")],
    source: Annotated[str, typer.Option(help="Where events come from: parquet, json, csv, or any format of Spark.")],
    checkpoint: Annotated[str, typer.Option(help="Folder with the state; a stopped run continues from it.")],
    sink: Annotated[str, typer.Option(help="Folder for the changelog: one folder for each batch.")],
    mapping: Annotated[
        Path | None, typer.Option(help="TOML file: which columns are which event (.dmtl: which facts).")
    ] = None,
    unit: UnitOption = None,
    window: Annotated[
        Given | None, duration_option(help="Window size: time-points, or 1h if the time unit is known; not for .dmtl.")
    ] = None,
    path: Annotated[str | None, typer.Option(help="Folder with files of events.")] = None,
    schema: Annotated[
        str | None, typer.Option(help='Columns, as "vessel string, at bigint"; read from existing files if not given.')
    ] = None,
    option: Annotated[list[str], typer.Option(help="Option of the source, as name=value.")] = [],  # noqa: B006
    background: Annotated[list[Path], typer.Option(help=BACKGROUND)] = [],  # noqa: B006
    step: Annotated[Given | None, duration_option(help="Distance of query times; default: the window size.")] = None,
    lateness: Annotated[Given, duration_option(help="How long to wait for late events.")] = Fraction(0),
    lateness_of: Annotated[
        list[str],
        typer.Option(
            help="The lateness of one source, for each source; the watermark is then the least of theirs.",
            metavar="SOURCE=DURATION",
        ),
    ] = [],  # noqa: B006
    source_column: Annotated[
        str | None, typer.Option(help="Column that names the source of a row, with --lateness-of.")
    ] = None,
    start: Annotated[Given | None, time_option(help="Ignore input up to this time.")] = None,
    clock: Annotated[ClockSource, typer.Option(help="The watermark follows event times or arrival times.")] = (
        ClockSource.EVENT
    ),
    idle: Annotated[
        str | None, typer.Option(help='Let time advance without events after this long, as "10 seconds".')
    ] = None,
    retracted: Annotated[str | None, typer.Option(help="Column that is true in rows that retract an event.")] = None,
    fluent: Annotated[
        list[str], typer.Option("--fluent", "--query", help="Report only these fluents (.dmtl: predicates).")
    ] = [],  # noqa: B006
    delay: Annotated[str | None, typer.Option(help=".dmtl only: allowed delay of answers; inf for any.")] = None,
    style: Annotated[
        FolderFormat, typer.Option("--format", "-f", help="Format of the changelog.")
    ] = FolderFormat.PARQUET,
    derived: Annotated[
        str | None, typer.Option("--derived-events", help="Folder for the changelog of derived events.")
    ] = None,
    columns: Annotated[
        bool,
        typer.Option(
            "--columns",
            help="Give every argument a column, named after the rules' variables; each fluent has a folder below --sink.",
        ),
    ] = False,
    side: Annotated[str | None, typer.Option(help="Folder for late and malformed rows.")] = None,
    reports: Annotated[
        Path | None, typer.Option(help="Write a line of JSON for each micro-batch to this file as well.")
    ] = None,
    alerts: Annotated[
        str | None,
        typer.Option(
            help="Send changes as alerts: the address of a webhook, or - for lines of JSON on standard output. "
            f"Messages to a webhook are signed with the secret in {SECRET}, if there is one.",
            metavar="URL",
        ),
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option(help="Serve metrics for Prometheus at this port, or host and port.", metavar="[HOST:]PORT"),
    ] = None,
    trigger: Annotated[str | None, typer.Option(help='Time between batches, as "5 seconds".')] = None,
    once: Annotated[bool, typer.Option("--once", help="Stop when all available input is read.")] = False,
    history: Annotated[
        str | None, typer.Option(help="Folder with recorded files, read before the stream (backfill).")
    ] = None,
    swap: Annotated[
        list[Path],
        typer.Option(
            help="Rule files that the checkpoint has so far, if RULES are edited: the stream continues with RULES, and "
            "says what that means.",
            metavar="EARLIER",
        ),
    ] = [],  # noqa: B006
    swap_history: Annotated[
        str | None,
        typer.Option(help="Folder with all files from the beginning, if the plan of --swap needs a backfill."),
    ] = None,
    forget: ForgetOption = None,
    max_delayed_effects: MaxDelayedEffectsOption = None,
    max_ahead: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION",
            help="Set aside rows further than this beyond the median time of their batch; inf for none. "
            "If not given, ten windows, or more where a batch spans a long time (.dmtl: none).",
        ),
    ] = None,
    buckets: Annotated[int | None, typer.Option(min=1, help="Number of buckets for the keys.")] = None,
    state: Annotated[
        StateStorage | None,
        typer.Option(
            help="Where the state is: files that workers open, or tables that only Spark does. If not given, files for a "
            "checkpoint in a folder of this machine."
        ),
    ] = None,
    master: Annotated[str, typer.Option(help="The Spark master.")] = "local[*]",
) -> None:
    """Evaluate a stream on Spark and write a changelog of intervals."""
    if once and trigger is not None:
        fail("--once reads all there is at once; leave out --trigger")
    when: dict[str, bool] | str | None = {"availableNow": True} if once else trigger
    if is_metric(rules):
        from holdsfor.cli.spark_metric import StreamOptions, stream_metric

        unused: dict[str, object] = {
            "--background": background,
            "--window": window,
            "--step": step,
            "--start": start,
            "--idle": idle,
            "--lateness-of": lateness_of,
            "--source-column": source_column,
        }
        unused |= {
            "--max-delayed-effects": max_delayed_effects,
            "--forget": forget,
            "--retracted": retracted,
            "--derived-events": derived,
            "--history": history,
            "--reports": reports,
            "--alerts": alerts,
            "--metrics": metrics,
            "--state": state,
            "--swap": swap,
            "--swap-history": swap_history,
        }
        stream_metric(
            StreamOptions(
                rules,
                source,
                path,
                schema,
                _options(option),
                mapping,
                lateness,
                delay,
                fluent,
                checkpoint,
                sink,
                side,
                style.value,
                when,
                buckets,
                master,
                _distance(max_ahead),
                columns,
                unit,
            ),
            not_for_metric=[name for name, value in unused.items() if value],
        )
        return
    if mapping is None or window is None:
        missing = "--mapping" if mapping is None else "--window"
        raise typer.BadParameter("needed for events and fluents", param_hint=missing)
    with friendly_errors():
        from holdsfor.cli.spark import spark_session

        if delay is not None:
            raise HoldsforError("--delay is for .dmtl programs; RTEC programs do not look into the future")

        program = partial(_program, effects=max_delayed_effects, forget=forget, mapping=mapping, unit=unit)
        reasoner = program([*rules, *background])
        options = _options(option)
        if alerts is not None and columns:
            raise HoldsforError("--alerts needs the changelog of all fluents; omit --columns")
        send = None if alerts is None else _sender(alerts)
        counted = _metrics(reasoner.plan, metrics)
        spark = spark_session(master)
        from holdsfor.spark.streaming.opening import opened, read_history, wait_for
        from holdsfor.spark.streaming.query import recognise_stream
        from holdsfor.spark.streaming.reasons import spark_errors

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            events, there = opened(spark, source, path, schema, options, source_column)
            made = recognise_stream(
                reasoner,
                events,
                mapping=mapping,
                unit=unit,
                window=whole("--window", window, 1),
                step=whole("--step", step, 1),
                lateness=_lateness(lateness, lateness_of),
                source_column=source_column,
                start=whole("--start", start),
                clock=clock.value,
                idle=idle,
                retracted=retracted,
                fluents=set(fluent) or None,
                buckets=buckets,
                untyped=source == "csv",
                max_ahead=_distance(max_ahead),
                state=None if state is None else state.value,
                swap=program([*swap, *background]) if swap else None,
                swap_history=None
                if swap_history is None
                else read_history(spark, source, swap_history, there, options),
            )
        _show_warnings(caught)
        if swap and (change := made.plan_swap(checkpoint)) is not None:
            typer.echo(str(change), err=True)
        changes: Any = _folders(sink, reasoner.plan, EntityKind.FLUENT, fluent) if columns else sink
        if send is not None:
            from holdsfor.spark.streaming.alerting import AlertingDirectory

            changes = AlertingDirectory(sink, style.value, send=send)
        happened = _folders(derived, reasoner.plan, EntityKind.EVENT) if columns and derived is not None else derived
        show = partial(_show, reports=reports, shown=set(), metrics=counted, is_aside=alerts == "-")
        if history is not None and not made.has_begun(checkpoint):
            before = read_history(spark, source, history, there, options)
            with spark_errors(f"{history} cannot be worked through"):
                show(
                    made.backfill(before, changes, checkpoint=checkpoint, events=happened, side=side, style=style.value)
                )
        with spark_errors("the stream cannot be started"):
            query = made.start(
                changes,
                checkpoint=checkpoint,
                trigger=when,
                events=happened,
                side=side,
                on_report=show,
                style=style.value,
            )
        wait_for(query)
        spark.stop()


def _program(
    files: list[Path], *, effects: int | None, forget: Given | None, mapping: Path, unit: str | None
) -> Reasoner:
    """The rules of some files, with the options that change them."""
    found = limited(load_files(files), effects)
    found.require_no_errors()
    return forgetful(found, forget, declared_unit(found.time_scale, mapping, unit))


def _metrics(plan: Plan, address: str | None) -> Metrics:
    """The metrics of a stream, perhaps served at an address."""
    found = Metrics()
    found.certify(encoded(plan).lowered.plan)
    if address is not None:
        served(found.text, address)
    return found


def _show_warnings(found: Iterable[warnings.WarningMessage]) -> None:
    for one in found:
        typer.secho(f"warning: {one.message}", err=True, fg=typer.colors.YELLOW)


def _folders(sink: str, plan: Plan, kind: EntityKind, wanted: Collection[str] = ()) -> dict[str, str]:
    """A folder per fluent or derived event."""
    return folders(sink, arities(plan, kind, wanted or None))


def _distance(given: str | None) -> float | str | None:
    """The value of `--max-ahead`."""
    if given is None:
        return None
    if given in ("inf", "infinity"):
        return math.inf
    try:
        found = duration_given(given)
    except typer.BadParameter:
        found = None
    if found is None or (isinstance(found, Fraction) and (found.denominator != 1 or found < 0)):
        raise typer.BadParameter(
            f"{given!r} is no whole number of time-points, no duration such as 10min, and not inf",
            param_hint="--max-ahead",
        )
    return int(found) if isinstance(found, Fraction) else found


def _lateness(one: Given, by_source: list[str]) -> int | str | dict[str, int | str]:
    """The lateness of all rows, or that of each source."""
    if not by_source:
        return whole("--lateness", one, 0)
    if one:
        raise HoldsforError("--lateness and --lateness-of exclude each other")
    found = _pairs("--lateness-of", "source=duration", by_source)
    return {source: whole(f"--lateness-of {source}", duration_given(text), 0) for source, text in found.items()}


def _options(given: list[str]) -> dict[str, str]:
    return _pairs("--option", "name=value", given)


def _pairs(option: str, form: str, given: list[str]) -> dict[str, str]:
    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise HoldsforError(f"{option} {text}: write {form}")
        found[name] = value
    return found


def _sender(alerts: str) -> Webhook | JsonLines:
    return JsonLines() if alerts == "-" else Webhook(alerts, os.environ.get(SECRET))


def _show(report: Report, reports: Path | None, shown: set[str], metrics: Metrics, *, is_aside: bool) -> None:
    """Prints the line of a batch. A condition without a value is named once."""
    metrics.report(report.data() | {"query_time": report.query_time})
    typer.echo(str(report), err=is_aside)
    first = report.first_without_value
    if first is not None and (place := first.partition(": ")[0]) not in shown:
        shown.add(place)
        typer.echo(f"no value: {first}", err=True)
    if reports is not None:
        with reports.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(report.data())}\n")
