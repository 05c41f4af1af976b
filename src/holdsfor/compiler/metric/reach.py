"""Computes how far the rules of a plan reach."""

from __future__ import annotations

from fractions import Fraction

from holdsfor.compiler.metric.plan import MetricPlan
from holdsfor.compiler.metric.rules import Joined


def reach(plan: MetricPlan) -> Fraction:
    """The largest number in the rules in normal form, t_Π: the required length of a window."""
    ranges = [rule.offsets for rule in plan.rules if not isinstance(rule, Joined)]
    bounds = [bound for offsets in ranges for bound in (offsets.low, offsets.high) if bound is not None]
    return max(map(abs, bounds), default=Fraction(0))
