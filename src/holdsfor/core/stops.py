"""What stops a run, in words: the core says where and why, and the rule is found here."""

from __future__ import annotations

from collections.abc import Sequence

from holdsfor.compiler.limits import too_many_delayed_effects
from holdsfor.compiler.plan import Plan
from holdsfor.core.words import Words
from holdsfor.diagnostics import HoldsforError
from holdsfor.ir import DelayRule
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.physical.model import Site
from holdsfor.syntax.printer import print_term

_DELAY, _TOO_MANY_EFFECTS = range(2)
_NOTHING = 3
"""The word of no value."""


def explained(stop: ArithmeticError, plan: Plan, sites: Sequence[Site], words: Words) -> HoldsforError | None:
    """The error for whoever wrote the rule; None if it is not from the core."""
    match stop.args:
        case (int(reason), int(site), int(word), int(time)):
            rule = _rule_at(plan, sites[site])
        case _:
            return None
    if reason == _TOO_MANY_EFFECTS:
        return too_many_delayed_effects(rule, plan.max_delayed_effects, time * plan.clock_tick)
    shown, unit = print_term(rule.trigger.fluent), "" if plan.clock_tick == 1 else " clock ticks"
    amount = print_term(rule.delay if word == _NOTHING else words.term(word))
    return EvaluationError(f"the delay of {shown} is {amount}{unit}; it must be a positive whole number")


def _rule_at(plan: Plan, site: Site) -> DelayRule:
    return next(rule for rule in plan.analysis.program.delays if rule.span == site.span)
