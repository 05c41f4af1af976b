"""Rules that have a head and no body yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from holdsfor.diagnostics import Span
from holdsfor.frontend.builder.conditions import Condition, as_conditions
from holdsfor.frontend.builder.errors import BuilderError
from holdsfor.frontend.builder.normal import resolve_aliases
from holdsfor.frontend.builder.places import here
from holdsfor.frontend.builder.scope import RuleKind, Scope, VariableNames
from holdsfor.frontend.builder.states import Pair
from holdsfor.frontend.builder.steps import Step, as_steps, only_given, write_steps
from holdsfor.ir import Body, IntervalRule, Rule
from holdsfor.syntax.terms import Term

Finish: TypeAlias = Callable[[Body, Span], Rule]
Head: TypeAlias = Callable[[Scope], Finish]
"""Writes the terms of a head, and returns a function from the body to the rule."""


class Draft:
    """A rule under construction. `shown` is its beginning, for messages."""

    _finish = "when"

    def __init__(self, shown: str) -> None:
        self._shown = shown
        self._place = here()
        self._rule: Rule | None = None
        self._is_finished = False

    def _error_message(self) -> str:
        return f"{self._place.location}: {self._shown} has no conditions yet: add .{self._finish}(…)"

    def _take(self, rule: Rule) -> None:
        if self._is_finished:
            raise BuilderError(f"{self._shown} has its conditions already: begin another rule for other conditions")
        self._rule, self._is_finished = rule, True

    def __repr__(self) -> str:
        return self._shown


def named_apart(make: Callable[[VariableNames], Rule]) -> Rule:
    """Makes a rule, again with other generated names if the user has used one of them."""
    names = VariableNames()
    rule = make(names)
    return rule if names.made.isdisjoint(names.seen) else make(VariableNames(frozenset(names.seen)))


class RuleDraft(Draft):
    """A rule with conditions. If it is complete without conditions, they are optional."""

    def __init__(
        self, shown: str, setting: RuleKind, head: Head, *, time: Term | None = None, is_complete: bool = False
    ) -> None:
        super().__init__(shown)
        self._setting = setting
        self._head = head
        self._time = time
        if is_complete:
            self._rule = self._build((), self._place)

    def when(self, *conditions: Condition) -> None:
        """Adds the conditions of the rule, which are read at its time-point if it has one."""
        checked = as_conditions(conditions, f"{self._shown}.when(…)")
        self._take(self._build(checked, here()))

    def _build(self, conditions: tuple[Condition, ...], place: Span) -> Rule:
        def make(names: VariableNames) -> Rule:
            scope = Scope(self._setting, self._shown, names, self._time)
            finish = self._head(scope)
            for condition in conditions:
                condition._lower(scope)
            return finish(tuple(scope.body), place)

        return named_apart(make)


class IntervalDraft(Draft):
    """A fluent that is defined by intervals."""

    _finish = "during"

    def __init__(self, shown: str, pair: Pair) -> None:
        super().__init__(shown)
        self._pair = pair

    def during(self, *steps: Step) -> None:
        """Adds the situations that must hold together, and conditions on their arguments."""
        where = f"{self._shown}.during(…)"
        opened = as_steps(steps, where)
        place = here()
        self._take(named_apart(lambda names: self._build(names, opened, where, place)))

    def _build(self, names: VariableNames, steps: tuple[Step, ...], where: str, place: Span) -> Rule:
        scope = Scope(RuleKind.INTERVAL, self._shown, names)
        fvp = self._pair._fvp(scope)
        given = only_given(steps)
        if given is None:
            out = write_steps(scope, steps, names.result, where)
        else:
            # An interval list that has a name already needs no second one.
            out = scope.term(given.term, given.place)
            for step in steps:
                if isinstance(step, Condition):
                    step._lower(scope)
        return IntervalRule(fvp, out, resolve_aliases(tuple(scope.body), out), place)
