"""Terms: the one syntax tree of rule text, shared by all front ends and the IR.

Equality ignores spans.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import TypeAlias

from holdsfor.diagnostics import NOWHERE, Span
from holdsfor.records import record
from holdsfor.syntax.numbers import plain_number, same_number

_MARK = "#"
"""The first character of a mark on a variable's name; it cannot be written, so it never clashes."""
ANONYMOUS_PREFIX = f"_{_MARK}"
"""Prefix of the names given to `_`."""
DURATION = f"{_MARK}duration"
"""The functor of durations, whose arguments are its numbers and words as text (see `durations`)."""


@record
class Var:
    """A variable. Each `_` in a clause has its own name."""

    name: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    @property
    def is_anonymous(self) -> bool:
        """Whether it was written `_`."""
        return self.name.startswith(ANONYMOUS_PREFIX)

    @property
    def written(self) -> str:
        """The name as written, without the mark that distinguishes it from others.

        >>> Var(marked("X", 2)).written
        'X'
        """
        return self.name.partition(_MARK)[0] or self.name


@record
class Const:
    """A constant: text (an atom) or a number. As in data, 1 and 1.0 are one value; 1.0e17 and 10^17 are two.

    >>> Const(2.0), Const(2) == Const(2.0), Const(10**17) == Const(1e17)
    (Const(value=2), True, False)
    """

    value: str | int | float
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.value.__class__ is float:
            object.__setattr__(self, "value", plain_number(self.value))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Const):
            return NotImplemented
        one, two = self.value, other.value
        if isinstance(one, str) or isinstance(two, str):
            return one == two
        return same_number(one, two)

    def __hash__(self) -> int:
        return hash(self.value)


@record
class Compound:
    """A functor applied to arguments. `,` and `;` are flat and take any number."""

    name: str
    args: tuple[Term, ...]
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@record
class ListTerm:
    """`[a, b | Tail]`; `tail` is None for a closed list."""

    items: tuple[Term, ...]
    tail: Term | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Term: TypeAlias = Var | Const | Compound | ListTerm

EMPTY_LIST = ListTerm(())


@record
class Clause:
    """`head.`, `head :- body.` or `:- body.` (a directive, with no head)."""

    head: Term | None
    body: Term | None
    span: Span = field(default=NOWHERE, compare=False, repr=False)


def marked(name: str, mark: object) -> str:
    """A name that cannot be written, for another variable with the same written name."""
    return f"{name}{_MARK}{mark}"


def is_number(term: Term) -> bool:
    """Whether a term is a number."""
    return isinstance(term, Const) and not isinstance(term.value, str)


def variables(term: Term) -> Iterator[Var]:
    """The variables of a term in reading order, repetitions included.

    >>> [v.name for v in variables(Compound("f", (Var("X"), Compound("g", (Var("Y"), Var("X"))))))]
    ['X', 'Y', 'X']
    """
    if isinstance(term, Var):
        yield term
    elif isinstance(term, Compound):
        for arg in term.args:
            yield from variables(arg)
    elif isinstance(term, ListTerm):
        for item in term.items:
            yield from variables(item)
        if term.tail is not None:
            yield from variables(term.tail)


def conjuncts(term: Term | None) -> tuple[Term, ...]:
    """The goals of a conjunction; a single goal is its own conjunction."""
    if term is None:
        return ()
    if isinstance(term, Compound) and term.name == ",":
        return term.args
    return (term,)


def functor(term: Term) -> tuple[str, int] | None:
    """Name and arity of a term that can be called, or None.

    >>> functor(Const("go")), functor(Compound("go", (Const(1),))), functor(Var("X"))
    (('go', 0), ('go', 1), None)
    """
    if isinstance(term, Compound):
        return None if term.name == DURATION else (term.name, len(term.args))
    if isinstance(term, Const) and isinstance(term.value, str):
        return term.value, 0
    return None


def arguments(term: Term) -> tuple[Term, ...]:
    """The arguments of a compound; empty for other terms."""
    return term.args if isinstance(term, Compound) else ()
