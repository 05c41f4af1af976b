"""`holdsfor fmt`: canonical layout that keeps every comment where it belongs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from holdsfor.diagnostics import ProgramError, Source
from holdsfor.syntax.parser import parse
from holdsfor.syntax.printer import print_clause, print_goal, print_head
from holdsfor.syntax.terms import Clause, Compound, Const, ListTerm, Term, Var, conjuncts
from holdsfor.syntax.tokens import Comment


def format_source(source: Source) -> str:
    """The source in canonical layout: one condition to a line, groups of facts kept together.

    >>> print(format_source(Source("f", "a(X):-b(X),c. % why\\nd( 1 ). d(2).")))
    a(X) :-
        b(X),
        c.  % why
    d(1).
    d(2).
    <BLANKLINE>
    """
    parsed = parse(source)
    if parsed.diagnostics:
        raise ProgramError(parsed.diagnostics)
    return _Layout(source, tuple(map(_with_numbers_as_written, parsed.clauses)), parsed.comments).text()


def _with_numbers_as_written(clause: Clause) -> Clause:
    """Keeps `2.0` and `1e3` as written, although they are parsed as 2 and 1000."""
    head = None if clause.head is None else _as_written(clause.head)
    return replace(clause, head=head, body=None if clause.body is None else _as_written(clause.body))


def _as_written(term: Term) -> Term:
    match term:
        case Const(value=int() | float()):
            # A variable is printed as its name.
            return Var("".join(term.span.text.split()), term.span)
        case Compound(args=args):
            return replace(term, args=tuple(map(_as_written, args)))
        case ListTerm(items=items, tail=tail):
            return replace(term, items=tuple(map(_as_written, items)), tail=None if tail is None else _as_written(tail))
        case _:
            return term


class _Layout:
    def __init__(self, source: Source, clauses: tuple[Clause, ...], comments: tuple[Comment, ...]) -> None:
        self._source = source
        self._clauses = clauses
        self._comments = list(comments)
        self._lines: list[str] = []
        self._cursor = 0

    def text(self) -> str:
        last_end = 0
        for clause in self._clauses:
            self._comments_before(clause.span.start, last_end)
            if self._has_blank_line(self._cursor, clause.span.start):
                self._blank_line()
            self._lines.extend(self._clause_lines(clause))
            self._cursor = clause.span.end
            self._trailing_comment(clause)
            last_end = self._cursor
        self._comments_before(len(self._source.text) + 1, last_end)
        return "\n".join(self._lines).strip("\n") + "\n" if self._lines else ""

    def _clause_lines(self, clause: Clause) -> Iterator[str]:
        inside = self._take_comments(clause.span.start, clause.span.end)
        if not inside or clause.head is None or clause.body is None:
            yield from (comment.text for comment in inside)
            yield from print_clause(clause).split("\n")
            return
        yield f"{print_head(clause.head)} :-"
        yield from self._body_lines(conjuncts(clause.body), inside)

    def _body_lines(self, goals: tuple[Term, ...], inside: list[Comment]) -> Iterator[str]:
        """Goals with the comments between them; a comment after a goal stays on its line."""
        for index, goal in enumerate(goals):
            is_last = index == len(goals) - 1
            while inside and inside[0].start < goal.span.start:
                yield f"    {inside.pop(0).text}"
            text = print_goal(goal) + ("." if is_last else ",")
            if inside and self._same_line(goal.span.end, inside[0]):
                text = f"{text}  {inside.pop(0).text}"
            yield from f"    {text}".split("\n")
        # A comment before the full stop is moved after it.
        yield from (comment.text for comment in inside)

    def _comments_before(self, position: int, previous_end: int) -> None:
        self._cursor = previous_end
        while self._comments and self._comments[0].start < position:
            comment = self._comments.pop(0)
            if self._has_blank_line(self._cursor, comment.start):
                self._blank_line()
            self._lines.append(comment.text)
            self._cursor = comment.end

    def _trailing_comment(self, clause: Clause) -> None:
        if self._comments and self._same_line(clause.span.end, self._comments[0]):
            comment = self._comments[0]
            line_end = self._source.text.find("\n", comment.end)
            rest = self._source.text[comment.end : line_end if line_end >= 0 else len(self._source.text)]
            if not rest.strip():
                self._comments.pop(0)
                self._lines[-1] += f"  {comment.text}"
                self._cursor = comment.end

    def _take_comments(self, start: int, end: int) -> list[Comment]:
        found = [comment for comment in self._comments if start <= comment.start < end]
        self._comments = [comment for comment in self._comments if not start <= comment.start < end]
        return found

    def _same_line(self, end: int, comment: Comment) -> bool:
        between = self._source.text[end : comment.start]
        return "\n" not in between and not between.strip(" \t,.")

    def _has_blank_line(self, start: int, end: int) -> bool:
        between = self._source.text[start:end]
        return any(not line.strip() for line in between.split("\n")[1:-1])

    def _blank_line(self) -> None:
        if self._lines and self._lines[-1]:
            self._lines.append("")
