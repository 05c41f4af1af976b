"""Rule files as a git repository has them at a revision."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from holdsfor.diagnostics import HoldsforError, Source

RULE_FILES = (".prolog", ".pl", ".dmtl")
"""The endings of rule files."""


def is_revision(name: str, folder: Path) -> bool:
    """Whether git has a revision of this name."""
    found = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return found.returncode == 0


def require_revision(name: str, folder: Path) -> None:
    """Say what is wrong if git does not know a revision."""
    if _git(folder, "rev-parse", "--git-dir").returncode:
        raise HoldsforError(f"{name!r} is not a file, and {folder} is not in a git repository, so it is not a revision")
    if not is_revision(name, folder):
        raise HoldsforError(f"{name!r} is neither a file nor a git revision")


def sources_at(revision: str, path: Path) -> list[Source]:
    """The rule files that a path names at a revision: the file, or those below the folder, in order.

    They are called `REVISION:PATH`, with the path as it was given.
    """
    folder = _folder(path)
    require_revision(revision, folder)
    top = Path(_output(folder, "rev-parse", "--show-toplevel").strip()).resolve()
    try:
        inside = path.resolve().relative_to(top).as_posix()
    except ValueError:
        raise HoldsforError(f"{path} lies outside of the git repository {top}") from None
    listed = _output(folder, "ls-tree", "-r", "-z", "--full-tree", "--name-only", revision, "--", inside)
    files = [one for one in listed.split("\0") if one]
    if files == [inside]:
        return [_source(revision, folder, inside, path)]
    rules = sorted(one for one in files if one.endswith(RULE_FILES))
    if not rules:
        raise HoldsforError(f"{revision} has no rule file {path} ({', '.join(RULE_FILES)})")
    return [_source(revision, folder, one, path / PurePosixPath(one).relative_to(inside)) for one in rules]


def _source(revision: str, folder: Path, inside: str, shown: Path) -> Source:
    text = _output(folder, "show", f"{revision}:{inside}")
    return Source(f"{revision}:{shown.as_posix()}", text.removeprefix("\ufeff"))


def _folder(path: Path) -> Path:
    """The nearest folder that exists: the file itself may be there at the revision only."""
    folder = path.absolute()
    while not folder.is_dir():
        folder = folder.parent
    return folder


def _output(folder: Path, *words: str) -> str:
    found = _git(folder, *words)
    if found.returncode:
        raise HoldsforError(f"git {words[0]}: {found.stderr.decode(errors='replace').strip() or 'failed'}")
    try:
        return found.stdout.decode()
    except UnicodeDecodeError as problem:
        raise HoldsforError(f"git {' '.join(words)}: no UTF-8 text (byte {problem.start})") from problem


def _git(folder: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    command: Sequence[str] = ("git", "-C", str(folder), *words)
    try:
        return subprocess.run(command, capture_output=True, check=False)  # noqa: S603 -- git, with words of ours
    except FileNotFoundError:
        raise HoldsforError("git is not installed; it is needed to compare with a revision") from None
