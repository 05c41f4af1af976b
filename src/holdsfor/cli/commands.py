"""The commands: those of this package, and those that installed packages add as entry points.

Entry points are looked up only for a command that is not built in, and for help: reading the metadata of installed
packages takes longer than a run on a small file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, cast

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    import typer

BUILT_IN = {
    "run": "run",
    "rtec": "rtec",
    "stream": "stream",
    "map": "map",
    "explain": "explain",
    "diff": "diff",
    "backtest": "backtest",
    "tune": "tune",
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
    "mcp": "mcp",
}
"""Every command of this package and the module that defines it."""

GROUP = "holdsfor.commands"
"""The group of entry points that add commands: a function with Typer annotations, or a `typer.Typer` with subcommands."""


class Command(NamedTuple):
    """A command by name: a function, or a group of commands."""

    name: str
    target: Callable[..., None] | typer.Typer
    package: str = ""
    """The package that adds the command; empty for a built-in command."""


class CannotLoad(Exception):
    """An entry point whose module cannot be imported."""


def built_in(name: str) -> Command:
    """A command of this package."""
    return Command(name, getattr(import_module(f"holdsfor.cli.{BUILT_IN[name]}"), name))


def added(name: str) -> Command | None:
    """The command of that name that an installed package adds, if there is one."""
    entry = _entry_points().get(name)
    return None if entry is None else _load(entry)


def all_commands(on_problem: Callable[[CannotLoad], None]) -> Iterator[Command]:
    """Built-in commands, then added ones by name. A broken package must not take away the help of the others."""
    yield from map(built_in, BUILT_IN)
    for entry in _entry_points().values():
        try:
            yield _load(entry)
        except CannotLoad as problem:
            on_problem(problem)


def _entry_points() -> dict[str, EntryPoint]:
    """Entry points by name. Built-in commands cannot be replaced; of two packages the first on the path wins."""
    from importlib.metadata import entry_points

    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=GROUP):
        if entry.name not in BUILT_IN:
            found.setdefault(entry.name, entry)
    return dict(sorted(found.items()))


def _load(entry: EntryPoint) -> Command:
    package = entry.module.partition(".")[0]
    try:
        return Command(entry.name, cast("Callable[..., None]", entry.load()), package)
    except (ImportError, AttributeError) as problem:
        raise CannotLoad(f"the command {entry.name} of the package {package} cannot be loaded: {problem}") from problem
