"""Markdown files as tests: blocks of rules, events and expected intervals.

A block marked `expected` checks all blocks `prolog`, `dmtl`, `events` and `facts` before it, in its section and in the
sections around it. So what stands under a heading is shared by the headings below it, and by no others. Rule files that the
head of the page names (`rules: doors.prolog` between two lines `---`), or that the caller gives, apply to the whole page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from holdsfor.diagnostics import HoldsforError
from holdsfor.io.fact_files import named_table
from holdsfor.loading import METRIC_FILES
from holdsfor.testing.rule_files import head_of
from holdsfor.times import is_duration, is_time

RULES, METRIC, EVENTS, FACTS, EXPECTED = "prolog", "dmtl", "events", "facts", "expected"
TABLE = "table"
"""A table of background facts, as a file alone."""
_GIVEN = frozenset({RULES, METRIC, EVENTS, FACTS})
_OPTIONS = frozenset({"clock_tick", "window", "step", "start", "end", "at"})
_DURATIONS = frozenset({"window", "step", "clock_tick"})
_FOR_RENDERERS = frozenset({"title", "linenums", "hl_lines"})
"""Options for the display of a block on a page."""
_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*$")
_FENCE = re.compile(r"^(?P<indent> {0,3})(?P<fence>`{3,}|~{3,})\s*(?P<info>[^`]*)$")


@dataclass(frozen=True)
class Block:
    """A fenced block; `line` is that of its first line of text, in the file that it names if it names one."""

    language: str
    options: tuple[str, ...]
    text: str
    line: int
    file: Path | None = None


@dataclass(frozen=True)
class Check:
    """The input and the expected results of a run. `options` are those of the run, such as the window."""

    title: str
    path: Path
    given: tuple[Block, ...]
    wanted: Block
    options: dict[str, int | str]

    @property
    def place(self) -> str:
        """The position of the expected results."""
        return f"{self.path}:{self.wanted.line - 1}"

    @property
    def is_metric(self) -> bool:
        """Whether all rules are metric."""
        return bool(self.blocks(METRIC)) and not self.blocks(RULES)

    def blocks(self, language: str) -> list[Block]:
        """The given blocks of one kind."""
        return [block for block in self.given if block.language == language]

    @property
    def tables(self) -> list[Path]:
        """Files with tables of background facts."""
        return [block.file for block in self.blocks(TABLE) if block.file is not None]


@dataclass
class _Section:
    level: int
    title: str
    blocks: list[Block] = field(default_factory=list)


def read_checks(
    path: str | Path, rules: Iterable[str | Path] = (), background: Iterable[str | Path] = ()
) -> list[Check]:
    """All checks of a Markdown file, in order. Files that are given take the place of those that its head names."""
    place = Path(path)
    lines = _text(place).splitlines()
    head = head_of(lines, place)
    files = [*(tuple(rules) or head.rules), *(tuple(background) or head.background)]
    given = [_file_block(Path(file)) for file in files]
    return list(_checks(lines, head.lines, place, given))


def _checks(lines: list[str], begin: int, path: Path, for_all: list[Block]) -> Iterator[Check]:
    """The checks from a line on."""
    sections = [_Section(0, path.name, for_all)]
    for part in _parts(lines, begin, path):
        if isinstance(part, _Section):
            while sections[-1].level >= part.level:
                sections.pop()
            sections.append(part)
        elif part.language in _GIVEN:
            sections[-1].blocks.append(_given(part, path))
        elif part.language == EXPECTED:
            given = tuple(_each_file_once(block for section in sections for block in section.blocks))
            title = " / ".join(section.title for section in sections[1:] if section.level > 1) or sections[-1].title
            yield Check(title, path, given, part, _run_options(part, path))


def _file_block(file: Path) -> Block:
    """A file as a whole: rules by its ending, or a table of facts."""
    if named_table(file) is not None:
        return Block(TABLE, (), "", 1, file)
    language = METRIC if file.name.endswith(METRIC_FILES) else RULES
    return Block(language, (), _text(file).rstrip("\n"), 1, file)


def _each_file_once(blocks: Iterable[Block]) -> Iterator[Block]:
    """Blocks without those of rules whose file was there before."""
    seen = set()
    for block in blocks:
        if block.file is not None and block.language in (RULES, METRIC):
            if block.file.resolve() in seen:
                continue
            seen.add(block.file.resolve())
        yield block


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as problem:
        raise HoldsforError(f"{file} is not a UTF-8 text file (byte {problem.start})") from problem
    except OSError as problem:
        raise HoldsforError(f"cannot read {file}: {problem.strerror or problem}") from problem


def _parts(lines: list[str], begin: int, path: Path) -> Iterator[_Section | Block]:
    """Headings and fenced blocks, from top to bottom."""
    at = begin
    while at < len(lines):
        heading, fence = _HEADING.match(lines[at]), _FENCE.match(lines[at])
        at += 1
        if heading:
            yield _Section(len(heading[1]), heading[2])
        elif fence:
            begin = at
            while at < len(lines) and not _closes(lines[at], fence["fence"]):
                at += 1
            if at == len(lines):
                raise HoldsforError(f"{path}:{begin}: this block is never closed")
            language, *options = fence["info"].split() or [""]
            yield Block(language, tuple(options), "\n".join(lines[begin:at]), begin + 1)
            at += 1


def _closes(line: str, fence: str) -> bool:
    stripped = line.strip()
    return len(stripped) >= len(fence) and set(stripped) == {fence[0]}


def _given(block: Block, path: Path) -> Block:
    """A block of rules or input, with the text of the file that it names: `prolog file=rules.prolog`."""
    place = f"{path}:{block.line - 1}"
    found = block
    for option in block.options:
        name, equals, value = option.partition("=")
        if not equals or name in _FOR_RENDERERS:
            continue
        if name != "file":
            raise HoldsforError(
                f"{place}: {option!r} is not an option of `{block.language}`; it may name a file: "
                f"`{block.language} file=NAME`" + (f", and {name} belongs to `expected`" if name in _OPTIONS else "")
            )
        if block.text.strip():
            raise HoldsforError(f"{place}: this block names a file and has text of its own; make two blocks of it")
        file = path.parent / value.strip("\"'")
        try:
            found = replace(block, text=_text(file).rstrip("\n"), line=1, file=file)
        except HoldsforError as problem:
            raise HoldsforError(f"{place}: {problem}") from problem
    return found


def _run_options(block: Block, path: Path) -> dict[str, int | str]:
    options: dict[str, int | str] = {}
    for option in block.options:
        name, _, value = option.partition("=")
        is_known = name in _OPTIONS and (is_duration if name in _DURATIONS else is_time)(value)
        if not is_known:
            raise HoldsforError(
                f"{path}:{block.line - 1}: {option!r} is not an option; there are {', '.join(sorted(_OPTIONS))}, each with a "
                "whole number: `expected window=10 step=5`, or where rules declare a unit with a time or a duration: "
                "`expected window=1h at=2026-03-01T12:00Z`"
            )
        options[name] = int(value) if re.fullmatch(r"-?\d+", value) else value
    return options
