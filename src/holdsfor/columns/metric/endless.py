"""The error of programs that derive facts for ever."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from holdsfor.compiler.metric.rules import Relation
from holdsfor.diagnostics import HoldsforError


class NeverEnds(HoldsforError):
    """A program derives facts for ever: the start and period, if known, and the facts."""

    def __init__(
        self, since: Fraction | None = None, period: Fraction | None = None, relations: Sequence[Relation] = ()
    ) -> None:
        names = ", ".join(str(relation) for relation in relations if relation.is_written)
        super().__init__(f"the program derives facts{f' of {names}' if names else ''} for ever")
        self.since = since
        self.period = period
        self.relations = tuple(relations)
