"""Tracks the position in a text, with blanks, comments and findings: the base of the parser of metric rules.

There are no tokens, because the meaning of a character depends on its context. `Diamondminus(0,1)` is followed by an
interval and `P(0,1)` by arguments, and an argument may contain almost any character.
"""

from __future__ import annotations

import re
from typing import NoReturn

from holdsfor.diagnostics import Diagnostic, Fix, RelatedSpan, Severity, Source, Span
from holdsfor.frontend.dmtl.constants import QUOTED
from holdsfor.syntax.tokens import Comment

_BYTE_ORDER_MARK = "\ufeff"
_BLANKS = re.compile(r"\s*")
_WORD = re.compile(r"[^\W\d]\w*")
_SHOWN = re.compile(r"\w+|:-|<->|<\+>|\[[-+]\]|\|\||[<>=!]=|.", re.DOTALL)
_FULL_STOP = re.compile(r"\.(?=\s|\Z)")
_ENDS_OPEN = re.compile(r"(?:,|:-)[ \t\r]*\Z")

_LONGEST_BRACKET = 2_000
"""The search range for a closing bracket, so that an unclosed one does not cost the whole file."""


class MetricSyntaxProblem(Exception):
    """Unwinds the parser to the end of the rule; the diagnostic is already recorded."""


class Scanner:
    """Reads a source from left to right. `position` is the current position, `end` the end of what was last read."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.position = len(source.text) - len(source.text.removeprefix(_BYTE_ORDER_MARK))
        self.end = self.position
        self.start = self.position
        self.comments: dict[int, Comment] = {}
        self.diagnostics: list[Diagnostic] = []

    # Reading

    def skip(self) -> str:
        """Skips blanks and comments; returns the next character, or nothing at the end."""
        text = self.text
        position = _BLANKS.match(text, self.position).end()  # type: ignore[union-attr]
        while text.startswith(("#", "%"), position):
            stop = text.find("\n", position)
            stop = stop if stop >= 0 else len(text)
            self.comments[position] = Comment(text[position:stop].rstrip(), position, stop)
            position = _BLANKS.match(text, stop).end()  # type: ignore[union-attr]
        self.position = position
        return text[position : position + 1]

    def accept(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Reads a match after blanks; None if there is none."""
        self.skip()
        found = pattern.match(self.text, self.position)
        if found is not None:
            self.position = self.end = found.end()
        return found

    def accept_text(self, text: str) -> bool:
        """Reads a text after blanks, if it comes next."""
        self.skip()
        if not self.text.startswith(text, self.position):
            return False
        self.position = self.end = self.position + len(text)
        return True

    def next_word(self) -> str:
        """The next word, without reading it."""
        self.skip()
        found = _WORD.match(self.text, self.position)
        return found.group() if found else ""

    def on_new_line(self) -> bool:
        """Whether the next item is on another line than the last one, or the text ends."""
        return not self.skip() or "\n" in self.text[self.end : self.position]

    def after_bracket(self, position: int) -> int | None:
        """The position after the bracket that matches the one at `position`, or None."""
        depth, stop = 0, min(len(self.text), position + _LONGEST_BRACKET)
        while position < stop:
            char = self.text[position]
            if char in "'\"" and (found := QUOTED.match(self.text, position)):
                position = found.end()
                continue
            depth += (char == "(") - (char == ")")
            position += 1
            if depth == 0:
                return position
        return None

    def span(self, start: int, end: int | None = None) -> Span:
        """The span from `start` to `end`, or to the end of what was last read."""
        return Span(self.source, start, self.end if end is None else end)

    # Errors

    def report_error(
        self,
        span: Span,
        message: str,
        hint: str,
        code: str,
        label: RelatedSpan | None = None,
        replacement: str | None = None,
    ) -> None:
        """Records an error and continues. `replacement` is the corrected text, if the hint contains one."""
        labels = (label,) if label else ()
        fix = None if replacement is None else Fix(span, replacement)
        self.diagnostics.append(Diagnostic(code, Severity.ERROR, message, span, hint, labels, fix))

    def fail(
        self,
        span: Span,
        message: str,
        hint: str,
        code: str = "HF001",
        label: RelatedSpan | None = None,
        replacement: str | None = None,
    ) -> NoReturn:
        """Records an error and abandons the rule."""
        self.report_error(span, message, hint, code, label, replacement)
        raise MetricSyntaxProblem

    def here(self) -> Span:
        """The span of the next item; at the end of a line, of the last one."""
        if self.on_new_line() and self.end > self.start:
            return self.span(max(self.start, self.end - 1), self.end)
        return self.ahead()

    def ahead(self) -> Span:
        """The span of the next item on any line."""
        self.skip()
        found = QUOTED.match(self.text, self.position) or _SHOWN.match(self.text, self.position)
        return self.span(self.position, found.end() if found else self.position)

    def shown(self) -> str:
        """The next item as shown in messages."""
        if not self.skip():
            return "the end of the file"
        return "the end of the line" if self.on_new_line() else self.ahead().text

    def recover(self) -> None:
        """Skips to the next rule: past a full stop, or to a line that starts a rule."""
        text, position = self.text, max(self.end, self.start + 1)
        indent = self._indent(self.start)
        while True:
            stop = text.find("\n", position)
            stop = stop if stop >= 0 else len(text)
            if full_stop := _FULL_STOP.search(text, position, stop):
                self.position = full_stop.end()
                return
            before = text[text.rfind("\n", 0, stop) + 1 : stop]
            position = self.position = min(stop + 1, len(text))
            following = self.skip()
            is_deeper = self._indent(self.position) > indent
            if not following or not (is_deeper or following in ",)" or _ENDS_OPEN.search(before)):
                self.end = self.position
                return

    def _indent(self, position: int) -> int:
        return position - self.text.rfind("\n", 0, position) - 1
