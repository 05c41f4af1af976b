"""Finds words of a question that occur in neither input nor facts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from holdsfor.columns.dictionary import Dictionary
from holdsfor.compiler.analysis.similar import suggest
from holdsfor.explain.questions import Question
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, arguments

_MOST_WORDS = 50_000


def strangers(asked: Question, dictionary: Dictionary) -> Iterator[str]:
    """Notes about such words, with similar known words."""
    for arg in arguments(asked.term):
        for constant in _constants(arg):
            if dictionary.find(constant.value) < 0:
                words = (value for value in dictionary.values if isinstance(value, str))
                close = suggest(str(constant.value), islice(words, _MOST_WORDS))
                hint = f"; did you mean {close}?" if close else ""
                yield f"{print_term(constant)} occurs nowhere in the input{hint}"


def _constants(term: Term) -> Iterator[Const]:
    if isinstance(term, Const):
        yield term
    elif isinstance(term, Compound | ListTerm):
        for part in term.args if isinstance(term, Compound) else term.items:
            yield from _constants(part)
