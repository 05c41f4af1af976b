"""`run`: recognise situations in a stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Protocol, TypeAlias

import typer

from holdsfor.cli import inputs, options
from holdsfor.cli.common import friendly_errors, is_metric, limited, load_files
from holdsfor.cli.progress import ProgressLine, progress_line
from holdsfor.cli.times import (
    Given,
    GivenSpan,
    UnitOption,
    declared_unit,
    duration_option,
    forgetful,
    length,
    span_of,
)
from holdsfor.compiler.analysis.entities import EntityKind
from holdsfor.compiler.analysis.similar import suggest
from holdsfor.compiler.plan import Plan
from holdsfor.diagnostics import HoldsforError
from holdsfor.engine_names import Engine
from holdsfor.times import TimeScale

if TYPE_CHECKING:
    # Imported where they are used: NumPy and Arrow would slow down every other command.
    import pyarrow as pa

    from holdsfor.columns.answer import Answer
    from holdsfor.columns.windows import WindowPlan
    from holdsfor.io.builder import Reading
    from holdsfor.io.rejects import Rejects
    from holdsfor.recognition import Recognition, Summary

    Tables: TypeAlias = tuple[pa.Table, pa.Table]


class Write(Protocol):
    """Writes intervals and derived events; `before_output` is called before output to a terminal."""

    def __call__(
        self, tables: Iterator[Tables], scale: TimeScale | None, before_output: Callable[[], None] | None = None
    ) -> None:
        """Writes the tables, with times in the time scale."""


def run(
    rules: Annotated[list[Path], typer.Argument(help="Rule files.", metavar="RULES…")],
    events: inputs.EventsOption = [],  # noqa: B006
    background: inputs.BackgroundOption = [],  # noqa: B006
    mapping: inputs.MappingOption = None,
    unit: UnitOption = None,
    window: inputs.WindowOption = None,
    step: inputs.StepOption = None,
    start: inputs.StartOption = None,
    end: inputs.EndOption = None,
    fluent: Annotated[
        list[str],
        typer.Option("--fluent", "--query", help="Report only these fluents (.dmtl: predicates, or P(a, X))."),
    ] = [],  # noqa: B006
    tick: Annotated[
        Given | None,
        duration_option(
            help=".dmtl only: the tick that all times are multiples of; derived from the data if not given."
        ),
    ] = None,
    clock_tick: Annotated[Given, duration_option(help="Distance of time-points; not for .dmtl.")] = Fraction(1),
    delay: Annotated[
        str | None,
        typer.Option(help="With --step, .dmtl only: allowed delay of answers; inf for any."),
    ] = None,
    style: options.FormatOption = None,
    output: options.OutputOption = None,
    columns: options.ColumnsOption = False,
    derived_events: options.DerivedEventsOption = None,
    timeline: options.TimelineOption = None,
    max_ahead: options.MaxAheadOption = None,
    rejects: options.RejectsOption = None,
    strict: options.StrictOption = False,
    profile: options.ProfileOption = False,
    quiet: options.QuietOption = False,
    threads: options.ThreadsOption = None,
    incremental: options.IncrementalOption = None,
    forget: options.ForgetOption = None,
    max_delayed_effects: options.MaxDelayedEffectsOption = None,
    engine: options.EngineOption = Engine.LOCAL,
    master: options.MasterOption = "local[*]",
    partitions: options.PartitionsOption = None,
) -> None:
    """Evaluate rules over events and print the intervals during which situations hold."""
    options.refuse_incremental(incremental)
    if is_metric(rules):
        from holdsfor.cli.metric import MetricOptions, run_metric

        given = {
            "--background": background,
            "--window": window,
            "--derived-events": derived_events,
            "--max-delayed-effects": max_delayed_effects,
            "--forget": forget,
            "--max-ahead": max_ahead,
            "--clock-tick": clock_tick != 1,
            "--threads": threads,
        }
        metric_options = MetricOptions(
            rules,
            events,
            mapping,
            start,
            end,
            step,
            tick,
            delay,
            fluent,
            style,
            output,
            engine,
            timeline,
            columns,
            unit,
        )
        if engine is Engine.SPARK:
            from holdsfor.cli.spark_metric import run_metric_on_spark

            local = {
                "--step": step,
                "--tick": tick,
                "--delay": delay,
                "--rejects": rejects,
                "--strict": strict,
                "--profile": profile,
                "--timeline": timeline,
            }
            unused = [name for name, value in (given | local).items() if value]
            run_metric_on_spark(metric_options, not_for_spark=unused, master=master, partitions=partitions, quiet=quiet)
            return
        run_metric(
            metric_options,
            not_for_metric=[name for name, value in given.items() if value],
            rejects=rejects,
            strict=strict,
            profile=profile,
            quiet=quiet,
        )
        return
    if not events:
        raise typer.BadParameter("the events are missing; give their file with --events FILE", param_hint="--events")
    with friendly_errors(), ExitStack() as stack:
        from holdsfor.recognition import Recognition

        span = window, step, start, end
        _require_sense(span, delay, tick)
        options.require_drawable(timeline)
        styles = options.style_of(style, output), options.style_of(None, derived_events)
        reasoner = limited(load_files([*rules, *background], quiet=quiet), max_delayed_effects)
        declared = declared_unit(reasoner.time_scale, mapping, unit)
        reasoner = forgetful(reasoner, forget, declared)
        tick_size = length("--clock-tick", clock_tick, declared) or 1
        plan = reasoner.with_clock_tick(tick_size).plan
        wanted = _known_fluents(fluent, plan)
        if timeline is not None and engine is not Engine.LOCAL:
            raise HoldsforError(f"--timeline cannot be used with --engine {engine.value}")
        write = _writer(plan, wanted, styles, output, derived_events, columns=columns)
        if engine is Engine.SPARK:
            from holdsfor.cli.spark import SparkRun

            spark_run = SparkRun(
                plan,
                events,
                mapping,
                span,
                wanted,
                master,
                partitions,
                rules,
                unit=unit,
                quiet=quiet,
                scale=reasoner.time_scale or (None if declared is None else TimeScale(declared)),
            )
            found = spark_run.tables(derived_events is not None)
            write(iter([found]), spark_run.scale)
            spark_run.print_summary()
            return
        line = None if quiet else stack.enter_context(progress_line())
        aside = stack.enter_context(options.rejects_to(rejects, strict=strict))
        reading = _read(plan, events, mapping, unit, aside, line, max_ahead)
        _require_some_read(reading, events, mapping, rules)
        windows = _windows(reading, span_of(span, reading.unit), tick_size, quiet=quiet)
        recognition = Recognition(plan, reading, windows, fluents=wanted, threads=threads)
        kept: list[Answer] = []
        tables = _tables(recognition, engine, line, kept if timeline is not None else None)
        write(tables, reading.time_scale, line.leave if line else None)
        if timeline is not None:
            _save_timeline(timeline, kept, recognition)
    _print_summary(recognition, profile=profile, quiet=quiet)


def _require_sense(span: GivenSpan, delay: str | None, tick: Given | None) -> None:
    """Rejects options of metric programs, and checks numbers before anything is read."""
    if delay is not None:
        raise HoldsforError("--delay is for .dmtl programs; RTEC programs do not look into the future")
    if tick is not None:
        raise HoldsforError("--tick is for .dmtl programs; RTEC programs have whole time-points")
    *_, start, end = span
    if isinstance(start, Fraction) and isinstance(end, Fraction) and end < start:
        raise HoldsforError(f"--end {end} lies before --start {start}")
    window, step, start, end = (one if isinstance(one, Fraction) else None for one in span)
    span_of((window, step, start, end), None)


def _read(
    plan: Plan,
    events: list[Path],
    mapping: Path | None,
    unit: str | None,
    rejects: Rejects,
    line: ProgressLine | None,
    max_ahead: Given | None,
) -> Reading:
    from holdsfor.recognition import read_events

    on_rows = line.reading if line else None
    return read_events(
        plan, events, mapping, unit, rejects, on_rows, lambda known: length("--max-ahead", max_ahead, known)
    )


def _require_some_read(reading: Reading, events: list[Path], mapping: Path | None, rules: list[Path]) -> None:
    unknown, rejects = reading.unknown, reading.rejects
    read = reading.rows - sum(unknown.values()) - rejects.count
    if read:
        return
    from holdsfor.io.format_detection import require_some_read

    described = None if mapping is None else str(mapping)
    require_some_read(events, read=read, unknown=unknown, malformed=rejects.first, mapping=described, rules=rules)


def _windows(
    reading: Reading, span: tuple[int | None, int | None, int | None, int | None], tick: int, *, quiet: bool
) -> WindowPlan | None:
    from holdsfor.recognition import checked_windows

    windows, note = checked_windows(reading, *span, tick=tick)
    zoneless = None
    if reading.zoneless is not None:
        zoneless = (
            f"times in {reading.zoneless!r} have no time zone; they are read as UTC (write 2026-03-01T12:00+02:00)"
        )
    for text in (note, zoneless):
        if text is not None and not quiet:
            typer.echo(f"note: {text}", err=True)
    return windows


def _write(
    tables: Iterator[tuple[pa.Table, pa.Table]],
    scale: TimeScale | None,
    before_output: Callable[[], None] | None = None,
    *,
    styles: tuple[str, str],
    output: Path | None,
    derived_events: Path | None,
) -> None:
    """Write intervals and derived events, each in a format."""
    from holdsfor.columns.report import EVENTS, INTERVALS
    from holdsfor.io.scaled import EVENT_TIMES, INTERVAL_TIMES
    from holdsfor.io.writers import writing

    with ExitStack() as stack:
        intervals = stack.enter_context(
            writing(styles[0], output, INTERVALS, before_output, scale=scale, times=INTERVAL_TIMES)
        )
        derived = None
        if derived_events is not None:
            derived = stack.enter_context(writing(styles[1], derived_events, EVENTS, scale=scale, times=EVENT_TIMES))
        for found, happened in tables:
            intervals.write(found)
            if derived is not None:
                derived.write(happened)


def _save_timeline(timeline: Path, answers: list[Answer], recognition: Recognition) -> None:
    from holdsfor.columns.report import Texts
    from holdsfor.result import Result

    reading = recognition.reading
    texts = Texts(reading.dictionary)
    found = Result(answers, texts, recognition.summary, recognition.windows, time_scale=reading.time_scale)
    found.timeline(events=True).save(timeline)


def _writer(
    plan: Plan,
    wanted: set[str] | None,
    styles: tuple[str, str],
    output: Path | None,
    derived_events: Path | None,
    *,
    columns: bool,
) -> Write:
    """The writer of intervals and derived events; with `columns`, of a table per fluent and derived event."""
    if not columns:
        return partial(_write, styles=styles, output=output, derived_events=derived_events)
    from holdsfor.cli.columns import WriteInColumns

    return WriteInColumns(plan, wanted, styles, output, derived_events)


def _known_fluents(names: list[str], plan: Plan) -> set[str] | None:
    """The fluents to report, None for all; raises HoldsforError for unknown names."""
    known = {symbol.name for symbol in plan.outputs if symbol.kind is EntityKind.FLUENT}
    for name in names:
        if name not in known:
            raise HoldsforError(f"no rule defines a fluent {name}; {_meant(name, known)}")
    return set(names) or None


def _meant(name: str, known: set[str]) -> str:
    """The hint for an unknown fluent."""
    alone = name.partition("(")[0].partition("=")[0].strip()
    if alone in known:
        return f"write its name alone: --fluent {alone}"
    close = suggest(name, known)
    return f"did you mean {close}?" if close else f"the fluents are {', '.join(sorted(known))}"


def _tables(
    recognition: Recognition, engine: Engine, line: ProgressLine | None, kept: list[Answer] | None
) -> Iterator[tuple[pa.Table, pa.Table]]:
    """Intervals and derived events by query time; answers are appended to `kept`, if given."""
    if engine is Engine.REFERENCE:
        yield recognition.by_reference()
        return
    from holdsfor.columns.report import Texts, event_table, interval_table

    texts = Texts(recognition.reading.dictionary)
    if line is not None:
        line.scale = recognition.reading.time_scale
        line.recognising(recognition.queries)
    for done, answer in enumerate(recognition, 1):
        if line is not None:
            line.reached(answer.query_time, done, recognition.arrived_by(answer.query_time))
        if kept is not None:
            kept.append(answer)
        yield interval_table(answer, texts), event_table(answer, texts)


def _print_summary(recognition: Recognition, *, profile: bool, quiet: bool) -> None:
    summary = recognition.summary
    if not quiet:
        options.show_skipped(summary.first_malformed)
        for text in _summary_lines(summary):
            typer.echo(text, err=True)
    if profile:
        for text in _profile_lines(recognition):
            typer.echo(text, err=True)


def _summary_lines(summary: Summary) -> Iterator[str]:
    yield from options.reading_lines("record", summary.read, summary.unknown, summary.malformed)
    outside = f", {summary.outside} outside the run" if summary.outside else ""
    yield f"{summary.used} used, {summary.late} late and dropped{outside}"
    found = [options.counted(summary.intervals, "interval"), options.counted(summary.derived_events, "derived event")]
    yield f"{', '.join(found)}, {options.counted(summary.conflicts, 'conflict')}; {options.counted(summary.query_times, 'query time')}"
    for failed in summary.without_value:
        yield f"no value: {failed}"


def _profile_lines(recognition: Recognition) -> Iterator[str]:
    assert recognition.run is not None
    times = recognition.run.times
    steps = (("taking rows in", times.pushing), ("evaluating", times.evaluating), ("answering", times.answering))
    total = sum(seconds for _, seconds in steps) or 1.0
    for step, seconds in steps:
        yield f"{seconds * 1e3:10.1f} ms  {seconds / total:4.0%}  {step}"
    kept = f"{options.counted(times.keys, 'key')}, {options.counted(times.rows, 'row')} kept at the end"
    yield f"{options.counted(recognition.run.threads, 'thread')}; {kept}"
