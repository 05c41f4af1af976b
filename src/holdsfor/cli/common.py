"""Functions of all commands: loading, findings, errors."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from holdsfor.diagnostics import Diagnostic, HoldsforError, ProgramError, Severity
from holdsfor.io.fact_files import named_table
from holdsfor.io.outputs import created
from holdsfor.loading import METRIC_FILES, Reasoner, from_files, from_sources, read_source

_COLOURS = {Severity.ERROR: typer.colors.RED, Severity.WARNING: typer.colors.YELLOW, Severity.NOTE: typer.colors.CYAN}

INTERRUPTED = 130
"""The exit status after Ctrl-C, as shells have it."""
BACKGROUND = "Files with background facts and rules, or tables of facts: tier=customers.csv (CSV, Parquet, JSON lines)."
"""The help of `--background`."""


@contextmanager
def friendly_errors() -> Iterator[None]:
    """Turns user errors into messages with exit status 1, interruptions into status 130, and warnings into plain lines."""
    try:
        with _warnings_as_lines():
            yield
    except ProgramError as problem:
        show_findings(problem.diagnostics, file_is_stderr=True)
        raise typer.Exit(1) from None
    except HoldsforError as problem:
        fail(str(problem))
    except KeyboardInterrupt as stop:
        typer.echo("; ".join(["interrupted", *getattr(stop, "__notes__", ())]), err=True)
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        # The reader of our output went away, as `head` does; that is no error of ours.
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
        raise typer.Exit(0) from None


@contextmanager
def _warnings_as_lines() -> Iterator[None]:
    with warnings.catch_warnings():
        shown = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **rest: Any) -> None:
            if category is UserWarning:
                typer.secho(f"warning: {message}", err=True, fg=typer.colors.YELLOW)
            else:
                shown(message, category, *place, **rest)

        warnings.showwarning = show
        warnings.filterwarnings("always", category=UserWarning, module="holdsfor|typer|click")
        yield


def fail(message: str) -> None:
    """Prints an error to stderr and exits with status 1."""
    typer.secho(f"error: {message}", err=True, fg=typer.colors.RED)
    raise typer.Exit(1)


def load_files(rules: Iterable[Path], *, quiet: bool = False) -> Reasoner:
    """Read files as one program: rules, background knowledge, and tables of facts (`tier=customers.csv`)."""
    listed = list(rules)
    if not any(map(named_table, listed)):
        return from_sources([read_source(path) for path in listed])
    if all(map(named_table, listed)):
        raise HoldsforError(f"{listed[0]} is a table; rules are missing, a file such as rules.prolog")
    # Imported here: NumPy and Arrow would slow down every other command.
    from holdsfor.io.rejects import Rejects

    rejects = Rejects()
    found = from_files(listed, rejects)
    if quiet:
        return found
    for problem in rejects.first:
        typer.secho(f"skipped {problem}", err=True, fg=typer.colors.YELLOW)
    if rejects.count > len(rejects.first):
        typer.echo(f"{rejects.count} rows of background tables could not be read", err=True)
    return found


def limited(reasoner: Reasoner, max_delayed_effects: int | None) -> Reasoner:
    """A program with a limit of delayed effects, if given."""
    return reasoner if max_delayed_effects is None else reasoner.limited(max_delayed_effects=max_delayed_effects)


def is_metric(files: Sequence[Path]) -> bool:
    """Whether files are a metric program."""
    return bool(files) and all(path.name.endswith(METRIC_FILES) for path in files)


def show_findings(findings: Iterable[Diagnostic], *, file_is_stderr: bool = False) -> None:
    """Print findings with a blank line between them and a coloured first line."""
    for finding in findings:
        head, _, rest = finding.render().partition("\n")
        typer.secho(head, fg=_COLOURS[finding.severity], bold=True, err=file_is_stderr)
        typer.echo(f"{rest}\n" if rest else "", err=file_is_stderr)


def findings_json(findings: Iterable[Diagnostic]) -> str:
    """Findings as a JSON array."""
    return json.dumps([finding.as_json() for finding in findings], indent=2, ensure_ascii=False)


def write_output(text: str, output: Path | None) -> None:
    """Write to a file, or to stdout."""
    if output is None:
        typer.echo(text, nl=not text.endswith("\n"))
        return
    with created(output) as file:
        file.write((text if text.endswith("\n") else f"{text}\n").encode())


Command = Callable[..., None]
