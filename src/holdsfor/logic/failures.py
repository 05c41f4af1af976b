"""Records conditions that failed because an expression has no value, with the rows.

A division by zero does not stop a run: the condition is false for that row. The recorded failures are reported at the
end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from holdsfor.diagnostics import NOWHERE, Span
from holdsfor.ir import Literal
from holdsfor.logic.order import order_key
from holdsfor.logic.unify import is_ground, resolve
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Term

_MOST_ROWS = 1_000_000
"""The most rows that are counted per condition."""
_NAME = re.compile(r"[A-Z_]\w*\Z")
Row = Mapping[str, Term]
"""The variables of a rule with their values."""
Order = tuple[tuple[Any, ...], ...]


@dataclass
class Failure:
    """A condition that failed, with the reason and the first row. `rows` identifies the rows."""

    literal: Literal
    reason: str
    first: Row
    rows: set[object] = field(default_factory=set)
    order: Order | None = None
    """The sort key of the first row."""

    @property
    def span(self) -> Span:
        """The source position of the condition."""
        return self.literal.span

    def shown(self, names: Mapping[str, str] | None = None) -> str:
        """The first row as text; `names` are the names of variables in the rule."""
        called = names or {}
        parts = ((called.get(name, name), print_term(term)) for name, term in self.first.items())
        return ", ".join(f"{name} = {text}" for name, text in parts if _NAME.match(name))


def _place(literal: Literal) -> object:
    span = literal.span
    return literal if span == NOWHERE else (span.source.name, span.start, span.end)


class Failures:
    """All conditions that failed so far. A row that is evaluated again, as in the next window, counts once."""

    def __init__(self) -> None:
        self._found: dict[object, Failure] = {}

    def __iter__(self) -> Iterator[Failure]:
        return iter(self._found.values())

    def __len__(self) -> int:
        return sum(len(failure.rows) for failure in self._found.values())

    def add(self, literal: Literal, reason: str | Callable[[], str], bindings: Mapping[str, Term]) -> None:
        """Records that a condition failed under some bindings.

        The first row is the least one in the standard order of its values, and so the earliest. It does not depend on
        the evaluation order.
        """
        resolved = ((name, resolve(term, bindings)) for name, term in bindings.items() if _NAME.match(name))
        row = {name: term for name, term in resolved if is_ground(term)}
        order = tuple((order_key(term), name) for name, term in row.items())
        failure = self._found.get(_place(literal))
        if failure is None or (failure.order is not None and order < failure.order):
            text = reason if isinstance(reason, str) else reason()
            rows = set() if failure is None else failure.rows
            failure = self._found[_place(literal)] = Failure(literal, text, row, rows, order)
        if len(failure.rows) < _MOST_ROWS:
            failure.rows.add(tuple(row.items()))
