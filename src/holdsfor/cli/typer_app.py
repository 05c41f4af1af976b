"""The commands as Typer knows them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any

import typer

from holdsfor import __version__
from holdsfor.cli.examples import ExampleCommand


def application(homes: Mapping[str, str]) -> typer.Typer:
    """The command line with some commands, given the modules they are in."""
    made = typer.Typer(
        name="holdsfor",
        help="Find out during which intervals a situation holds.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings=settings(),
    )
    made.callback()(_options)
    for command, home in homes.items():
        found = getattr(import_module(f"holdsfor.cli.{home}"), command)
        if isinstance(found, typer.Typer):
            made.add_typer(found, name=command)
        else:
            made.command(cls=ExampleCommand)(found)
    return made


def settings() -> dict[str, Any]:
    """What holds for all commands: -h, and no colours for those who do not want them or cannot see them."""
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
