"""Positions and corrections of findings: the head of a rule or one term of it, not the whole clause."""

from __future__ import annotations

import re

from holdsfor.diagnostics import Fix, Source, Span
from holdsfor.ir import Rule
from holdsfor.syntax.printer import print_constant
from holdsfor.syntax.terms import Term
from holdsfor.syntax.tokens import TokenKind, tokenize

_NAME = re.compile(r"""'(?:[^'\\]|''|\\.)*'|"(?:[^"\\]|""|\\.)*"|\w+""", re.DOTALL)


def head_span(rule: Rule) -> Span:
    """The head of a rule, for findings about the rule as a whole.

    >>> from holdsfor.ir import BackgroundRule
    >>> from holdsfor.syntax.terms import Const
    >>> text = "near(a, b) :- next_to(a, b)."
    >>> head_span(BackgroundRule(Const("near"), (), Span(Source("f", text), 0, len(text)))).text
    'near(a, b)'
    """
    source, start, end = rule.span
    for token in tokenize(Source("", rule.span.text)).tokens:
        if token.text == ":-" or token.kind in (TokenKind.END, TokenKind.EOF):
            break
        end = start + token.end
    return Span(source, start, end)


def span_of(term: Term, otherwise: Span) -> Span:
    """The span of a term, or `otherwise` if the term has no source text."""
    return term.span if term.span.source.text else otherwise


def name_span(span: Span) -> Span | None:
    """The name at the start of a term, including quotes; None if the term starts with something else.

    >>> text = "'my area'(X)"
    >>> name_span(Span(Source("f", text), 0, len(text))).text
    "'my area'"
    """
    found = _NAME.match(span.source.text, span.start, span.end)
    return Span(span.source, span.start, found.end()) if found else None


def other_name(span: Span, name: str) -> Fix | None:
    """A correction that renames the term at a span and keeps its arguments."""
    written = name_span(span)
    return None if written is None else Fix(written, print_constant(name))


def other_text(span: Span, text: str) -> Fix | None:
    """A correction that replaces the text of a span; None if the term was built in Python."""
    return Fix(span, text) if span.source.text else None
