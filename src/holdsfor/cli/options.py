"""The options of `run`, for every kind of program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from holdsfor.cli.times import Given, duration_option
from holdsfor.diagnostics import HoldsforError
from holdsfor.engine_names import Engine
from holdsfor.io.outputs import created

if TYPE_CHECKING:
    from holdsfor.io.rejects import Malformed, Rejects


class Format(StrEnum):
    """Formats of results."""

    CSV = "csv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    TABLE = "table"


FormatOption: TypeAlias = Annotated[
    Format | None, typer.Option("--format", "-f", help="Output format; csv, or what --output ends in.")
]
OutputOption: TypeAlias = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write here instead of to the terminal.")
]
ColumnsOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--columns",
        help="Give every argument a column, named after the rules' variables; with several fluents, each has a file.",
    ),
]
DerivedEventsOption: TypeAlias = Annotated[Path | None, typer.Option(help="Write derived events to this file.")]
TimelineOption: TypeAlias = Annotated[
    Path | None, typer.Option(help="Draw the intervals: a page (.html) or a picture (.svg, .png).")
]
MaxAheadOption: TypeAlias = Annotated[
    Given | None, duration_option(help="Set aside rows more than this after the median time.")
]
ForgetOption: TypeAlias = Annotated[
    Given | None,
    duration_option(
        help="Timeout: end the fluents of entities that the input has not mentioned for this long; not for .dmtl."
    ),
]
MaxDelayedEffectsOption: TypeAlias = Annotated[
    int | None,
    typer.Option(min=1, help="Stop after this many delayed effects in a row without an event; default: 1000000."),
]
RejectsOption: TypeAlias = Annotated[Path | None, typer.Option(help="Write malformed rows to this file.")]
StrictOption: TypeAlias = Annotated[bool, typer.Option("--strict", help="Stop at the first malformed row.")]
ProfileOption: TypeAlias = Annotated[
    bool, typer.Option("--profile", help="Print the time of each step, and the number of keys and rows kept.")
]
ThreadsOption: TypeAlias = Annotated[
    int | None, typer.Option(min=1, help="Number of threads; default: one for each processor.")
]


IncrementalOption: TypeAlias = Annotated[str | None, typer.Option(hidden=True, help="Is gone.")]


def refuse_incremental(given: str | None) -> None:
    """Rejects an option of earlier versions."""
    if given is not None:
        raise typer.BadParameter(
            "only what has changed is evaluated, always; leave this option out", param_hint="--incremental"
        )


MasterOption: TypeAlias = Annotated[str, typer.Option(help="With --engine spark: the Spark master.")]
PartitionsOption: TypeAlias = Annotated[
    int | None, typer.Option(min=1, help="With --engine spark: the number of buckets.")
]


QUIET = "Print only errors, and the measurements of --profile: no progress, notes, skipped rows or summary."
ENGINE_HELP = "local: this machine; reference: the reference evaluator; spark."
ENGINES = "|".join(Engine)


def engine_named(text: str) -> Engine:
    """The engine of `--engine`."""
    try:
        return Engine(text)
    except ValueError:
        raise typer.BadParameter(unknown_engine(text)) from None


EngineOption: TypeAlias = Annotated[Engine, typer.Option(parser=engine_named, metavar=ENGINES, help=ENGINE_HELP)]
QuietOption: TypeAlias = Annotated[bool, typer.Option("--quiet", "-q", help=QUIET)]


def unknown_engine(text: str) -> str:
    """The message for an unknown engine."""
    hint = "; columnar is called local now" if text == "columnar" else ""
    return f"there is no engine {text!r}; there are {', '.join(Engine)}{hint}"


_ENDINGS = {".csv": Format.CSV, ".jsonl": Format.JSONL, ".parquet": Format.PARQUET, ".txt": Format.TABLE}
"""Formats by the ending of a file."""


def style_of(style: Format | None, output: Path | None) -> str:
    """The requested format of an output, otherwise the one of the file name ending; CSV without an ending."""
    if style is not None:
        return style.value
    ending = "" if output is None else output.suffix.lower()
    if ending and ending not in _ENDINGS and not _is_special(output):
        raise HoldsforError(
            f"{output}: no format ends in {ending}; files end in {', '.join(_ENDINGS)}, or say --format csv"
        )
    return _ENDINGS.get(ending, Format.CSV).value


def ending_of(style: Format) -> str:
    """The file name ending of a format."""
    return next(ending for ending, one in _ENDINGS.items() if one is style)


def _is_special(output: Path | None) -> bool:
    """Whether an output is a pipe or a device, whose name has no meaning."""
    return output is not None and output.exists() and not output.is_file()


def require_drawable(timeline: Path | None) -> None:
    """Raises HoldsforError before the run if a picture cannot be drawn."""
    if timeline is not None and timeline.suffix.lower() not in {".html", ".svg", ".png"}:
        raise HoldsforError(f"--timeline is a .html, .svg or .png file, not {str(timeline)!r}")


@contextmanager
def rejects_to(path: Path | None, *, strict: bool) -> Iterator[Rejects]:
    """The destination of malformed rows."""
    from holdsfor.io.rejects import Rejects

    if path is None:
        yield Rejects(strict=strict)
        return
    with created(path, kept_on_error=True) as file:
        yield Rejects.to_file(file, strict=strict)


def show_skipped(problems: list[Malformed]) -> None:
    """Prints the first malformed rows."""
    for problem in problems:
        typer.secho(f"skipped {problem}", err=True, fg=typer.colors.YELLOW)


def reading_lines(what: str, read: int, unknown: Mapping[str, int], malformed: int) -> Iterator[str]:
    """Lines about the input."""
    strange = sum(unknown.values())
    yield f"{counted(read, what)} read, {strange} of names no rule knows, {malformed} malformed"
    if strange:
        most = sorted(unknown.items(), key=lambda item: -item[1])
        named = ", ".join(f"{name} ({count})" for name, count in most[:5])
        yield f"names no rule knows: {named}{', …' if len(most) > 5 else ''}"


def counted(number: int, what: str) -> str:
    """A number with its noun."""
    return f"{number} {what}{'' if number == 1 else 's'}"
