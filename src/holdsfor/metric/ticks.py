"""A tick that was given: rules with times that are no multiples of it are refused."""

from __future__ import annotations

from fractions import Fraction

from holdsfor.compiler.metric.plan import MetricPlan
from holdsfor.compiler.metric.rules import Joined
from holdsfor.diagnostics import HoldsforError
from holdsfor.frontend.dmtl.numbers import number_text


def require_ticks(plan: MetricPlan, tick: Fraction) -> None:
    """Raise HoldsforError if the rules mention a time that is no multiple of a tick."""
    if tick <= 0:
        raise HoldsforError(f"the tick must be greater than 0, not {number_text(tick)}")
    for rule in plan.rules:
        bounds = () if isinstance(rule, Joined) else (rule.offsets.low, rule.offsets.high)
        for bound in bounds:
            if bound is not None and bound % tick:
                raise HoldsforError(
                    f"{rule.origin.span.location}: {number_text(abs(bound))} is not a multiple of the tick "
                    f"{number_text(tick)}; give a finer tick, or none: it is then found out"
                )
