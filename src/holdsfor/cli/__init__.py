"""The command line: one verb per stage."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Annotated, Any

import typer

from holdsfor import __version__
from holdsfor.cli.completion_scripts import LINE, SHELL
from holdsfor.cli.examples import ExampleCommand

_HOMES = {
    "run": "run",
    "rtec": "rtec",
    "stream": "stream",
    "map": "map",
    "explain": "explain",
    "serve": "serve",
    "check": "inspect",
    "fmt": "inspect",
    "graph": "inspect",
    "plan": "inspect",
    "codes": "inspect",
    "test": "test",
    "completion": "completion",
    "lsp": "lsp",
    "grammar": "lsp",
    "demo": "demo",
    "maritime": "maritime",
}
"""Every command and the module it is in."""

app: typer.Typer
"""All commands; made when somebody asks for it."""


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module 'holdsfor.cli' has no attribute {name!r}")
    made = globals()["app"] = _app(_HOMES)
    return made


def _app(commands: Iterable[str]) -> typer.Typer:
    """The command line with some commands."""
    made = typer.Typer(
        name="holdsfor",
        help="Find out during which intervals a situation holds.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings=_settings(),
    )
    made.callback()(_options)
    for command in commands:
        found = getattr(import_module(f"holdsfor.cli.{_HOMES[command]}"), command)
        if isinstance(found, typer.Typer):
            made.add_typer(found, name=command)
        else:
            made.command(cls=ExampleCommand)(found)
    return made


def _settings() -> dict[str, Any]:
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


def main() -> None:
    """Run the command line, in a process of its own."""
    # Nearly all that a command imports and reads lives on: looking for garbage among it finds none.
    gc.set_threshold(100_000, 20, 20)
    if LINE in os.environ:
        _complete(os.environ[LINE], os.environ.get(SHELL, ""))
        return
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command == "run" and not any("spark" in word or word in ("-h", "--help") for word in sys.argv):
        from holdsfor.cli.startup import import_less

        import_less()
        _run_plainly(sys.argv[2:])
    # To import and describe commands that are not asked for takes longer than to run one on a small file.
    _app([command] if command in _HOMES else _HOMES)()


def _complete(text: str, shell: str) -> None:
    """Print what could stand at the end of a command line."""
    from holdsfor.cli.completing import answer, line_of

    first = next(iter(line_of(text).words), "")
    for line in answer(text, shell, _app([first] if first in _HOMES else _HOMES)):
        typer.echo(line)


def _run_plainly(words: list[str]) -> None:
    """Run `run` and exit, if its command line is plain; else come back."""
    from holdsfor.cli.plain import plain_arguments
    from holdsfor.cli.run import run

    given = plain_arguments(run, words)
    if given is None:
        return

    def work() -> None:
        try:
            run(**given)
        except typer.BadParameter:
            # Typer says it with all there is to say of the option.
            _app(["run"])()

    # Even without options it is Typer that sees to exit codes, and to what happens when somebody interrupts it.
    made = typer.Typer(add_completion=False, pretty_exceptions_enable=False, context_settings=_settings())
    made.command(add_help_option=False)(work)
    made([])
