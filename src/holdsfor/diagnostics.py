"""Sources, spans and diagnostics: everything a message to the rule's author is made of."""

from __future__ import annotations

import sys
import unicodedata
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from holdsfor.records import record

_LONGEST_LINE = 160
"""Longer source lines are shown in part."""


class Severity(StrEnum):
    """The severity of a finding: an error stops compilation, a warning or a note does not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Source:
    """A named text that rules were read from."""

    name: str
    text: str = field(repr=False)

    @cached_property
    def _line_starts(self) -> list[int]:
        starts = [0]
        starts.extend(index + 1 for index, char in enumerate(self.text) if char == "\n")
        return starts

    def line_column(self, offset: int) -> tuple[int, int]:
        """The 1-based line and column of a character offset.

        >>> Source("f", "ab\\ncd").line_column(4)
        (2, 2)
        """
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """The character offset of a 1-based line and column.

        >>> Source("f", "ab\\ncd").offset(2, 2)
        4
        """
        return self._line_starts[line - 1] + column - 1

    def line(self, number: int) -> str:
        """The text of a 1-based line, without its line break."""
        start = self._line_starts[number - 1]
        stop = self.text.find("\n", start)
        return self.text[start : stop if stop >= 0 else len(self.text)].rstrip("\r")


class Span(NamedTuple):
    """A half-open range of characters in a source."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        """The 1-based line on which the span starts."""
        return self.source.line_column(self.start)[0]

    @property
    def location(self) -> str:
        """`file:line:column`, as editors understand it."""
        line, column = self.source.line_column(self.start)
        return f"{self.source.name}:{line}:{column}"

    @property
    def text(self) -> str:
        """The characters covered."""
        return self.source.text[self.start : self.end]


NOWHERE = Span(Source("<built in Python>", ""), 0, 0)
"""The span of rules that were built in Python and have no text."""


@record
class RelatedSpan:
    """A second span of a diagnostic, with a short text."""

    span: Span
    message: str


@record
class Fix:
    """The correction that a hint describes: the text that replaces a span, which may be empty."""

    span: Span
    replacement: str

    def as_json(self) -> dict[str, object]:
        """The change as plain data."""
        return {**_place(self.span), "replacement": self.replacement}


@record
class Diagnostic:
    """One finding: a stable code, what is wrong, where, and what to do about it.

    `fix` is there if the hint leaves nothing open, so that an editor can make the change.
    """

    code: str
    severity: Severity
    message: str
    span: Span
    hint: str = ""
    labels: tuple[RelatedSpan, ...] = ()
    fix: Fix | None = None

    def render(self) -> str:
        """The finding as text: location, source line, carets, hint."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{self.span.location}: {self.severity}[{self.code}]: {self.message}"
        yield from _snippet(self.span, "^")
        for label in self.labels:
            yield f"{label.span.location}: {label.message}"
            yield from _snippet(label.span, "-")
        if self.hint:
            yield f"  = help: {self.hint}"

    def as_json(self) -> dict[str, object]:
        """The finding as plain data, for editors and scripts."""
        return {
            "code": self.code,
            "severity": str(self.severity),
            "message": self.message,
            "file": self.span.source.name,
            **_place(self.span),
            "hint": self.hint,
            "labels": [{"location": label.span.location, "message": label.message} for label in self.labels],
            **({"fix": self.fix.as_json()} if self.fix else {}),
        }


def _place(span: Span) -> dict[str, object]:
    line, column = span.source.line_column(span.start)
    end_line, end_column = span.source.line_column(span.end)
    return {"line": line, "column": column, "end_line": end_line, "end_column": end_column}


def _snippet(span: Span, mark: str) -> Iterator[str]:
    """The first line of a span with marks under it; of a very long line, the part around the span."""
    if not span.source.text:
        return
    number, column = span.source.line_column(span.start)
    line, start = span.source.line(number), column - 1
    end = start + max(1, min(span.end - span.start, len(line) - start))
    first = max(0, start - _LONGEST_LINE // 2) if len(line) > _LONGEST_LINE else 0
    shown = line[first : first + _LONGEST_LINE]
    before, after = "…" * (first > 0), "…" * (first + len(shown) < len(line))
    # Tabs are kept in the padding so that the marks stay under what they mark.
    padding = "".join("\t" if char == "\t" else " " * _columns(char) for char in before + line[first:start])
    width = sum(_columns(char) for char in shown[start - first : end - first]) or 1
    yield f"{number:>5} | {before}{''.join(map(_printable, shown))}{after}"
    yield f"{'':>5} | {padding}{mark * width}"


def _printable(char: str) -> str:
    return char if char.isprintable() or char == "\t" else "\N{REPLACEMENT CHARACTER}"


def _columns(char: str) -> int:
    """The width of a character in columns of a terminal."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def require_text(given: object, what: str) -> None:
    """Raise HoldsforError unless a value is text; messages call it `what`."""
    if not isinstance(given, str):
        kind = "None" if given is None else f"an object of type {type(given).__name__}"
        raise HoldsforError(f"{what} takes the text of rules, not {kind}; holdsfor.load reads them from files")


def warn_caller(message: str) -> None:
    """Warn at the line that called holdsfor, whatever the depth of the call stack."""
    level, frame = 2, sys._getframe(1)  # noqa: SLF001 -- the only way to the caller
    while frame is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == "holdsfor":
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]
    warnings.warn(message, stacklevel=level)


class HoldsforError(Exception):
    """Base of every error that a user can cause."""


class ProgramError(HoldsforError):
    """A program that cannot be compiled; carries all its diagnostics."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("\n\n".join(item.render() for item in self.diagnostics))


def errors_of(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The findings that stop compilation."""
    return [item for item in diagnostics if item.severity is Severity.ERROR]


def in_reading_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sorted by file, place and code, without repetitions."""
    unique = dict.fromkeys(diagnostics)
    return sorted(unique, key=lambda item: (item.span.source.name, item.span.start, item.code))
