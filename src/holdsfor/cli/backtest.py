"""`backtest`: what rules find, against labels."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdsfor.cli.common import BACKGROUND, friendly_errors, write_output
from holdsfor.cli.times import Given, UnitOption, duration_option, time_option, whole
from holdsfor.diagnostics import HoldsforError

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
    rules: Annotated[list[Path], typer.Argument(help="Rule files, or folders of them.", metavar="RULES…")],
    labels: Annotated[
        Path,
        typer.Option(
            help="What was so: a table with columns fluent, value, start, end; or time (CSV, Parquet, JSON lines)."
        ),
    ],
    events: Annotated[
        list[Path], typer.Option(help="Streams in RTEC's CSV format (.dmtl: facts), or whatever --mapping says.")
    ] = [],  # noqa: B006
    background: Annotated[list[Path], typer.Option(help=BACKGROUND)] = [],  # noqa: B006
    mapping: Annotated[Path | None, typer.Option(help="TOML file: which columns of a table are which event.")] = None,
    unit: UnitOption = None,
    window: Annotated[
        Given | None, duration_option(help="Window size: time-points, or 1h where a unit is known.")
    ] = None,
    step: Annotated[Given | None, duration_option(help="Distance of query times.")] = None,
    start: Annotated[Given | None, time_option(help="Ignore input up to this time.")] = None,
    end: Annotated[Given | None, time_option(help="Evaluate up to this time.")] = None,
    tolerance: Annotated[
        Given | None, duration_option(help="Intervals are widened by so much before they are compared.")
    ] = None,
    overlap: Annotated[
        float, typer.Option(min=0, max=1, help="The part of an episode that the other side must have; 0 is any of it.")
    ] = 0.0,
    any_order: Annotated[
        bool, typer.Option("--any-order", help="Take near(a,b) in a label for near(b,a), too.")
    ] = False,
    why: Annotated[int, typer.Option(min=0, help="Say why, of so many of the worst mistakes of each kind.")] = 0,
    limit: Annotated[int, typer.Option(min=1, help="How many mistakes and entities to show.")] = 10,
    style: Annotated[Style | None, typer.Option("--format", "-f", help="text, json, html, markdown or csv.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write here instead of to the terminal.")
    ] = None,
) -> None:
    """Compare results with labels: precision and recall by time and by episode, false alarms, misses, and why."""
    with friendly_errors():
        if not events:
            raise HoldsforError("say where the events are: --events FILE")
        chosen = _style(style, output)
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


def _style(style: Style | None, output: Path | None) -> Style:
    if style is not None or output is None or not output.suffix:
        return style or Style.TEXT
    if output.suffix not in STYLES:
        raise HoldsforError(
            f"{output}: no format ends in {output.suffix}; files end in {', '.join(STYLES)}, or say --format"
        )
    return STYLES[output.suffix]


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
