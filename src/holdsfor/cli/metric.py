"""The commands for metric programs, files that end in `.dmtl`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from holdsfor.cli.columns import places, write_tables
from holdsfor.cli.common import friendly_errors
from holdsfor.cli.options import Format, counted, reading_lines, rejects_to, require_drawable, show_skipped, style_of
from holdsfor.cli.times import Given, declared_unit, exact_length, exact_point
from holdsfor.diagnostics import Diagnostic, HoldsforError, ProgramError, in_reading_order
from holdsfor.engine_names import Engine
from holdsfor.loading import read_source
from holdsfor.metric import MetricReasoner, from_metric_sources
from holdsfor.metric.times import exact_length as metric_length

if TYPE_CHECKING:
    # Imported where they are used: NumPy and Arrow would slow down every other command.
    from holdsfor.metric.result import MetricSummary
    from holdsfor.metric.session import MetricRun


def load_metric_files(files: Sequence[Path]) -> MetricReasoner:
    """Read files as one metric program."""
    return from_metric_sources([read_source(path) for path in files])


# run


@dataclass(frozen=True)
class MetricOptions:
    """The options of a run."""

    rules: Sequence[Path]
    events: Sequence[Path]
    mapping: Path | None
    start: Given | None
    end: Given | None
    step: Given | None
    tick: Given | None
    delay: str | None
    query: Sequence[str]
    style: Format | None
    output: Path | None
    engine: Engine
    timeline: Path | None = None
    columns: bool = False
    unit: str | None = None


def run_metric(
    options: MetricOptions,
    *,
    not_for_metric: Sequence[str],
    rejects: Path | None,
    strict: bool,
    profile: bool,
    quiet: bool = False,
) -> None:
    """Find the maximal intervals of the facts that a metric program derives."""
    with friendly_errors(), ExitStack() as stack:
        if not_for_metric:
            raise HoldsforError(f"{', '.join(not_for_metric)} cannot be used with a .dmtl program")
        require_drawable(options.timeline)
        style = style_of(options.style, options.output)
        reasoner = load_metric_files(options.rules)
        plan = reasoner.plan_of(options.query or None)
        predicates = sorted({relation.name for relation in plan.outputs})
        where = places(predicates, options.output, style, "--output", "--query NAME") if options.columns else {}
        from holdsfor.io.format_detection import METRIC_FACTS, require_some_read
        from holdsfor.io.writers import writing
        from holdsfor.metric.goals import goals_of
        from holdsfor.metric.inputs import read_facts
        from holdsfor.metric.session import MetricRun, RunSpan, streamed_plan
        from holdsfor.metric.ticks import require_ticks

        _require_sense(options)
        known = declared_unit(reasoner.time_scale, options.mapping, options.unit)
        if options.step is not None:
            plan = streamed_plan(reasoner, plan, parsed_delay(options.delay, known), is_recorded=True)
        kept_aside = stack.enter_context(rejects_to(rejects, strict=strict))
        tick = exact_length("--tick", options.tick, known)
        if tick is not None:
            require_ticks(plan, tick)
        reading = read_facts(
            reasoner.signatures,
            options.events,
            mapping=options.mapping,
            unit=options.unit,
            declared=reasoner.time_scale,
            rejects=kept_aside,
            tick=tick,
        )
        require_some_read(
            options.events,
            read=reading.rows,
            unknown=reading.unknown,
            malformed=reading.rejects.first,
            mapping=None if options.mapping is None else str(options.mapping),
            expected=METRIC_FACTS,
            rules=options.rules,
        )
        span = RunSpan.of(
            exact_point("--start", options.start, reading.unit),
            exact_point("--end", options.end, reading.unit),
            exact_length("--step", options.step, reading.unit),
        )
        run = MetricRun(plan, reading, span, goals=goals_of(plan, options.query or None), profile=profile)
        found = run.by_reference(reasoner.program) if options.engine is Engine.REFERENCE else run.result()
        # Times on a terminal are exact; files have numbers or timestamps.
        exactly = style in (Format.CSV, Format.TABLE) or (found.time_scale is not None and style != Format.PARQUET)
        if options.columns:
            write_tables(((name, found[name].to_arrow(exact=exactly)) for name in found.predicates), where, style)
        else:
            table = found.to_arrow(exact=exactly)
            with writing(style, options.output, table.schema) as writer:
                writer.write(table)
        if options.timeline is not None:
            found.timeline().save(options.timeline)
    summary: list[str] = []
    if not quiet:
        show_skipped(found.summary.first_malformed)
        summary = [*_summary_lines(found.summary, len(found.predicates)), *found.repetition_texts()]
    for text in (*summary, *_profile_lines(run)):
        typer.echo(text, err=True)


def _require_sense(options: MetricOptions) -> None:
    """Checks numbers before anything is read."""
    from holdsfor.metric.session import RunSpan

    start, end, step = (
        one if isinstance(one, Fraction) else None for one in (options.start, options.end, options.step)
    )
    RunSpan.of(start, end, step)


def parsed_delay(given: str | None, unit: str | None = None) -> Fraction | float | None:
    """The value of `--delay`: a rational number, infinity, or None if it was not given."""
    if given is None or given == "inf":
        return None if given is None else inf
    return metric_length(given, "--delay", unit)


def _summary_lines(summary: MetricSummary, predicates: int) -> Iterator[str]:
    yield from reading_lines("fact", summary.read, summary.unknown, summary.malformed)
    if summary.steps:
        yield f"{counted(summary.steps, 'step')}, at most {counted(summary.most_kept, 'fact')} kept"
    yield f"{counted(summary.intervals, 'interval')} of {counted(predicates, 'predicate')}"


def _profile_lines(run: MetricRun) -> Iterator[str]:
    if run.profile is None:
        return
    measured = run.profile.strata
    total = sum(one.seconds for one in measured.values()) or 1.0
    for stratum in run.plan.strata:
        one = measured.get(stratum.number)
        if one is not None:
            names = ", ".join(str(relation) for relation in stratum.relations)
            yield (
                f"{one.seconds * 1e3:10.1f} ms  {one.seconds / total:4.0%}  {one.facts_in:9} facts in "
                f"{one.facts_out:9} out {one.kept:9} kept  {names}"
            )


# check, plan, graph


def metric_findings(reasoner: MetricReasoner, *, streaming: bool, delay: str | None) -> list[Diagnostic]:
    """The findings of a program, including those about streams if requested."""
    if not streaming:
        return list(reasoner.diagnostics)
    return in_reading_order([*reasoner.diagnostics, *_streaming_findings(reasoner, parsed_delay(delay))])


def _streaming_findings(reasoner: MetricReasoner, delay: Fraction | float | None) -> Sequence[Diagnostic]:
    if delay is None or any(finding.severity == "error" for finding in reasoner.diagnostics):
        return reasoner.streaming_findings
    from holdsfor.metric.session import streamed_plan

    try:
        streamed_plan(reasoner, reasoner.plan, delay)
    except ProgramError as problem:
        return problem.diagnostics
    return ()
