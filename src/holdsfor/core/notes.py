"""Encodes Python state of an engine, which is saved with the state of the core, as a term."""

from __future__ import annotations

import math

from holdsfor.diagnostics import HoldsforError
from holdsfor.syntax.numbers import Number
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term

NONE = Const("none")
_ENDS = {math.inf: Const("forever"), -math.inf: Const("never")}


def number_note(number: Number | None) -> Term:
    """A number, an end of time, or None as a term."""
    return NONE if number is None else _ENDS.get(number, Const(number))


def read_number(term: Term) -> Number | None:
    """The number in a note."""
    if term == NONE:
        return None
    for end, name in _ENDS.items():
        if term == name:
            return end
    if isinstance(term, Const) and not isinstance(term.value, str):
        return term.value
    raise damaged()


def read_integer_or_none(term: Term) -> int | None:
    """An integer or None."""
    found = read_number(term)
    if found is None or isinstance(found, int):
        return found
    raise damaged()


def read_integer(term: Term) -> int:
    """An integer."""
    found = read_integer_or_none(term)
    if found is None:
        raise damaged()
    return found


def read_text(term: Term) -> str:
    """A name."""
    if isinstance(term, Const) and isinstance(term.value, str):
        return term.value
    raise damaged()


def read_items(term: Term) -> tuple[Term, ...]:
    """The items of a list."""
    if not isinstance(term, ListTerm):
        raise damaged()
    return term.items


def read_parts(term: Term, name: str, count: int) -> tuple[Term, ...]:
    """The arguments of a term with this name."""
    if not isinstance(term, Compound) or term.name != name or len(term.args) != count:
        raise damaged()
    return term.args


def damaged() -> HoldsforError:
    """The error for a note that was not written by this module."""
    return HoldsforError("the saved state is damaged: use another copy, or start again")
