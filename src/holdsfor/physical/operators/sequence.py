"""`seq` joins an interval of one list with the next one of another, for which it may wait for ever."""

from __future__ import annotations

from holdsfor.physical.instructions import Operate
from holdsfor.physical.model import FOREVER
from holdsfor.physical.operators.base import Dependence, Nearby, Operator


def _waits(one: Operate, bound: int | None, of_fluent: bool) -> Dependence:  # noqa: ARG001
    return Dependence(FOREVER, FOREVER)


SEQUENCE = Operator(_waits, Nearby.ALL)
