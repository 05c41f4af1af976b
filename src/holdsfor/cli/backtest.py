"""`backtest`: compares results with labels."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from holdsfor.cli import inputs
from holdsfor.cli.common import friendly_errors, write_output
from holdsfor.cli.options import OutputOption
from holdsfor.cli.times import UnitOption, whole

if TYPE_CHECKING:
    from holdsfor.review.backtest import Backtest


class Style(StrEnum):
    """Forms of a backtest."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"
    MARKDOWN = "markdown"
    CSV = "csv"


STYLES = {".txt": Style.TEXT, ".json": Style.JSON, ".html": Style.HTML, ".md": Style.MARKDOWN, ".csv": Style.CSV}


def backtest(
    rules: inputs.RulesArgument,
    labels: inputs.LabelsOption,
    events: inputs.EventsOption = [],  # noqa: B006
    background: inputs.BackgroundOption = [],  # noqa: B006
    mapping: inputs.MappingOption = None,
    unit: UnitOption = None,
    window: inputs.WindowOption = None,
    step: inputs.StepOption = None,
    start: inputs.StartOption = None,
    end: inputs.EndOption = None,
    tolerance: inputs.ToleranceOption = None,
    overlap: inputs.OverlapOption = 0.0,
    any_order: inputs.AnyOrderOption = False,
    why: Annotated[int, typer.Option(min=0, help="Explain this many of the worst mistakes of each kind.")] = 0,
    limit: Annotated[int, typer.Option(min=1, help="How many mistakes and entities to show.")] = 10,
    style: Annotated[Style | None, typer.Option("--format", "-f", help="text, json, html, markdown or csv.")] = None,
    output: OutputOption = None,
) -> None:
    """Compare results with labels: precision and recall by time and by episode, false alarms, misses, and why."""
    with friendly_errors():
        inputs.require_events(events)
        chosen = inputs.form_of(style, output, STYLES)
        from holdsfor.review.backtest import backtest as compare

        found = compare(
            [*rules],
            events,
            labels,
            tolerance=whole("--tolerance", tolerance, 0) or 0,
            overlap=overlap,
            any_order=any_order,
            background=background or None,
            mapping=mapping,
            unit=unit,
            window=whole("--window", window, 1),
            step=whole("--step", step, 1),
            start=whole("--start", start),
            end=whole("--end", end),
        )
        write_output(_shown(found, chosen, limit, why), output)


def _shown(found: Backtest, style: Style, limit: int, why: int) -> str:
    match style:
        case Style.JSON:
            return found.json(why)
        case Style.HTML:
            return found.html(max(limit, 50), why or 3)
        case Style.MARKDOWN:
            return found.markdown(limit, why)
        case Style.CSV:
            return found.csv()
        case _:
            return found.text(limit, why)
