"""`test`: run Markdown files with rules and expected intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from holdsfor.cli.common import BACKGROUND, friendly_errors
from holdsfor.cli.options import counted, unknown_engine
from holdsfor.diagnostics import HoldsforError


def test(
    files: Annotated[
        list[Path],
        typer.Argument(
            help="Markdown files with rules, events and expected intervals, or folders of them.", metavar="FILE…"
        ),
    ],
    rules: Annotated[list[Path], typer.Option(help="Rule files to test; overrides those in the head of a page.")] = [],  # noqa: B006
    background: Annotated[list[Path], typer.Option(help=BACKGROUND)] = [],  # noqa: B006
    engine: Annotated[
        list[str], typer.Option(help="local, reference or spark; can be repeated. The default is the first two.")
    ] = [],  # noqa: B006
    update: Annotated[bool, typer.Option("--update", help="Write the actual results into the file.")] = False,
    master: Annotated[str, typer.Option(help="With --engine spark: the Spark master.")] = "local[2]",
) -> None:
    """Run tests of rules: Markdown files with blocks `prolog` (or `dmtl`), `events` (`facts`) and `expected`."""
    from holdsfor.testing.checking import run_checks
    from holdsfor.testing.rule_files import tests_in

    with friendly_errors():
        pages = tests_in(files)
        if update:
            _update(pages, rules, background)
            return
        engines = _engines(engine)
        spark = _spark(master) if "spark" in engines else None
        outcomes = [
            outcome
            for file in pages
            for outcome in run_checks(file, engines, spark, rules=rules, background=background)
        ]
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


def _update(files: list[Path], rules: list[Path], background: list[Path]) -> None:
    from holdsfor.testing.updating import update

    for file in files:
        typer.echo(f"{file}: {counted(update(file, rules, background), 'block')} changed")
