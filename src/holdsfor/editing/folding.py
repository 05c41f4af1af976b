"""Finds foldable ranges of a rule file: clauses of one fluent, long clauses, comments, lists of loaded files."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple

from pygments.token import Comment

from holdsfor.diagnostics import Source, Span
from holdsfor.editing.lexers import MetricLexer, RulesLexer
from holdsfor.editing.occurrences import NameKind
from holdsfor.editing.project import Document
from holdsfor.frontend.dmtl.reader import parse_source
from holdsfor.frontend.rtec.files import loads_files
from holdsfor.syntax.parser import parse
from holdsfor.syntax.terms import conjuncts


class FoldKind(StrEnum):
    """The kind of a range, with the names of the Language Server Protocol; `region` for clauses."""

    REGION = "region"
    COMMENT = "comment"
    IMPORTS = "imports"


class Fold(NamedTuple):
    """Lines that can be folded, 1-based, both included."""

    first: int
    last: int
    kind: FoldKind


class _Part(NamedTuple):
    key: object
    first: int
    last: int


_LOADS = "loads"


def folds(document: Document) -> list[Fold]:
    """All ranges of more than one line. No two start on the same line, because editors could show only one of them."""
    found = [*_of_clauses(_parts(document)), *_of_comments(document)]
    by_line: dict[int, Fold] = {}
    for one in sorted(found, key=lambda fold: fold.first - fold.last):
        if one.last > one.first:
            by_line.setdefault(one.first, one)
    return [by_line[line] for line in sorted(by_line)]


def _of_clauses(parts: Iterable[_Part]) -> Iterator[Fold]:
    for key, group in groupby(parts, key=lambda part: part.key):
        listed = list(group)
        kind = FoldKind.IMPORTS if key == _LOADS else FoldKind.REGION
        yield Fold(listed[0].first, listed[-1].last, kind)
        yield from (Fold(part.first, part.last, kind) for part in listed)


def _parts(document: Document) -> Iterator[_Part]:
    """The clauses of a file with their subjects."""
    named = [one for one in document.names if one.kind not in (NameKind.VARIABLE, NameKind.WORD)]
    starts = [one.span.start for one in named]
    source = document.source
    for place, (span, loads) in enumerate(_clauses(source, is_metric=document.is_metric)):
        inside = named[bisect_left(starts, span.start) : bisect_left(starts, span.end)]
        # The name that a clause defines. Delayed effects define nothing new; their subject is the first name.
        one = next((name for name in inside if name.is_definition), inside[0] if inside else None)
        about = place if one is None else (one.kind, one.name, one.arity)
        first, last = source.line_column(span.start)[0], source.line_column(max(span.start, span.end - 1))[0]
        yield _Part(_LOADS if loads else about, first, last)


def _clauses(source: Source, *, is_metric: bool) -> Iterator[tuple[Span, bool]]:
    if is_metric:
        yield from ((statement.span, False) for statement in parse_source(source).statements)
        return
    for clause in parse(source).clauses:
        yield clause.span, clause.head is None and any(map(loads_files, conjuncts(clause.body)))


def _of_comments(document: Document) -> Iterator[Fold]:
    """Comments over several lines, and consecutive comment lines."""
    source = document.source
    lexer = MetricLexer() if document.is_metric else RulesLexer()
    alone: list[int] = []
    for start, kind, word in lexer.get_tokens_unprocessed(source.text):
        if kind not in Comment:
            continue
        first, column = source.line_column(start)
        if "\n" in word:
            yield Fold(first, first + word.count("\n"), FoldKind.COMMENT)
        elif not source.line(first)[: column - 1].strip():
            alone.append(first)
    for _, run in groupby(enumerate(alone), key=lambda item: item[1] - item[0]):
        lines = [line for _, line in run]
        yield Fold(lines[0], lines[-1], FoldKind.COMMENT)
