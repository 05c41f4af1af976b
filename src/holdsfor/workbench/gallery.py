"""The bundled examples: rules, events and descriptions from their own pages."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from holdsfor.diagnostics import HoldsforError

_PAGE = "README.md"
_COMMAND = re.compile(r"^(?:\$ | {4})holdsfor run ((?:.*\\\n)*.*)", re.MULTILINE)
_MARKUP = re.compile(r"\[([^\]]*)\]\([^)]*\)|[*`]")
_TAKES_VALUES = ("--window", "--step", "--unit")


@dataclass(frozen=True)
class Example:
    """An example: the text of its page, its files, and the options of its runs."""

    name: str
    title: str
    about: str
    rules: tuple[Path, ...]
    events: tuple[Path, ...]
    background: tuple[Path, ...] = ()
    mapping: Path | None = None
    unit: str | None = None
    window: str = ""
    step: str = ""


def example(name: str) -> Example:
    """An example by its name; other folders are refused."""
    for one in examples():
        if one.name == name:
            return one
    raise HoldsforError(f"there is no example {name!r}")


@cache
def examples() -> tuple[Example, ...]:
    """All examples, in order of their titles; none if they were not installed."""
    folder = examples_folder()
    found = [] if folder is None else [one for path in folder.iterdir() if (one := _example(path)) is not None]
    # A title says what an example is about: those that are about the tools come last.
    return tuple(sorted(found, key=lambda one: (":" not in one.title, one.title)))


def examples_folder() -> Path | None:
    """The folder of the examples: in the package, or beside the sources of a checkout."""
    package = Path(str(files("holdsfor")))
    places = (package / "examples", package.parents[1] / "examples")
    return next((place for place in places if (place / _PAGE).is_file()), None)


def _example(folder: Path) -> Example | None:
    page = folder / _PAGE
    if not page.is_file():
        return None
    text = page.read_text(encoding="utf-8")
    title, about = _title_and_about(text)
    words = _words(text)
    options = _Options(folder, words)
    rules = options.rules() or _there(folder, ("rules.prolog", "rules.dmtl"))[:1]
    events = options.files("--events") or _there(folder, ("events.csv", "events.jsonl", "facts.txt"))[:1]
    if not rules or not events:
        return None
    mapping = options.files("--mapping") or (() if words else _there(folder, ("mapping.toml",)))
    return Example(
        folder.name,
        title,
        about,
        rules,
        events,
        options.files("--background"),
        mapping[0] if mapping else None,
        options.value("--unit") or None,
        options.value("--window"),
        options.value("--step"),
    )


def _title_and_about(text: str) -> tuple[str, str]:
    """The title of a page and its first paragraph, without marks.

    >>> _title_and_about("# A: b\\n\\nFirst *line*\\nof [it](x.md).\\n\\nMore.")
    ('A: b', 'First line of it.')
    """
    first, *rest = re.split(r"\n\s*\n", text.strip())
    about = next((part for part in rest if not part.startswith(("```", "    ", "|", "!", "#"))), "")
    return _plain(first.lstrip("# ")), _plain(about)


def _plain(text: str) -> str:
    return " ".join(_MARKUP.sub(r"\1", text).split())


def _words(text: str) -> list[str]:
    """The words of the first command of a page that runs rules."""
    found = _COMMAND.search(text)
    return [] if found is None else shlex.split(found[1].replace("\\\n", " "))


@dataclass(frozen=True)
class _Options:
    """The words of a command; files are those of the example's folder."""

    folder: Path
    words: Sequence[str]

    def rules(self) -> tuple[Path, ...]:
        """The words before the first option."""
        end = next((at for at, word in enumerate(self.words) if word.startswith("-")), len(self.words))
        return tuple(self._path(word) for word in self.words[:end] if self._path(word).is_file())

    def files(self, option: str) -> tuple[Path, ...]:
        """The files of an option, which may have a name before them (`tier=customers.csv`)."""
        return tuple(self._named(word) for word in self._of(option))

    def value(self, option: str) -> str:
        """The word after an option."""
        return next(self._of(option), "")

    def _of(self, option: str) -> Iterator[str]:
        for at, word in enumerate(self.words[:-1]):
            if word == option and (option in _TAKES_VALUES or self._is_there(self.words[at + 1])):
                yield self.words[at + 1]

    def _is_there(self, word: str) -> bool:
        path = self._path(word.rpartition("=")[2])
        return path.exists() or ("*" in path.name and any(path.parent.glob(path.name)))

    def _named(self, word: str) -> Path:
        name, equals, path = word.rpartition("=")
        return Path(f"{name}{equals}{self._path(path)}")

    def _path(self, word: str) -> Path:
        """Pages name files from the folder that holds all examples."""
        return self.folder.parent.parent / word if word.startswith("examples/") else self.folder / Path(word).name


def _there(folder: Path, names: Sequence[str]) -> tuple[Path, ...]:
    return tuple(folder / name for name in names if (folder / name).is_file())
