"""Options that several commands share: events, how they are read, windows, labels."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias, TypeVar

import typer

from holdsfor.cli.common import BACKGROUND
from holdsfor.cli.times import Given, duration_option, time_option
from holdsfor.diagnostics import HoldsforError

EventsOption: TypeAlias = Annotated[
    list[Path],
    typer.Option(
        help="Streams in RTEC's CSV format (.dmtl: facts), or as described by --mapping: files, directories, patterns "
        "such as 'log/*.csv'; - is standard input."
    ),
]
BackgroundOption: TypeAlias = Annotated[list[Path], typer.Option(help=BACKGROUND)]
MappingOption: TypeAlias = Annotated[
    Path | None, typer.Option(help="TOML file: which columns of a table are which event.")
]
WindowOption: TypeAlias = Annotated[
    Given | None, duration_option(help="Window size: time-points, or 1h if the time unit is known.")
]
StepOption: TypeAlias = Annotated[
    Given | None, duration_option(help="Distance of query times; default: the window size.")
]
StartOption: TypeAlias = Annotated[
    Given | None, time_option(help="Ignore input up to this time (.dmtl: before it): 5, 2026-03-01T12:00Z.")
]
EndOption: TypeAlias = Annotated[Given | None, time_option(help="Evaluate up to this time.")]
LabelsOption: TypeAlias = Annotated[
    Path,
    typer.Option(help="Labels: a table with columns fluent, value, start, end; or time (CSV, Parquet, JSON lines)."),
]
ToleranceOption: TypeAlias = Annotated[
    Given | None, duration_option(help="Extend intervals at both ends by this much before the comparison.")
]
OverlapOption: TypeAlias = Annotated[
    float, typer.Option(min=0, max=1, help="The fraction of an episode that the other side must share; 0 for any part.")
]
AnyOrderOption: TypeAlias = Annotated[
    bool, typer.Option("--any-order", help="Let near(a,b) in a label also mean near(b,a).")
]
RulesArgument: TypeAlias = Annotated[
    list[Path], typer.Argument(help="Rule files, or folders of them.", metavar="RULES…")
]

Form = TypeVar("Form", bound=StrEnum)


def require_events(events: list[Path]) -> None:
    """Raises HoldsforError if `--events` is missing."""
    if not events:
        raise HoldsforError("say where the events are: --events FILE")


def form_of(style: Form | None, output: Path | None, forms: dict[str, Form]) -> Form:
    """The requested form, otherwise the one of the file name ending; text without an ending."""
    if style is not None:
        return style
    ending = "" if output is None else output.suffix.lower()
    if not ending:
        return forms[".txt"]
    if ending not in forms:
        raise HoldsforError(f"{output}: no format ends in {ending}; files end in {', '.join(forms)}, or say --format")
    return forms[ending]
