"""The limit on endless chains of delayed effects."""

from __future__ import annotations

from holdsfor.compiler.analysis.entities import show_fvp
from holdsfor.ir import DelayRule
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.syntax.printer import print_term

MAX_DELAYED_EFFECTS = 1_000_000
"""The default limit of delayed effects that follow from each other without an event in between."""


def wrong_delay(rule: DelayRule, value: float, tick: int) -> EvaluationError:
    """The error for a delay that is not a number of time-points."""
    wanted = "a positive whole number" if tick == 1 else f"a multiple of the clock tick {tick}"
    return EvaluationError(f"the delay of {print_term(rule.trigger.fluent)} is {value}; it must be {wanted}")


def too_many_delayed_effects(rule: DelayRule, limit: int, time: int) -> EvaluationError:
    """The error for a rule whose delayed effects never end."""
    parts = [show_fvp(rule.trigger), *([] if rule.effect is None else [show_fvp(rule.effect)]), print_term(rule.delay)]
    shown = f"{'ft' if rule.effect is None else 'fi'}({', '.join(parts)})"
    return EvaluationError(
        f"{rule.span.location}: {shown} goes on without an end: more than {limit:,} delayed effects follow from each other "
        f"with no event in between; time-point {time} is reached. Let a rule end the fluent, end the run earlier (--end), "
        "or allow more of them (--max-delayed-effects)"
    )
