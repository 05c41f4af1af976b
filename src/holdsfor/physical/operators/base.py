"""Look-back and retention of an interval operator; the core evaluates it."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto

from holdsfor.physical.instructions import Operate
from holdsfor.physical.model import FOREVER
from holdsfor.records import record


@record
class Dependence:
    """How the result of an operator at a time-point depends on its lists.

    It needs the lists from `back` time-points before it, and is final `lag` time-points after they are. FOREVER means
    without limit.
    """

    back: int = 0
    lag: int = 0


class Nearby(Enum):
    """Which lists of an operator have an interval within `back` and `lag` wherever the result has one."""

    ALL = auto()
    SOME = auto()
    FIRST = auto()
    SECOND = auto()
    NONE = auto()


@record
class Operator:
    """An operator. `dependence` receives the instruction, the greatest possible bound (None if unknown), and whether
    its first list belongs to a fluent, whose intervals are known whole.
    """

    dependence: Callable[[Operate, int | None, bool], Dependence]
    nearby: Nearby


def added(first: int, second: int) -> int:
    """The sum of two distances.

    >>> added(2, 3), added(FOREVER, 1) == FOREVER
    (5, True)
    """
    return FOREVER if FOREVER in (first, second) else min(FOREVER, first + second)
