"""Limits of metric strata: how far from the needed times recursion has to derive facts."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from math import ceil

from holdsfor.compiler.metric.delays import TooFarAhead, looking_back
from holdsfor.compiler.metric.demand import recursive_rules
from holdsfor.compiler.metric.limits import FURTHEST
from holdsfor.compiler.metric.mirror import mirrored_stratum
from holdsfor.compiler.metric.plan import Direction, MetricStratum
from holdsfor.physical.metric import MetricSpan

_ZERO = Fraction(0)


def limits_of(stratum: MetricStratum, needed: tuple[Fraction | None, Fraction | None], scale: int) -> MetricSpan:
    """Recursion that carries facts in one direction overall derives nothing beyond the times that are needed."""
    first, last = needed
    is_moving = stratum.is_recursive and stratum.direction is not Direction.NOWHERE and stratum.stride is not None
    asks_before = _is_far(first, scale) or (is_moving and stratum.direction is not Direction.BACKWARD)
    asks_after = _is_far(last, scale) or (is_moving and stratum.direction is not Direction.FORWARD)
    if not is_moving:
        return MetricSpan(None, None, asks_before=asks_before, asks_after=asks_after)
    before = after = None
    with suppress(TooFarAhead):
        ahead = _ahead(stratum)
        after = None if last is None else ceil((last + ahead) * scale)
    with suppress(TooFarAhead):
        back = _ahead(mirrored_stratum(stratum))
        before = None if first is None else ceil((back - first) * scale)
    is_endless = before is None and after is None
    return MetricSpan(before, after, is_endless=is_endless, asks_before=asks_before, asks_after=asks_after)


def _is_far(distance: Fraction | None, scale: int) -> bool:
    """Whether times at this distance from the needed times need not be distinguished."""
    return distance is None or abs(distance) * scale > FURTHEST // 2


def _ahead(stratum: MetricStratum) -> Fraction:
    """How far recursion that carries facts forward overall looks ahead; raises TooFarAhead."""
    return max(looking_back(recursive_rules(stratum))[1].values(), default=_ZERO)
