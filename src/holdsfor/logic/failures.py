"""Conditions that failed because an expression in them has no value, with the rows for which they did.

A division by zero is no reason to stop: the condition is false for that row, and the run goes on. What is kept here is
told at its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from holdsfor.diagnostics import NOWHERE, Span
from holdsfor.ir import Literal
from holdsfor.logic.unify import is_ground, resolve
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Term

_MOST_ROWS = 100_000
"""Of one condition, more rows than these are not told apart."""
_NAME = re.compile(r"[A-Z_]\w*\Z")
Row = tuple[tuple[str, str], ...]
"""The variables of a rule and what they stand for, as text."""


@dataclass
class Failure:
    """A condition, why it failed first, and for which rows it did."""

    span: Span
    reason: str
    rows: dict[Row, None] = field(default_factory=dict)

    @property
    def first(self) -> Row:
        """The first row."""
        return next(iter(self.rows))

    @property
    def count(self) -> str:
        """How many rows there are, in words."""
        rows = len(self.rows)
        return f"{rows} or more rows" if rows >= _MOST_ROWS else f"{rows} row{'s' * (rows != 1)}"


class Failures:
    """All conditions that failed so far. A row that is looked at again, as in the next window, counts once."""

    def __init__(self) -> None:
        self._found: dict[object, Failure] = {}

    def __iter__(self) -> Iterable[Failure]:
        return iter(self._found.values())

    def __len__(self) -> int:
        return sum(len(failure.rows) for failure in self._found.values())

    def add(self, literal: Literal, reason: str, bindings: Mapping[str, Term]) -> None:
        """Note that a condition failed under some bindings."""
        named = ((name, resolve(term, bindings)) for name, term in bindings.items() if _NAME.match(name))
        self.add_row(literal, reason, tuple((name, print_term(term)) for name, term in named if is_ground(term)))

    def add_row(self, literal: Literal, reason: str, row: Row) -> None:
        """The same with the row as text."""
        span = literal.span
        key = literal if span is NOWHERE else (span.source.name, span.start, span.end)
        failure = self._found.get(key)
        if failure is None:
            failure = self._found[key] = Failure(span, reason)
        if len(failure.rows) < _MOST_ROWS:
            failure.rows.setdefault(row)
