"""`completion`: the Tab key in bash, zsh and fish.

The script of a shell calls the command with the line up to the cursor in an environment variable. The answer has a line
per completion, with its meaning behind a tab.
"""

from __future__ import annotations

import os
import shlex
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from holdsfor.cli.common import fail, friendly_errors
from holdsfor.cli.completion_scripts import SCRIPTS
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.outputs import created


class Shell(StrEnum):
    """Supported shells."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(
    shell: Annotated[Shell | None, typer.Argument(help="The shell; that of $SHELL if not given.")] = None,
    install: Annotated[
        bool, typer.Option("--install", help="Write it where the shell finds it, and print the path.")
    ] = False,
) -> None:
    """Print the script that makes a shell complete commands, options, files and fluents, or install it."""
    with friendly_errors():
        chosen = shell or _shell_in_use()
        if not install:
            typer.echo(SCRIPTS[chosen], nl=False)
            return
        for line in _install(chosen):
            typer.echo(line)


def _shell_in_use() -> Shell:
    name = Path(os.environ.get("SHELL", "")).name
    if name not in set(Shell):
        fail(f"$SHELL is {name or 'not set'}; say which shell: holdsfor completion {'|'.join(Shell)}")
    return Shell(name)


def _install(shell: Shell) -> list[str]:
    """Writes the script, and the line that loads it; returns a report."""
    home = Path.home()
    data = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    places = {
        Shell.BASH: (data / "bash-completion" / "completions" / "holdsfor", home / ".bashrc"),
        Shell.ZSH: (data / "holdsfor" / "completion.zsh", Path(os.environ.get("ZDOTDIR") or home) / ".zshrc"),
        Shell.FISH: (_fish_folder(home) / "completions" / "holdsfor.fish", None),
    }
    script, settings = places[shell]
    try:
        script.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise HoldsforError(f"cannot write {script}: {problem.strerror or problem}") from problem
    with created(script) as file:
        file.write(SCRIPTS[shell].encode())
    done = [f"{script} written"]
    if settings is not None:
        line = f"[ -r {shlex.quote(str(script))} ] && . {shlex.quote(str(script))}"
        done += [f"{settings} reads it{' now' if _added(line, settings) else ' already'}: {line}"]
    return [*done, f"Open a new {shell} to use it. To undo it, remove the file{' and the line' if settings else ''}."]


def _fish_folder(home: Path) -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config") / "fish"


def _added(line: str, settings: Path) -> bool:
    """Adds a line to the settings of a shell; returns whether it was missing."""
    try:
        there = settings.read_bytes() if settings.exists() else b""
    except OSError as problem:
        raise HoldsforError(f"cannot read {settings}: {problem.strerror or problem}") from problem
    added = line.encode()
    if added in there.splitlines():
        return False
    with created(settings) as file:
        file.write(there + (b"" if not there or there.endswith(b"\n") else b"\n") + added + b"\n")
    return True
