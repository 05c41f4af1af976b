"""Runs the rules and events of a check on each engine."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from holdsfor.columns.report import EVENTS, INTERVALS, Texts, rows_of
from holdsfor.diagnostics import HoldsforError, Source
from holdsfor.engine_names import Engine
from holdsfor.frontend.dmtl import parse_metric
from holdsfor.frontend.rtec import parse_program
from holdsfor.io.builder import Reading
from holdsfor.io.frames import as_part
from holdsfor.io.rejects import Rejects
from holdsfor.loading import Reasoner, background_program, from_program, read_source
from holdsfor.recognition import Recognition, plan_windows, read_events
from holdsfor.result import Result
from holdsfor.testing import markdown
from holdsfor.testing.markdown import Block, Check
from holdsfor.testing.notation import BlockLine, Found, event_tables, lines_of, shown_span
from holdsfor.times import TimeScale, duration, shown_time, span_in_points, time_point_or_none

_SPAN = ("window", "step", "start", "end")


def found_by(engine: Engine, check: Check, spark: Any = None) -> Found:
    """The results of an engine at the query time of a check."""
    if not check.blocks(markdown.RULES) and not check.blocks(markdown.METRIC):
        raise HoldsforError(
            f"{check.place}: there are no rules to check: write a block `prolog` or `dmtl` above, name a file in the head of "
            "the page (`rules: FILE` between two lines `---`), or give one with --rules FILE"
        )
    reasoner = reasoner_of(check)
    scale = reasoner.time_scale
    tables, rows = _events(check, scale)
    reading = _read(reasoner, check, tables, rows)
    span = _span(check, scale)
    windows = plan_windows(reading.stream, *span, tick=reasoner.plan.clock_tick)
    if engine is Engine.SPARK:
        found = _on_spark(reasoner, check, tables, span, spark)
    else:
        run = Recognition(reasoner.plan, reading, windows)
        found = run.by_reference() if engine is Engine.REFERENCE else _tables(run)
    query_time = None if windows is None else _query_time(check, windows.query_times.tolist(), scale)
    return found_at(query_time, *found, scale)


def _span(check: Check, scale: TimeScale | None) -> tuple[int | None, int | None, int | None, int | None]:
    window, step, start, end = (check.options.get(name) for name in _SPAN)
    return span_in_points((window, step, start, end), None if scale is None else scale.unit)


def reasoner_of(check: Check) -> Reasoner:
    """The rules of a check; raises ProgramError with the lines of the Markdown file."""
    program = parse_program((source(check, block) for block in check.blocks(markdown.RULES)), read_source)
    metric = [source(check, block) for block in check.blocks(markdown.METRIC)]
    program = replace(program, metric=parse_metric(metric)) if metric else program
    made = from_program(program + background_program(check.tables) if check.tables else program)
    made.require_no_errors()
    unit = None if made.time_scale is None else made.time_scale.unit
    return made.with_clock_tick(duration(check.options.get("clock_tick", 1), unit, "clock_tick"))


def time_scale_of(check: Check) -> TimeScale | None:
    """The time scale that the rules of a check declare."""
    program = parse_program((source(check, block) for block in check.blocks(markdown.RULES)), read_source)
    return replace(program, metric=parse_metric(source(check, b) for b in check.blocks(markdown.METRIC))).time_scale


def source(check: Check, block: Block) -> Source:
    """A block as a text of its own, with the line numbers of the file."""
    return Source(str(block.file or check.path), "\n" * (block.line - 1) + block.text + "\n")


def _events(check: Check, scale: TimeScale | None) -> tuple[dict[str, list[dict[str, Any]]], list[str]]:
    """Events as tables, and those that are rows of RTEC's format."""
    lines = [line for block in check.blocks(markdown.EVENTS) for line in _block_lines(check, block)]
    rows = [line.text for line in lines if "|" in line.text]
    if rows and len(rows) < len(lines):
        raise HoldsforError(
            f"{lines[0].place}: of these events some are written with `|`, some without; use one notation"
        )
    return {} if rows else event_tables(lines, None if scale is None else scale.unit), rows


