"""Union, intersection, relative complement and complement depend on one time-point only."""

from __future__ import annotations

from holdsfor.physical.instructions import Operate
from holdsfor.physical.operators.base import Dependence, Nearby, Operator


def _at_once(one: Operate, bound: int | None, of_fluent: bool) -> Dependence:  # noqa: ARG001
    return Dependence()


UNION = Operator(_at_once, Nearby.SOME)
INTERSECTION = Operator(_at_once, Nearby.ALL)
RELATIVE_COMPLEMENT = Operator(_at_once, Nearby.FIRST)
COMPLEMENT = Operator(_at_once, Nearby.NONE)
