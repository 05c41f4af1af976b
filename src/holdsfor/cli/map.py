"""`map`: write a first mapping for a file."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdsfor.cli.common import friendly_errors, is_metric, load_files, write_output
from holdsfor.diagnostics import HoldsforError

if TYPE_CHECKING:
    from holdsfor.io.mapmaking import RequiredInput


def map(  # noqa: A001 -- the word on the command line
    file: Annotated[
        Path, typer.Argument(help="CSV, TSV, Parquet or JSON, also compressed; - is standard input.", metavar="FILE")
    ],
    rules: Annotated[
        list[Path],
        typer.Option(help="Rules (also .dmtl) and background: columns are mapped to the events that they read."),
    ] = [],  # noqa: B006
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write here, not to the terminal.")] = None,
    time: Annotated[str | None, typer.Option(help="The column with the time.", metavar="COLUMN")] = None,
    name: Annotated[
        str | None, typer.Option(help="The column that says which event a row is.", metavar="COLUMN")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
) -> None:
    """Guess a mapping for a file: its time, its kinds of events and their arguments, with comments, to be edited."""
    with friendly_errors():
        if output is not None and output.exists() and not force:
            raise HoldsforError(f"{output} is there already; choose another name, or replace it with --force")
        from holdsfor.io.inputs import input_files
        from holdsfor.io.mapmaking import made_mapping

        wanted, unit = _wanted(rules)
        given = input_files([file])[0]
        with _seekable(given) as path:
            saved = output or "mapping.toml"
            made = made_mapping(
                path,
                given,
                wanted=wanted,
                rules=rules,
                unit=unit,
                time=time,
                name=name,
                saved=saved,
                events=file,
            )
        write_output(made.text, output)
        for line in made.summary:
            typer.echo(line, err=True)


def _wanted(rules: Sequence[Path]) -> tuple[list[RequiredInput] | None, str | None]:
    """The input of rules, which may be incomplete, and their time unit."""
    from holdsfor.io.mapmaking import metric_inputs, wanted_inputs

    if not rules:
        return None, None
    if is_metric(rules):
        from holdsfor.cli.metric import load_metric_files

        program = load_metric_files(rules).program
        return metric_inputs(program), None if program.time_scale is None else program.time_scale.unit
    analysis = load_files(rules).analysis
    scale = analysis.written.time_scale
    return wanted_inputs(analysis.entities), None if scale is None else scale.unit


@contextmanager
def _seekable(given: str | Path) -> Iterator[str | Path]:
    """A file that can be read more than once; standard input is copied to one."""
    from holdsfor.io.sources import STANDARD_INPUT, opened

    if str(given) != STANDARD_INPUT:
        yield given
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "standard-input"
        with opened(given) as source, copy.open("wb") as file:
            shutil.copyfileobj(source, file)
        yield copy
