"""The Typer application."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from holdsfor import __version__
from holdsfor.cli.commands import BUILT_IN, CannotLoad, Command, added, all_commands, built_in
from holdsfor.cli.examples import ExampleCommand


def application(command: str) -> typer.Typer:
    """The command line with one command, or with all of them if no command has that name."""
    made = typer.Typer(
        name="holdsfor",
        help="Compute the intervals during which situations hold.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings=settings(),
    )
    made.callback()(_options)
    for one in _commands(command):
        panel = f"From {one.package}" if one.package else None
        if isinstance(one.target, typer.Typer):
            made.add_typer(one.target, name=one.name, rich_help_panel=panel)
        else:
            made.command(one.name, cls=ExampleCommand, rich_help_panel=panel)(one.target)
    return made


def _commands(name: str) -> Iterable[Command]:
    if name in BUILT_IN:
        return [built_in(name)]
    try:
        only = added(name) if name and not name.startswith("-") else None
    except CannotLoad as problem:
        raise SystemExit(f"error: {problem}") from None
    return all_commands(_warn) if only is None else [only]


def _warn(problem: CannotLoad) -> None:
    typer.secho(f"warning: {problem}", err=True, fg=typer.colors.YELLOW)


def settings() -> dict[str, Any]:
    """Settings of all commands: `-h`, and colours only where they are supported and wanted."""
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return {"help_option_names": ["-h", "--help"], "color": False if plain else None}


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"holdsfor {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    del version
