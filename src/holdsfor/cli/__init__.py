"""The command line: one verb per stage."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from holdsfor import __version__
from holdsfor.cli import inspect
from holdsfor.cli.common import hide_pandas
from holdsfor.cli.demo import demo
from holdsfor.cli.explain import explain
from holdsfor.cli.lsp import grammar, lsp
from holdsfor.cli.maritime import maritime
from holdsfor.cli.run import run
from holdsfor.cli.serve import serve
from holdsfor.cli.stream import stream
from holdsfor.cli.test import test

app = typer.Typer(
    name="holdsfor",
    help="Find out during which intervals a situation holds.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.command()(run)
app.command()(stream)
app.command()(explain)
app.command()(serve)
app.command()(inspect.check)
app.command()(inspect.fmt)
app.command()(inspect.graph)
app.command()(inspect.plan)
app.command()(inspect.codes)
app.command()(test)
app.command()(lsp)
app.command()(grammar)
app.command()(demo)
app.add_typer(maritime, name="maritime")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"holdsfor {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    del version


def main() -> None:
    """Run the command line, in a process of its own."""
    if sys.argv[1:2] == ["run"] and not any("spark" in word or word == "--help" for word in sys.argv):
        hide_pandas()
    app()
