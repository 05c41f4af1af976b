"""Facts of metric predicates as columns, on the doubled time-line.

Rational times are multiples of a tick, `1 / scale`; the point `t` is the even number `2 * t * scale`, and the gap after
it the odd number that follows. So every interval, open or closed at either end, is half-open over integers, and whatever
works on time-points works on rational time. An end of `FOREVER` and a start of `-FOREVER` are infinite.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from holdsfor.engine.kernels import Ints

Signature = tuple[str, int]
"""A predicate's name and arity."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts of one predicate: a column of codes for each argument, and the interval of each row."""

    args: tuple[Ints, ...]
    start: Ints
    end: Ints

    @property
    def rows(self) -> int:
        """The number of facts."""
        return len(self.start)


@dataclass(frozen=True, slots=True)
class FactSet:
    """Facts of many predicates on a time-line of `scale` ticks to a unit of time."""

    scale: int
    tables: Mapping[Signature, Facts]
