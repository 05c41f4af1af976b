"""Checks sliding aggregates as written: their arguments and positions."""

from __future__ import annotations

from collections.abc import Callable

from holdsfor.frontend.rtec.problems import MalformedClause, Problems
from holdsfor.frontend.rtec.wording import Wording, about_arity, about_name, about_pair
from holdsfor.ir.sliding import (
    SLIDING_NAMES,
    SLIDING_USAGE,
    read_sliding,
    sliding_arity,
    sliding_calls,
)
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Term, functor

RequireTime = Callable[[Compound], None]
"""Reports a goal about a time-point that is not allowed in the rule."""


class SlidingReader:
    """Checks the sliding aggregates of one source."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems

    def check_expression(self, goal: Compound, require_time: RequireTime) -> None:
        """The sliding aggregates in a comparison or an assignment."""
        for call in sliding_calls(goal):
            require_time(call)
            self._check_arity(call)
            arguments = read_sliding(call)
            self._check_event(call, arguments.event)
            inner = next((found for arg in call.args for found in sliding_calls(arg)), None)
            if inner is not None:
                message = f"{inner.name} cannot be nested in {call.name}"
                hint = "define an event with the inner one, and count that"
                raise self._problems.error("HF111", message, inner.span, hint)

    def check_top(self, goal: Compound, require_time: RequireTime, *, in_background: bool) -> None:
        """`top(K, By, Event, Duration, T)` as a condition."""
        require_time(goal)
        if in_background:
            message = "top is not allowed in a background rule: its bound variables would depend on the caller"
            raise self._problems.error("HF111", message, goal.span, "write it in the rules themselves")
        self._check_event(goal, goal.args[2])

    def goal_error(self, goal: Compound) -> MalformedClause:
        """Reports a sliding aggregate that is not part of a comparison."""
        if len(goal.args) == sliding_arity(goal.name) + 1:
            *args, result = (print_term(arg) for arg in goal.args)
            words = Wording(
                f"{goal.name} is a number, not a condition", f"write {result} is {goal.name}({', '.join(args)})"
            )
        elif len(goal.args) != sliding_arity(goal.name):
            words = about_arity(goal, sliding_arity(goal.name), SLIDING_USAGE[goal.name])
            return self._problems.error("HF102", words.message, goal.span, words.hint)
        else:
            words = Wording(f"{goal.name} is a number, not a condition", f"compare it, such as {print_term(goal)} >= 3")
        return self._problems.error("HF111", words.message, goal.span, words.hint)

    def _check_arity(self, call: Compound) -> None:
        expected = sliding_arity(call.name)
        if len(call.args) != expected:
            words = about_arity(call, expected, SLIDING_USAGE[call.name])
            raise self._problems.error("HF102", words.message, call.span, words.hint)

    def _check_event(self, call: Compound, event: Term) -> None:
        wrong = self._about_event(call, event)
        if wrong is not None:
            raise self._problems.error("HF110", wrong.message, event.span, wrong.hint, wrong.fix)

    @staticmethod
    def _about_event(call: Compound, event: Term) -> Wording | None:
        if functor(event) == ("happensAt", 2) and isinstance(event, Compound):
            inner = print_term(event.args[0])
            return Wording(f"{call.name} takes the event alone", f"write {inner}: its time is that of the window")
        if functor(event) in (("start", 1), ("end", 1)) and isinstance(event, Compound):
            (pair,) = event.args
            return None if functor(pair) == ("=", 2) else about_pair(pair)
        if functor(event) == ("=", 2):
            shown = print_term(event)
            message = f"{call.name} looks at events, and {shown} is a fluent with its value"
            return Wording(message, f"write start({shown}) or end({shown})")
        wrong = about_name(event, "an event")
        return None if wrong is None else Wording(wrong.message, "write name(Args) for the event")


def is_sliding_goal(goal: Compound) -> bool:
    """Whether a goal is a sliding aggregate by name."""
    return goal.name in SLIDING_NAMES
