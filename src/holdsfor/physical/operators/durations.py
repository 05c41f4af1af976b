"""Duration filters keep intervals that last long enough, or not too long.

The whole interval counts, including its start, once it is known to be long enough. An interval that has lasted as long
as the bound is decided. The exception is an open interval with a special treatment, which waits for its end.
"""

from __future__ import annotations

from holdsfor.ir import OpenLength
from holdsfor.physical.instructions import Operate
from holdsfor.physical.model import FOREVER
from holdsfor.physical.operators.base import Dependence, Nearby, Operator

_OPEN = list(OpenLength)


def _long(one: Operate, bound: int | None, of_fluent: bool) -> Dependence:
    return _dependence(bound, of_fluent, waits=_OPEN[one.parameters[0]] is OpenLength.LEFT_OUT)


def _short(one: Operate, bound: int | None, of_fluent: bool) -> Dependence:
    return _dependence(bound, of_fluent, waits=_OPEN[one.parameters[0]] is OpenLength.KEPT)


def _dependence(bound: int | None, of_fluent: bool, *, waits: bool) -> Dependence:
    length = FOREVER if bound is None else max(0, bound) + 2
    # Lists of fluents have whole intervals. Other lists are computed from retained rows and may lack the start.
    return Dependence(0 if of_fluent else FOREVER if waits else length, FOREVER if waits else length)


LONGER = AT_LEAST = Operator(_long, Nearby.FIRST)
SHORTER = AT_MOST = Operator(_short, Nearby.FIRST)
