"""Completes command lines: commands, options, values, files by their kind, fluents."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from types import UnionType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

import typer
from typer.models import ArgumentInfo

from holdsfor.diagnostics import HoldsforError
from holdsfor.engine_names import Engine

_RULES = (".prolog", ".pl", ".dmtl")
_TABLES = (".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".parquet", ".pq")
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
_DATA = (*_TABLES, ".txt", *_COMPRESSED)
_KINDS: dict[str, tuple[str, ...]] = {
    "rules": _RULES,
    "files": _RULES,
    "test files": (".md",),
    "events": _DATA,
    "background": (*_RULES, *_TABLES, *_COMPRESSED),
    "mapping": (".toml",),
    "rtec file": (".toml",),
    "map file": _DATA,
    "timeline": (".html", ".svg", ".png"),
    "tracks": _DATA,
    "areas": (".geojson", ".json"),
}
"""File name endings by parameter, or by command and parameter; other parameters accept any file."""
_FOLDERS = frozenset({"attach", "checkpoint", "sink", "history", "side", "derived", "stream path"})
"""Parameters that are folders, besides those declared with `file_okay=False`."""


_WORD = re.compile(r"""(?:\\.|'[^']*(?:'|$)|"(?:\\.|[^"\\])*(?:"|$)|[^\s'"\\])+""")
"""A word of a command line; a quotation mark may be open."""


class Item(NamedTuple):
    """A completion and its meaning."""

    word: str
    meaning: str = ""


class CommandLine(NamedTuple):
    """A command line up to the cursor: complete words, and the incomplete last one."""

    words: list[str]
    begun: str


def line_of(text: str) -> CommandLine:
    """The words of a line, split as by a shell; a quotation mark may be open.

    >>> line_of("holdsfor run 'my rules.prolog' --ev")
    CommandLine(words=['run', 'my rules.prolog'], begun='--ev')
    """
    found = list(_WORD.finditer(text))
    words = [re.sub(r"""\\(.)|['"]""", lambda sign: sign[1] or "", word[0]) for word in found]
    begun = words.pop() if found and found[-1].end() == len(text) else ""
    return CommandLine(words[1:], begun)


class CommandParameter:
    """A parameter of a command as declared for Typer: its words, and the type of its value."""

    def __init__(self, name: str, hint: Any) -> None:
        kind, info = get_args(hint)
        if isinstance(kind, UnionType):
            kind = next(one for one in get_args(kind) if one is not type(None))
        self.name, self.help, self.hidden = name, info.help or "", info.hidden
        self.is_argument = isinstance(info, ArgumentInfo)
        self.is_list = get_origin(kind) is list
        self.is_flag = kind is bool
        self.is_folder = not info.file_okay
        self.kind = get_args(kind)[0] if self.is_list else kind
        # The first word of an annotation stands where a default would stand otherwise.
        declared = [word for word in (info.default, *(info.param_decls or ())) if str(word).startswith("-")]
        plain = name.replace("_", "-")
        self.words = [one for word in declared for one in word.split("/")]
        self.words = self.words or [f"--{plain}", *([f"--no-{plain}"] if self.is_flag else [])]


class CommandWords:
    """A command: its parameters and its meaning."""

    def __init__(self, name: str, function: Callable[..., None]) -> None:
        self.name, self.meaning = name, _first_sentence(function.__doc__ or "")
        hints = get_type_hints(function, include_extras=True)
        self.parameters = [CommandParameter(one, hint) for one, hint in hints.items() if one != "return"]

    def option(self, word: str) -> CommandParameter | None:
        """The option with this word, if any."""
        return next((one for one in self.parameters if not one.is_argument and word in one.words), None)


def items_for(line: CommandLine, app: typer.Typer) -> list[Item]:
    """The completions at the cursor of a command line."""
    path: list[str] = []
    rest = list(line.words)
    while rest and (group := next((one for one in app.registered_groups if one.name == rest[0]), None)) is not None:
        assert group.typer_instance is not None
        app = group.typer_instance
        path.append(rest.pop(0))
    functions = {one.callback.__name__: one.callback for one in app.registered_commands if one.callback is not None}
    if not rest or rest[0] not in functions:
        groups = {str(one.name): _first_sentence(_help_of(one)) for one in app.registered_groups}
        commands = {name: CommandWords(name, function).meaning for name, function in functions.items()} | groups
        options = {"--help": "Show this message and exit."} | ({} if path else {"--version": "Print the version."})
        shown = options if line.begun.startswith("-") else commands
        return [Item(*one) for one in shown.items() if one[0].startswith(line.begun) and not rest]
    command = CommandWords(" ".join([*path, rest[0]]), functions[rest[0]])
    return _parameter_items(command, rest[1:], line)


def _help_of(group: Any) -> str:
    """The help of a group; Typer has a placeholder in its place if it is that of the application."""
    given = group.help if isinstance(group.help, str) else group.typer_instance.info.help
    return given if isinstance(given, str) else ""


def _parameter_items(command: CommandWords, words: Sequence[str], line: CommandLine) -> list[Item]:
    used, waiting, positional = _read(words, command)
    option, equals, value = line.begun.partition("=")
    if line.begun.startswith("--") and equals:
        waiting, prefix, begun = command.option(option), f"{option}=", value
        found = _values(waiting, command, begun, line) if waiting is not None else []
    else:
        prefix, begun = "", line.begun
        if waiting is not None:
            found = _values(waiting, command, begun, line)
        elif begun.startswith("-") and begun != "-":
            found = list(_options(command, used))
        else:
            found = _arguments(command, positional, begun, line)
    return [Item(prefix + item.word, item.meaning) for item in found if item.word.startswith(begun)]


