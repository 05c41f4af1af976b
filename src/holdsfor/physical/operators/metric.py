"""Metric operators read from `low` to `high` time-points back or ahead, at some or at all time-points.

Without a limit they read the whole past, or wait for ever.
"""

from __future__ import annotations

from holdsfor.physical.instructions import Operate
from holdsfor.physical.model import FOREVER
from holdsfor.physical.operators.base import Dependence, Nearby, Operator


def _far(one: Operate) -> int:
    high = one.parameters[1]
    return FOREVER if high < 0 else high + 1


def _back(one: Operate, bound: int | None, of_fluent: bool) -> Dependence:  # noqa: ARG001
    return Dependence(back=_far(one))


def _ahead(one: Operate, bound: int | None, of_fluent: bool) -> Dependence:  # noqa: ARG001
    return Dependence(lag=_far(one))


DIAMOND_MINUS = BOX_MINUS = Operator(_back, Nearby.FIRST)
DIAMOND_PLUS = BOX_PLUS = Operator(_ahead, Nearby.FIRST)
SINCE = Operator(_back, Nearby.SECOND)
UNTIL = Operator(_ahead, Nearby.SECOND)
