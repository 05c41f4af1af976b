"""Collects the names in clauses that could not be parsed.

Such a clause may define any name it mentions, so none of these names is reported as missing.
"""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.diagnostics import Source, Span
from holdsfor.ir import Program
from holdsfor.syntax.tokens import TokenKind, tokenize


def unread_names(program: Program) -> frozenset[str]:
    """The names in erroneous sources outside the parsed rules.

    >>> from holdsfor.frontend.rtec import parse_program
    >>> sorted(unread_names(parse_program([Source("f", "a(b. c(d).")])))
    ['a', 'b']
    """
    sources = dict.fromkeys(finding.span.source for finding in program.diagnostics)
    return frozenset(name for source in sources for name in _names_outside(source, program))


def _names_outside(source: Source, program: Program) -> Iterator[str]:
    position = 0
    for span in sorted(_clauses(source, program)):
        yield from names_in(source.text[position : span[0]])
        position = max(position, span[1])
    yield from names_in(source.text[position:])


def _clauses(source: Source, program: Program) -> Iterator[tuple[int, int]]:
    return ((rule.span.start, rule.span.end) for rule in program.rules if rule.span.source is source)


def names_in(text: str) -> Iterator[str]:
    """The names in a text, without comments."""
    return (token.text for token in tokenize(Source("", text)).tokens if token.kind is TokenKind.NAME)


def names_in_span(span: Span) -> frozenset[str]:
    """The names in a span."""
    return frozenset(names_in(span.text))
