"""`test`: run Markdown files that say what is expected of rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from holdsfor.cli.common import friendly_errors
from holdsfor.cli.options import counted, unknown_engine
from holdsfor.diagnostics import HoldsforError


def test(
    files: Annotated[list[Path], typer.Argument(help="Markdown files with rules, events and what is expected.")],
    engine: Annotated[
        list[str], typer.Option(help="local, reference or spark; give it several times. Both of the first by default.")
    ] = [],  # noqa: B006
    update: Annotated[
        bool, typer.Option("--update", help="Write what was found where something else was expected.")
    ] = False,
    master: Annotated[str, typer.Option(help="With --engine spark: where it runs.")] = "local[2]",
) -> None:
    """Run tests of rules: Markdown files with blocks `prolog` (or `dmtl`), `events` (`facts`) and `expected`."""
    from holdsfor.testing.checking import run_checks

    with friendly_errors():
        if update:
            _update(files)
            return
        engines = _engines(engine)
        spark = _spark(master) if "spark" in engines else None
        outcomes = [outcome for file in files for outcome in run_checks(file, engines, spark)]
        failed = [outcome for outcome in outcomes if not outcome.passed]
        for outcome in failed:
            head, _, rest = outcome.render().partition("\n")
            typer.secho(head, fg=typer.colors.RED, bold=True)
            typer.echo(f"{rest}\n")
        passed = len(outcomes) - len(failed)
        summary = f"{counted(passed, 'check')} passed" + (f", {len(failed)} failed" if failed else "")
        typer.secho(f"{summary} ({', '.join(engines)})", bold=True)
        if failed:
            raise typer.Exit(1)


def _engines(names: list[str]) -> list[Any]:
    from holdsfor.engine_names import Engine

    unknown = [name for name in names if name not in set(Engine)]
    if unknown:
        raise HoldsforError(unknown_engine(unknown[0]))
    return [Engine(name) for name in names] or [Engine.LOCAL, Engine.REFERENCE]


def _spark(master: str) -> Any:
    from holdsfor.cli.spark import spark_session

    return spark_session(master)


def _update(files: list[Path]) -> None:
    from holdsfor.testing.updating import update

    for file in files:
        typer.echo(f"{file}: {counted(update(file), 'block')} changed")
