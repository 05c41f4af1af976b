"""Rule files of a Markdown test: those that the command names, or the lines between `---` at the head of the page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from holdsfor.diagnostics import HoldsforError

_KEY = re.compile(r"(?P<key>[A-Za-z_][\w-]*)\s*:\s*(?P<value>.*)")
_ITEM = re.compile(r"\s*-\s+(?P<value>.+)")
_NAMED = re.compile(r"(?P<table>[A-Za-z_]\w*)=(?P<path>.+)", re.DOTALL)


@dataclass(frozen=True)
class Head:
    """The head of a page between two lines `---`: the number of its lines, and the files that it names."""

    lines: int
    rules: tuple[Path, ...] = ()
    background: tuple[Path, ...] = ()


def head_of(lines: Sequence[str], page: Path) -> Head:
    """The head of a page; other keys than `rules` and `background` are ignored.

    >>> head_of(["---", "title: Doors", "rules: [doors.prolog, areas.prolog]", "---"], Path("tests/doors.md"))
    Head(lines=4, rules=(PosixPath('tests/doors.prolog'), PosixPath('tests/areas.prolog')), background=())
    """
    if not lines or lines[0].rstrip() != "---":
        return Head(0)
    end = next((at for at, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), None)
    if end is None:
        return Head(0)
    named: dict[str, list[Path]] = {"rules": [], "background": []}
    key = ""
    for line in (re.sub(r"(^|\s)#.*", "", line).rstrip() for line in lines[1:end]):
        pair, item = _KEY.fullmatch(line), _ITEM.fullmatch(line)
        if pair is not None:
            key = pair["key"]
        found = pair or item
        if found is not None and key in named:
            named[key] += [_beside(page, name) for name in _values(found["value"])]
    return Head(end + 1, tuple(named["rules"]), tuple(named["background"]))


def tests_in(paths: Iterable[Path]) -> list[Path]:
    """Markdown files: the given ones, and those below a given folder that have expected results."""
    found: list[Path] = []
    for path in paths:
        if not path.is_dir():
            found.append(path)
            continue
        below = [file for file in sorted(path.rglob("*.md")) if not _is_hidden(file, path) and _expects(file)]
        if not below:
            raise HoldsforError(f"{path} has no Markdown file (.md) with a block that is marked `expected`")
        found += below
    return found


def _is_hidden(file: Path, folder: Path) -> bool:
    """Whether a file lies in a folder such as `.venv`, below the given one."""
    return any(part.startswith(".") for part in file.relative_to(folder).parts)


def _expects(file: Path) -> bool:
    """Whether a file has a block that is marked `expected`."""
    return re.search(r"^ {0,3}(`{3,}|~{3,})\s*expected\b", _text(file), re.MULTILINE) is not None


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError as problem:
        raise HoldsforError(f"cannot read {file}: {problem.strerror or problem}") from problem


def _values(text: str) -> list[str]:
    """A name, or several in brackets."""
    listed = text[1:-1].split(",") if text.startswith("[") and text.endswith("]") else [text]
    return [name for one in listed if (name := one.strip().strip("\"'"))]


def _beside(page: Path, name: str) -> Path:
    """A path relative to the page, or `TABLE=path` with such a path."""
    table = None if (page.parent / name).exists() else _NAMED.fullmatch(name)
    return page.parent / name if table is None else Path(f"{table['table']}={page.parent / table['path']}")
