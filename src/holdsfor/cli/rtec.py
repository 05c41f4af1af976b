"""`rtec`: run an application from a parameter file of RTEC."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from holdsfor.cli import options
from holdsfor.cli.application import read_application, require_files
from holdsfor.cli.common import friendly_errors
from holdsfor.cli.run import run
from holdsfor.cli.times import Given, UnitOption, duration_option, time_option
from holdsfor.diagnostics import HoldsforError
from holdsfor.engine_names import Engine


def rtec(
    file: Annotated[Path, typer.Argument(help="RTEC's parameter file, defaults.toml.", metavar="FILE.toml")],
    application: Annotated[str, typer.Argument(help="The table of the file that describes the application.")],
    rules: Annotated[
        list[Path], typer.Option("--event-description", help="Rule files that override event_description.")
    ] = [],  # noqa: B006
    background: Annotated[
        list[Path],
        typer.Option("--background", "--background-knowledge", help="Files that override background_knowledge."),
    ] = [],  # noqa: B006
    events: Annotated[
        list[Path], typer.Option("--events", "--input", help="Streams that override input_providers.")
    ] = [],  # noqa: B006
    unit: UnitOption = None,
    window: Annotated[Given | None, duration_option("--window", "--window-size", help="Overrides window_size.")] = None,
    step: Annotated[Given | None, duration_option(help="Overrides step.")] = None,
    start: Annotated[Given | None, time_option("--start", "--start-time", help="Overrides start_time.")] = None,
    end: Annotated[Given | None, time_option("--end", "--end-time", help="Overrides end_time.")] = None,
    clock_tick: Annotated[Given | None, duration_option(help="Overrides clock_tick.")] = None,
    fluent: Annotated[list[str], typer.Option("--fluent", "--query", help="Report only these fluents.")] = [],  # noqa: B006
    style: options.FormatOption = None,
    output: options.OutputOption = None,
    derived_events: options.DerivedEventsOption = None,
    timeline: options.TimelineOption = None,
    max_ahead: options.MaxAheadOption = None,
    forget: options.ForgetOption = None,
    max_delayed_effects: options.MaxDelayedEffectsOption = None,
    rejects: options.RejectsOption = None,
    strict: options.StrictOption = False,
    profile: options.ProfileOption = False,
    quiet: options.QuietOption = False,
    threads: options.ThreadsOption = None,
    incremental: options.IncrementalOption = None,
    engine: options.EngineOption = Engine.LOCAL,
    master: options.MasterOption = "local[*]",
    partitions: options.PartitionsOption = None,
) -> None:
    """Run an application of RTEC as its parameter file describes it.

    The table of the application gives rules, background files, streams, window, step, start, end and clock tick.

    Paths in it start at the folder of the file. Options replace what the table says.
    """
    with friendly_errors():
        found = read_application(file, application)
        rules = rules or list(found.rules)
        background = background or list(found.background)
        events = events or list(found.inputs)
        if not rules:
            raise HoldsforError(f"{file}: [{application}] has no event_description; give one with --event-description")
        if not events:
            raise HoldsforError(f"{file}: [{application}] has no input_providers; give streams with --events")
        require_files(rules, "event_description", "--event-description")
        require_files(background, "background_knowledge", "--background")
        require_files(events, "input_providers", "--events")
        if found.ignored:
            typer.secho(f"not used: {', '.join(found.ignored)}", err=True, fg=typer.colors.YELLOW)
    run(
        rules,
        events=events,
        background=background,
        unit=unit,
        window=_or_else(window, found.window),
        step=_or_else(step, found.step),
        start=_or_else(start, found.start),
        end=_or_else(end, found.end),
        clock_tick=_or_else(clock_tick, found.clock_tick) or Fraction(1),
        fluent=fluent,
        style=style,
        output=output,
        derived_events=derived_events,
        timeline=timeline,
        max_ahead=max_ahead,
        forget=forget,
        max_delayed_effects=max_delayed_effects,
        rejects=rejects,
        strict=strict,
        profile=profile,
        quiet=quiet,
        threads=threads,
        incremental=incremental,
        engine=engine,
        master=master,
        partitions=partitions,
    )


def _or_else(given: Given | None, described: int | str | None) -> Given | None:
    if given is not None or described is None:
        return given
    return described if isinstance(described, str) else Fraction(described)
