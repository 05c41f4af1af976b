"""Converts terms to words of the core and back."""

from __future__ import annotations

from typing import Any

from holdsfor.syntax.numbers import Number, number_text, read_integer
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var

ANYTHING = 7
"""The word of an open variable."""
_LIMIT = 1 << 61


class Words:
    """The words of one core, which numbers the terms that it has seen."""

    def __init__(self, core: Any) -> None:
        self.core = core

    def word(self, term: Term) -> int:
        """The word of a term."""
        found: int
        match term:
            case Const(value=str(name)):
                found = self.core.name(name)
            case Const(value=int() | float() as number):
                found = self.number(number)
            case Compound(name=name, args=args):
                found = self.core.compound(name, [self.word(arg) for arg in args])
            case ListTerm(items=items, tail=tail):
                words = [self.word(item) for item in items]
                found = self.core.list(words) if tail is None else self.core.partial_list(words, self.word(tail))
            case Var():
                found = ANYTHING
        return found

    def of_value(self, value: str | Number | Compound | ListTerm) -> int:
        """The word of a dictionary value."""
        return self.word(value if isinstance(value, Compound | ListTerm) else Const(value))

    def number(self, number: Number) -> int:
        """The word of a number."""
        found: int
        if isinstance(number, float):
            found = self.core.real(number)
        elif -_LIMIT <= number < _LIMIT:
            found = self.core.integer(number)
        else:
            found = self.core.big_integer(number_text(number))
        return found

    def term(self, word: int) -> Term:
        """The term of a word."""
        kind, *parts = self.core.describe(word)
        match kind:
            case "number" | "name":
                return Const(parts[0])
            case "big":
                digits = parts[0].removeprefix("-")
                return Const(-read_integer(digits) if parts[0].startswith("-") else read_integer(digits))
            case "list":
                return ListTerm(tuple(self.term(item) for item in parts[0]))
            case "partial list":
                *items, tail = map(self.term, parts[0])
                return ListTerm(tuple(items), tail)
            case "compound":
                return Compound(parts[0], tuple(self.term(arg) for arg in parts[1]))
            case _:
                return Var("_")
