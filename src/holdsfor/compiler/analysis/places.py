"""Where a finding points: the head of a rule or one term of it, not the whole clause."""

from __future__ import annotations

from holdsfor.diagnostics import Source, Span
from holdsfor.ir import Rule
from holdsfor.syntax.terms import Term
from holdsfor.syntax.tokens import Kind, tokenize


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
        if token.text == ":-" or token.kind in (Kind.END, Kind.EOF):
            break
        end = start + token.end
    return Span(source, start, end)


def span_of(term: Term, otherwise: Span) -> Span:
    """The span of a term, or another one if the term was not written but made."""
    return term.span if term.span.source.text else otherwise