def _read(words: Sequence[str], command: CommandWords) -> tuple[set[str], CommandParameter | None, int]:
    """The used options, the option whose value is next, and the number of other words."""
    used: set[str] = set()
    positional = 0
    rest = iter(words)
    for word in rest:
        option = command.option(word.partition("=")[0]) if word.startswith("-") else None
        if option is None:
            positional += not word.startswith("--")
            continue
        used.add(option.name)
        if not option.is_flag and "=" not in word and next(rest, None) is None:
            return used, option, positional
    return used, None, positional


def _options(command: CommandWords, used: set[str]) -> Iterator[Item]:
    for one in command.parameters:
        if one.is_argument or one.hidden or (one.name in used and not one.is_list):
            continue
        yield from (Item(word, _first_sentence(one.help)) for word in one.words if word.startswith("--"))
    yield Item("--help", "Show this message and exit.")


def _arguments(command: CommandWords, positional: int, begun: str, line: CommandLine) -> list[Item]:
    wanted = [one for one in command.parameters if one.is_argument]
    index = min(positional, len(wanted) - 1)
    if not wanted or (positional > index and not wanted[index].is_list):
        return []
    return _values(wanted[index], command, begun, line)


def _values(parameter: CommandParameter, command: CommandWords, begun: str, line: CommandLine) -> list[Item]:
    """The values that a parameter can have."""
    keys = (f"{command.name} {parameter.name}", parameter.name)
    own = next((_OWN[key] for key in keys if key in _OWN), None)
    if own is not None:
        return list(own(line))
    if issubclass(parameter.kind, StrEnum):
        return [Item(str(one)) for one in parameter.kind]
    if parameter.is_folder or any(key in _FOLDERS for key in keys):
        return list(_files(begun, ()))
    if not issubclass(parameter.kind, Path):
        return []
    if parameter.name == "background" and re.match(r"[A-Za-z_]\w*=", begun):
        table, _, path = begun.partition("=")
        return [Item(f"{table}={item.word}") for item in _files(path, (*_TABLES, *_COMPRESSED))]
    fitting = list(_files(begun, next((_KINDS[key] for key in keys if key in _KINDS), None)))
    # With any other ending, the word is the beginning of a file name.
    return fitting if not begun or any(one.word.startswith(begun) for one in fitting) else list(_files(begun, None))


def _files(begun: str, endings: tuple[str, ...] | None) -> Iterator[Item]:
    """Folders, and files with some endings, whose path begins with a text."""
    folder, slash, name = begun.rpartition("/")
    place = Path(folder + slash).expanduser() if folder or slash else Path()
    try:
        entries = sorted(place.iterdir())
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(".") and not name.startswith("."):
            continue
        if entry.is_dir():
            yield Item(f"{folder}{slash}{entry.name}/")
        elif endings is None or entry.name.lower().endswith(endings):
            yield Item(f"{folder}{slash}{entry.name}")


def _fluents(line: CommandLine) -> Iterator[Item]:
    """The fluents or predicates that the rule files of a line define."""
    files = [Path(word) for word in line.words if word.endswith(_RULES) and Path(word).is_file()]
    if files and all(path.name.endswith(".dmtl") for path in files):
        from holdsfor.cli.metric import load_metric_files

        yield from map(Item, sorted({rule.head.predicate for rule in load_metric_files(files).program.rules}))
    elif files:
        from holdsfor.cli.common import load_files
        from holdsfor.compiler.analysis.entities import EntityKind

        found = load_files(files).plan.outputs
        yield from map(Item, sorted({one.name for one in found if one.kind is EntityKind.FLUENT}))


def _codes(_line: CommandLine) -> Iterator[Item]:
    from holdsfor.codes import all_codes

    yield from (Item(code, title) for code, title in all_codes().items())


def _engines(_line: CommandLine) -> Iterator[Item]:
    yield from (Item(str(one)) for one in Engine)


def _applications(line: CommandLine) -> Iterator[Item]:
    """The applications of a parameter file of RTEC."""
    files = [Path(word) for word in line.words if word.endswith(".toml") and Path(word).is_file()]
    for file in files[:1]:
        tables = tomllib.loads(file.read_text(encoding="utf-8-sig"))
        yield from (Item(name) for name, table in tables.items() if isinstance(table, dict))


_OWN: dict[str, Callable[[CommandLine], Iterable[Item]]] = {
    "fluent": _fluents,
    "codes code": _codes,
    "rtec application": _applications,
    "test engine": _engines,
}
"""Parameters whose values are computed."""


def _first_sentence(text: str) -> str:
    """The first sentence of a help text.

    >>> _first_sentence("Window size in time-points; not for .dmtl.")
    'Window size in time-points'
    """
    return re.split(r"(?<=[\w)])[.;]\s|\.$", " ".join(text.split()), maxsplit=1)[0]


def answer(text: str, shell: str, app: typer.Typer) -> Iterator[str]:
    """The completions as lines for a shell. Errors in rule files are ignored."""
    line = line_of(text)
    try:
        items = items_for(line, app)
    except (HoldsforError, OSError, ValueError):
        return
    # Bash treats the text behind these characters as a separate word.
    breaks = [at for at, sign in enumerate(line.begun) if sign in "=:"] if shell == "bash" else []
    cut = breaks[-1] + 1 if breaks else 0
    for item in items:
        yield "\t".join(filter(None, (item.word[cut:], item.meaning)))
