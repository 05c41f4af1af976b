"""The command line."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from typing import TYPE_CHECKING, Any

from holdsfor.cli.completion_scripts import LINE, SHELL

if TYPE_CHECKING:
    # Imported where it is used: `run` does not need all of its imports.
    import typer

app: typer.Typer
"""All commands; built on first access."""


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module 'holdsfor.cli' has no attribute {name!r}")
    made = globals()["app"] = _app("")
    return made


def _app(command: str) -> typer.Typer:
    """The command line with one command, or with all of them if no command has that name."""
    from holdsfor.cli.typer_app import application

    # Importing and describing the other commands would take longer than running one on a small file.
    return application(command)


def main() -> None:
    """The entry point of the process."""
    # Nearly all that a command imports and reads lives on: looking for garbage among it finds none, also at the end.
    gc.set_threshold(100_000, 20, 20)
    atexit.register(gc.freeze)
    if LINE in os.environ:
        _complete(os.environ[LINE], os.environ.get(SHELL, ""))
        return
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command == "run" and not any("spark" in word or word in ("-h", "--help") for word in sys.argv):
        from holdsfor.cli.startup import import_less

        import_less()
        _run_plainly(sys.argv[2:])
    _app(command)()


def _complete(text: str, shell: str) -> None:
    """Prints the completions at the end of a command line."""
    import typer

    from holdsfor.cli.completing import answer, line_of

    for line in answer(text, shell, _app(next(iter(line_of(text).words), ""))):
        typer.echo(line)


def _run_plainly(words: list[str]) -> None:
    """Executes `run` and exits if its command line is plain; otherwise returns."""
    import typer

    from holdsfor.cli.plain import plain_arguments
    from holdsfor.cli.run import run
    from holdsfor.cli.typer_app import settings

    given = plain_arguments(run, words)
    if given is None:
        return

    def work() -> None:
        try:
            run(**given)
        except typer.BadParameter:
            # Typer says it with all there is to say of the option.
            _app("run")()

    # Typer also handles exit codes and interrupts, so it is used even without options.
    made = typer.Typer(add_completion=False, pretty_exceptions_enable=False, context_settings=settings())
    made.command(add_help_option=False)(work)
    made([])