def _block_lines(check: Check, block: Block) -> list[BlockLine]:
    return lines_of(block.text, str(block.file or check.path), block.line)


def _read(reasoner: Reasoner, check: Check, tables: Mapping[str, Any], rows: Sequence[str]) -> Reading:
    with tempfile.NamedTemporaryFile("w", suffix=".csv", encoding="utf-8") as file:
        file.write("\n".join([*rows, ""]))
        file.flush()
        reading = read_events(reasoner.plan, [file.name] if rows else tables)
    require_usable(check, "event", reading.rejects, reading.unknown)
    return reading


def require_usable(check: Check, what: str, rejects: Rejects, unknown: Collection[str]) -> None:
    """Raise HoldsforError if some of the input of a check could not be read, or has names that no rule reads."""
    if rejects.count:
        first = rejects.first[0]
        raise HoldsforError(f"{check.place}: the {what} {first.text!r} cannot be read: {first.reason}")
    if unknown:
        raise HoldsforError(f"{check.place}: no rule knows {', '.join(sorted(unknown))}")


def _tables(run: Recognition) -> tuple[pa.Table, pa.Table]:
    result = Result(list(run), Texts(run.reading.dictionary), run.summary, run.windows)
    return result.to_arrow(points=True), result.derived_event_points


def _on_spark(
    reasoner: Reasoner,
    check: Check,
    tables: Mapping[str, list[dict[str, Any]]],
    span: tuple[int | None, int | None, int | None, int | None],
    spark: Any,
) -> tuple[pa.Table, pa.Table]:
    # Imported here: most users of this module have no Spark.
    from holdsfor.spark.batch import derived_events, recognise
    from holdsfor.spark.scales import in_points

    if check.blocks(markdown.EVENTS) and not tables:
        raise HoldsforError(f"{check.place}: on Spark, events are written as `10 comes(ann)`, without `|`")
    frames = {name: spark.createDataFrame(as_part(table, name).table) for name, table in tables.items()}
    frames = frames or {"nothing": spark.createDataFrame([(0,)], "time bigint")}
    given: dict[str, Any] = {**dict(zip(_SPAN, span, strict=True)), "partitions": 2, "untyped": True}
    scale = reasoner.time_scale or TimeScale("s")
    intervals = in_points(recognise(reasoner, frames, **given), scale).toArrow().cast(INTERVALS)
    return intervals, in_points(derived_events(reasoner, frames, **given), scale).toArrow().cast(EVENTS)


def _query_time(check: Check, times: Sequence[int], scale: TimeScale | None) -> int:
    """The query time of a check: by default the last one."""
    given = check.options.get("at", times[-1] if times else None)
    at = time_point_or_none(given, None if scale is None else scale.unit, "at")
    if at is None or at not in times:
        named = ", ".join(shown_time(time, scale) for time in times[:8]) or "none"
        raise HoldsforError(
            f"{check.place}: {given} is not a query time; there are {named}{', …' if len(times) > 8 else ''}"
        )
    return at


def found_at(query_time: int | None, intervals: pa.Table, happened: pa.Table, scale: TimeScale | None = None) -> Found:
    """The results of one query time, in order, with times as texts of the scale. None selects all rows."""
    found: Found = {}
    for row in sorted(rows_of(intervals)):
        if query_time is None or row.query_time == query_time:
            found.setdefault(f"{row.fluent}={row.value}", []).append(shown_span((row.start, row.end), scale))
    times = zip(*(happened[name].to_pylist() for name in EVENTS.names), strict=True)
    for at, event, time in sorted(times):
        if query_time is None or at == query_time:
            found.setdefault(event, []).append(shown_time(time, scale))
    return found
