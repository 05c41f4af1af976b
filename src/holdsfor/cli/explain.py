"""`explain`: why a situation or fact holds at a time, or why not."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdsfor.cli import inputs
from holdsfor.cli.common import friendly_errors, is_metric, load_files, write_output
from holdsfor.cli.options import OutputOption
from holdsfor.cli.times import Given, UnitOption, time_option, whole
from holdsfor.diagnostics import HoldsforError

if TYPE_CHECKING:
    from holdsfor.explain.explanation import Explanation


class Style(StrEnum):
    """Forms of an explanation."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"


STYLES = {".txt": Style.TEXT, ".md": Style.TEXT, ".json": Style.JSON, ".html": Style.HTML}


def explain(
    rules: Annotated[
        list[Path], typer.Argument(help="Rule files, followed by the question.", metavar="RULES… QUESTION")
    ],
    at: Annotated[
        Given, time_option(help="The time of the question: 5, or 2026-03-01T12:00Z if the time unit is known.")
    ],
    events: inputs.EventsOption = [],  # noqa: B006
    background: inputs.BackgroundOption = [],  # noqa: B006
    mapping: inputs.MappingOption = None,
    unit: UnitOption = None,
    window: inputs.WindowOption = None,
    step: inputs.StepOption = None,
    start: inputs.StartOption = None,
    end: inputs.EndOption = None,
    query_time: Annotated[
        Given | None,
        time_option(help="The query time; default: the last one whose window contains the time."),
    ] = None,
    depth: Annotated[int, typer.Option(min=1, help="Maximal number of levels of fluents and events.")] = 12,
    style: Annotated[Style | None, typer.Option("--format", "-f", help="text, json or html.")] = None,
    output: OutputOption = None,
) -> None:
    """Explain why something holds at a time, or why not: rules, values and rows."""
    with friendly_errors():
        *files, question = rules
        if not files:
            raise HoldsforError("give rules and a question: holdsfor explain rules.prolog 'f(a)=true' --at 5")
        question_text = str(question)
        if is_metric(files):
            given = {"--background": background, "--window": window, "--step": step, "--query-time": query_time}
            unused = [name for name, value in given.items() if value]
            if unused:
                raise HoldsforError(f"{', '.join(unused)} cannot be used with a .dmtl program")
            from holdsfor.cli.metric import load_metric_files

            found = load_metric_files(files).explain(
                question_text, at, facts=events, mapping=mapping, unit=unit, start=start, end=end, depth=depth
            )
        else:
            inputs.require_events(events)
            reasoner = load_files([*files, *background])
            reasoner.require_no_errors()
            found = reasoner.explain(
                question_text,
                whole("--at", at),
                events=events,
                mapping=mapping,
                unit=unit,
                window=whole("--window", window, 1),
                step=whole("--step", step, 1),
                start=whole("--start", start),
                end=whole("--end", end),
                query_time=whole("--query-time", query_time),
                depth=depth,
            )
        write_output(_shown(found, inputs.form_of(style, output, STYLES)), output)


def _shown(found: Explanation, style: Style) -> str:
    match style:
        case Style.JSON:
            return found.json()
        case Style.HTML:
            return found.html()
        case _:
            return found.text()
