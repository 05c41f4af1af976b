"""Errors of the builder."""

from __future__ import annotations

from typing import NoReturn

from holdsfor.diagnostics import HoldsforError


class BuilderError(HoldsforError):
    """A mistake in a rule that is written in Python."""


class UnknownName(BuilderError, AttributeError):
    """An unknown function or predicate, used as an attribute."""


class BuilderPiece:
    """The base class of conditions, situations and terms."""

    def _advice(self) -> str:
        """The message for a piece in the place of a condition."""
        return f"{self!r} is not a condition"

    def __bool__(self) -> NoReturn:
        raise BuilderError(
            "Python decides `and`, `or`, `not`, `if` and chained comparisons at once, and a rule is decided later: "
            "write a & b, a | b, ~a, if_(…), and one comparison at a time (0 < X, X < 5)"
        )


def reject_operand(operator: str, other: object) -> NoReturn:
    """Rejects an operand of `&`, `|` or `-`."""
    if isinstance(other, BuilderPiece):
        raise BuilderError(f"{other._advice()}; it cannot stand beside {operator}")
    raise BuilderError(
        f"{other!r} cannot stand beside {operator}. Python applies {operator} before ==, so put each side in "
        f"parentheses: (a(X) == 1) {operator} (b(X) == 2)"
    )


def arguments(count: int) -> str:
    """`1 argument`, `2 arguments`."""
    return f"{count} argument" if count == 1 else f"{count} arguments"


def reject_equality(piece: BuilderPiece) -> NoReturn:
    """Rejects `==` on a condition."""
    raise BuilderError(
        f"{piece!r} is a whole condition and has no value to compare. Python applies ~, &, | and - before ==, so put "
        "the comparison in parentheses: ~(a(X) == 1)"
    )
