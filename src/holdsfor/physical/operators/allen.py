"""Allen relations compare whole intervals, so an interval that has not ended decides nothing yet."""

from __future__ import annotations

from holdsfor.physical.instructions import Operate
from holdsfor.physical.model import FOREVER
from holdsfor.physical.operators.base import Dependence, Nearby, Operator


def _waits(one: Operate, bound: int | None, of_fluent: bool) -> Dependence:  # noqa: ARG001
    return Dependence(FOREVER, FOREVER)


ALLEN = Operator(_waits, Nearby.ALL)
