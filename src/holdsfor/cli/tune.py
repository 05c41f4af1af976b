"""`tune`: finds constants with which results agree with labels."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from holdsfor.cli import inputs
from holdsfor.cli.common import friendly_errors, write_output
from holdsfor.cli.options import OutputOption
from holdsfor.cli.times import UnitOption, whole

if TYPE_CHECKING:
    from holdsfor.review.tuning import Tuning


class Style(StrEnum):
    """Forms of a tuning."""

    TEXT = "text"
    JSON = "json"
    HTML = "html"
    SVG = "svg"
    MARKDOWN = "markdown"
    CSV = "csv"


class Measure(StrEnum):
    """The unit of F1."""

    EPISODE = "episode"
    TIME = "time"


_STYLES = {
    ".txt": Style.TEXT,
    ".json": Style.JSON,
    ".html": Style.HTML,
    ".svg": Style.SVG,
    ".md": Style.MARKDOWN,
    ".csv": Style.CSV,
}


def tune(
    rules: inputs.RulesArgument,
    labels: inputs.LabelsOption,
    vary: Annotated[
        list[str],
        typer.Option(
            help="A constant and its range: 'limit(3..8)' for a fact, 'fi(a=x, a=y, 5..60)' for a delay, "
            "'FILE:LINE:NUMBER(LOW..HIGH)' for any number; give it several times."
        ),
    ],
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
    by: Annotated[Measure, typer.Option(help="Choose by F1 of episodes, or of time.")] = Measure.EPISODE,
    fit: Annotated[
        float, typer.Option(help="The fraction of the time on which settings are chosen; the rest is held out.")
    ] = 0.7,
    settings: Annotated[int, typer.Option(min=2, help="How many settings to try at most.")] = 1000,
    limit: Annotated[int, typer.Option(min=1, help="How many settings to show.")] = 10,
    style: Annotated[
        Style | None, typer.Option("--format", "-f", help="Output format: text, json, html, svg, markdown or csv.")
    ] = None,
    output: OutputOption = None,
) -> None:
    """Find the constants of rules that agree best with labels, tested on held-out time."""
    with friendly_errors():
        inputs.require_events(events)
        chosen = inputs.form_of(style, output, _STYLES)
        from holdsfor.review.tuning import tune as find

        found = find(
            [*rules],
            events,
            labels,
            vary,
            by=by.value,
            fit=fit,
            settings=settings,
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
        write_output(_shown(found, chosen, limit), output)


def _shown(found: Tuning, style: Style, limit: int) -> str:
    match style:
        case Style.MARKDOWN:
            return found.markdown(limit)
        case Style.TEXT:
            return found.text(limit)
        case Style.JSON:
            return found.json()
        case Style.HTML:
            return found.html()
        case Style.SVG:
            return found.svg()
        case Style.CSV:
            return found.csv()
