"""Examples in the help of commands. A test runs those that terminate, in a folder with the files."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand

EXAMPLES: dict[str, tuple[tuple[str, str], ...]] = {
    "run": (
        ("intervals as CSV", "holdsfor run rules.prolog --events events.csv"),
        ("a table of one fluent", "holdsfor run rules.prolog --events events.csv --fluent open --format table"),
        (
            "windows, and a page to look at",
            "holdsfor run rules.prolog --events events.csv --window 100 --step 50 -o out.parquet --timeline out.html",
        ),
        (
            "a table as it is, with background facts",
            "holdsfor run rules.prolog --events log.csv --mapping mapping.toml --background floor=doors.csv",
        ),
        ("DatalogMTL", "holdsfor run rules.dmtl --events facts.txt"),
    ),
    "rtec": (
        ("an application of RTEC's parameter file", "holdsfor rtec defaults.toml doors --format table"),
        ("the same with another window", "holdsfor rtec defaults.toml doors --window 20 --step 10"),
    ),
    "stream": (
        (
            "files that appear in a folder, until all are read",
            (
                "holdsfor stream rules.prolog --source json --path incoming --mapping mapping.toml --window 100 "
                "--checkpoint state --sink changes --once"
            ),
        ),
    ),
    "map": (
        ("guess a mapping, and write it down", "holdsfor map log.csv --rules rules.prolog -o log.toml"),
        ("look at it first", "holdsfor map log.csv"),
    ),
    "explain": (
        ("why it holds", "holdsfor explain rules.prolog 'open(front)=true' --events events.csv --at 5"),
        ("as a page", "holdsfor explain rules.prolog 'open(front)' --events events.csv --at 20 -o why.html"),
        ("DatalogMTL", "holdsfor explain rules.dmtl 'Recent(front)' --events facts.txt --at 7/2"),
    ),
    "diff": (
        ("two versions of rules", "holdsfor diff old.prolog rules.prolog --events events.csv"),
        ("why the largest difference is there", "holdsfor diff old.prolog rules.prolog --events events.csv --why 1"),
        ("what is committed, and the work tree", "holdsfor diff HEAD --events events.csv -- rules.prolog"),
        ("a page to look at", "holdsfor diff old.prolog rules.prolog --events events.csv -o diff.html"),
    ),
    "backtest": (
        ("how well rules agree with labels", "holdsfor backtest rules.prolog --events events.csv --labels labels.csv"),
        (
            "with reasons, as a page",
            "holdsfor backtest rules.prolog --events events.csv --labels labels.csv --tolerance 2 --why 3 -o backtest.html",
        ),
    ),
    "tune": (
        (
            "the limit that agrees best with labels",
            "holdsfor tune limits.prolog --events speeds.csv --labels slow.csv --vary 'limit(1..9)'",
        ),
        (
            "two constants, and a page with the curve",
            (
                "holdsfor tune limits.prolog --events speeds.csv --labels slow.csv --vary 'limit(1..9)' "
                "--vary 'fi(slow(_)=true, slow(_)=false, 10..60)' -o tuning.html"
            ),
        ),
    ),
    "serve": (("rules and a sample of events", "holdsfor serve rules.prolog --events events.csv"),),
    "check": (
        ("what is wrong with rules", "holdsfor check rules.prolog"),
        ("what the events have that no rule knows", "holdsfor check rules.prolog --events events.csv"),
        ("for other programs", "holdsfor check rules.prolog --strict --json"),
    ),
    "fmt": (
        ("print rules in the usual form", "holdsfor fmt rules.prolog"),
        ("rewrite files", "holdsfor fmt --write rules.prolog rules.dmtl"),
        ("in continuous integration", "holdsfor fmt --check rules.prolog"),
    ),
    "graph": (
        ("for Markdown", "holdsfor graph rules.prolog"),
        ("a picture of the fluents", "holdsfor graph rules.prolog --granularity fluents -o graph.svg"),
    ),
    "plan": (
        ("how rules are evaluated", "holdsfor plan rules.prolog"),
        ("on Spark", "holdsfor plan rules.prolog --spark"),
    ),
    "codes": (("what a code means", "holdsfor codes HF201"),),
    "test": (
        ("a page with rules, events and what is expected", "holdsfor test doors.md"),
        ("rules in a file of their own", "holdsfor test tests.md --rules rules.prolog"),
        ("all pages below a folder", "holdsfor test tests/"),
        ("write what was found into the page", "holdsfor test doors.md --update"),
    ),
    "lsp": (("the command that an editor starts", "holdsfor lsp"),),
    "mcp": (("the command that an assistant starts", "holdsfor mcp"),),
    "grammar": (("for an editor", "holdsfor grammar rtec -o rtec.tmLanguage.json"),),
    "completion": (
        ("for the shell in use", "holdsfor completion --install"),
        ("print it", "holdsfor completion zsh"),
    ),
}
"""Examples by command: the meaning and the command line. Packages with commands add theirs."""


class ExampleCommand(TyperCommand):
    """A command whose help ends with examples, on lines that are not wrapped, so that they can be copied."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """The help, then the examples."""
        super().format_help(ctx, formatter)
        path: list[str] = []
        while ctx.parent is not None:
            path.insert(0, ctx.info_name)
            ctx = ctx.parent
        lines = [typer.style("Examples", bold=True)]
        for what, words in EXAMPLES.get(" ".join(path), ()):
            lines += [typer.style(f"  # {what}", dim=True), f"  {words}"]
        typer.echo("\n".join(lines), color=ctx.color)
