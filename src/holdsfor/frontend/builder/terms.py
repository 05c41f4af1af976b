"""Converts Python values to terms: `True` to the atom true, text to an atom, a list to a list."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import TypeAlias

from holdsfor.frontend.builder.errors import BuilderError, BuilderPiece
from holdsfor.syntax.durations import duration_of, read_duration
from holdsfor.syntax.parser import flatten
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term
from holdsfor.times import nanoseconds


class Termed(BuilderPiece):
    """A piece that can be an argument."""

    def _term(self) -> Term:
        raise NotImplementedError


TermLike: TypeAlias = "Termed | str | float | timedelta | Sequence[TermLike]"
"""A value of an argument: a variable or term, text, a number, a truth value, a timedelta, a list, a tuple."""


def to_term(value: TermLike) -> Term:
    """The term that a Python value stands for.

    >>> from holdsfor.syntax.printer import print_term
    >>> print_term(to_term([True, "fishing", "two words", 2.5, (1, 9)]))
    "[true,fishing,'two words',2.5,(1,9)]"
    """
    if isinstance(value, Termed):
        return value._term()
    if isinstance(value, bool):
        return Const("true" if value else "false")
    if isinstance(value, str):
        return Const(str(value))
    if isinstance(value, numbers.Real):
        return _number(value)
    if isinstance(value, timedelta):
        return duration_of(nanoseconds(value))
    if isinstance(value, list):
        return ListTerm(to_terms(value))
    if isinstance(value, tuple) and len(value) >= 2:
        return apply(",", to_terms(value))
    raise BuilderError(_error_message(value))


def to_length(value: TermLike, what: str) -> Term:
    """The term for a length of time, where text is a duration such as "30 min"."""
    if not isinstance(value, str):
        return to_term(value)
    found = read_duration(value)
    if found is None:
        raise BuilderError(f'{what} takes a number of time-points, a timedelta or text such as "30 min", not {value!r}')
    return found


def to_number(value: TermLike) -> Term:
    """The term for a number, where text may be a duration."""
    found = read_duration(value) if isinstance(value, str) else None
    return to_term(value) if found is None else found


def to_terms(values: Iterable[TermLike]) -> tuple[Term, ...]:
    """Several values, in order."""
    return tuple(to_term(value) for value in values)


def apply(name: str, args: tuple[Term, ...]) -> Term:
    """A name with its arguments; without arguments, the name itself."""
    if not args:
        return Const(name)
    return Compound(name, flatten(name, args) if name in (",", ";") else args)


def _number(value: numbers.Real) -> Const:
    number = int(value) if isinstance(value, numbers.Integral) else float(value)
    if number == math.inf:
        return Const("inf")
    if math.isnan(number) or math.isinf(number):
        raise BuilderError(f"{value} cannot stand in a rule: numbers are finite, or inf")
    return Const(number)


def _error_message(value: object) -> str:
    if isinstance(value, BuilderPiece):
        return f"{value!r} cannot be an argument; an argument is a variable, text, a number, a truth value or a list"
    if isinstance(value, tuple):
        return f"{value!r} is too short: a tuple needs two parts; for a list write [ ]"
    return (
        f"{value!r} ({type(value).__name__}) cannot be an argument; "
        "an argument is a variable, text, a number, a truth value or a list"
    )
