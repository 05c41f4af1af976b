"""What the builder says when the pieces of a rule do not fit together."""

from __future__ import annotations

from typing import NoReturn

from holdsfor.diagnostics import HoldsforError


class BuilderError(HoldsforError):
    """A rule that was put together wrongly in Python."""


class UnknownName(BuilderError, AttributeError):
    """An attribute that stands for a function or a predicate, and there is none of that name."""


class Piece:
    """Base of everything that rules are made of."""

    def _advice(self) -> str:
        """What to say when this piece stands where a condition is needed."""
        return f"{self!r} is not a condition"

    def __bool__(self) -> NoReturn:
        raise BuilderError(
            "Python decides `and`, `or`, `not`, `if` and chained comparisons at once, and a rule is decided later: "
            "write a & b, a | b, ~a, if_(…), and one comparison at a time (0 < X, X < 5)"
        )


def reject_operand(operator: str, other: object) -> NoReturn:
    """Complain about what stands on one side of `&`, `|` or `-`."""
    if isinstance(other, Piece):
        raise BuilderError(f"{other._advice()}; it cannot stand beside {operator}")
    raise BuilderError(
        f"{other!r} cannot stand beside {operator}. Python applies {operator} before ==, so put each side in "
        f"parentheses: (a(X) == 1) {operator} (b(X) == 2)"
    )


def arguments(count: int) -> str:
    """`1 argument`, `2 arguments`."""
    return f"{count} argument" if count == 1 else f"{count} arguments"


def reject_equality(piece: Piece) -> NoReturn:
    """Complain about `==` on something that is already a whole condition."""
    raise BuilderError(
        f"{piece!r} is a whole condition and has no value to compare. Python applies ~, &, | and - before ==, so put "
        "the comparison in parentheses: ~(a(X) == 1)"
    )
