"""`holdsfor fmt` for metric rules: canonical layout that keeps every comment where it belongs."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.diagnostics import ProgramError, Source
from holdsfor.frontend.dmtl.reader import parse_source
from holdsfor.frontend.dmtl.unparse import head_text, literal_text, metric_text
from holdsfor.ir.metric import MetricDirective, MetricFact, MetricRule
from holdsfor.syntax.tokens import Comment

_LONGEST_LINE = 100
_INDENT = "    "


def format_metric(source: Source) -> str:
    """The source in canonical layout: a rule on one line, or, if it is long, a condition to a line.

    >>> print(format_metric(Source("f", "Q( X ):-<->[0,2]P(X) ,R( X). # why\\nP(a) @ 3")))
    Q(X) :- Diamondminus[0,2] P(X), R(X)  # why
    P(a)@3
    <BLANKLINE>
    """
    parsed = parse_source(source)
    if parsed.diagnostics:
        raise ProgramError(parsed.diagnostics)
    return _Layout(source, parsed.comments).text(
        sorted([*parsed.statements, *parsed.directives], key=lambda statement: statement.span.start)
    )


class _Layout:
    def __init__(self, source: Source, comments: list[Comment]) -> None:
        self._text = source.text
        self._comments = comments
        self._lines: list[str] = []
        self._cursor = 0

    def text(self, statements: list[MetricRule | MetricFact | MetricDirective]) -> str:
        for statement in statements:
            self._comments_before(statement.span.start)
            if self._has_blank_line(statement.span.start):
                self._blank_line()
            inside = self._take(statement.span.end)
            self._lines.extend(_lines_of(statement, inside, self._text))
            self._cursor = statement.span.end
            self._trailing_comment()
        self._comments_before(len(self._text) + 1)
        return "\n".join(self._lines).strip("\n") + "\n" if self._lines else ""

    def _comments_before(self, position: int) -> None:
        for comment in self._take(position):
            if self._has_blank_line(comment.start):
                self._blank_line()
            self._lines.append(comment.text)
            self._cursor = comment.end

    def _take(self, stop: int) -> list[Comment]:
        found = [comment for comment in self._comments if comment.start < stop]
        self._comments = self._comments[len(found) :]
        return found

    def _trailing_comment(self) -> None:
        """Keeps a comment on the last line of a rule there."""
        if self._comments and not self._text[self._cursor : self._comments[0].start].strip(" \t."):
            comment = self._comments.pop(0)
            self._lines[-1] += f"  {comment.text}"
            self._cursor = comment.end

    def _has_blank_line(self, end: int) -> bool:
        return any(not line.strip() for line in self._text[self._cursor : end].split("\n")[1:-1])

    def _blank_line(self) -> None:
        if self._lines and self._lines[-1]:
            self._lines.append("")


def _lines_of(
    statement: MetricRule | MetricFact | MetricDirective, comments: list[Comment], text: str
) -> Iterator[str]:
    line = metric_text(statement)
    if isinstance(statement, MetricFact | MetricDirective):
        yield from (comment.text for comment in comments)
        yield line
    elif not comments and len(line) <= _LONGEST_LINE:
        yield line
    else:
        yield f"{head_text(statement)} :-"
        yield from _body_lines(statement, list(comments), text)


def _body_lines(rule: MetricRule, comments: list[Comment], text: str) -> Iterator[str]:
    """Conditions with the comments between them; a comment after a condition stays on its line."""
    for index, literal in enumerate(rule.body):
        is_last = index == len(rule.body) - 1
        while comments and comments[0].start < literal.span.start:
            yield f"{_INDENT}{comments.pop(0).text}"
        line = f"{_INDENT}{literal_text(literal)}{'.' if is_last else ','}"
        within = [comment for comment in comments if comment.start < literal.span.end]
        del comments[: len(within)]
        if comments and not is_last and not text[literal.span.end : comments[0].start].strip(" \t,"):
            line = f"{line}  {comments.pop(0).text}"
        yield from (f"{_INDENT}{comment.text}" for comment in within)
        yield line
