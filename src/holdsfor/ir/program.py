"""The program, as front ends produce it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

from holdsfor.diagnostics import Diagnostic
from holdsfor.ir.metric import MetricProgram
from holdsfor.ir.rules import (
    BackgroundRule,
    Declaration,
    DeclarationKind,
    DelayRule,
    EffectRule,
    EventRule,
    Forgetting,
    InitiallyRule,
    IntervalRule,
    PostponeRule,
    Rule,
)
from holdsfor.ir.scale import declared_scale, is_time_goal
from holdsfor.syntax.terms import Term
from holdsfor.times import TimeScale

_R = TypeVar("_R", bound=Rule)


@dataclass(frozen=True)
class Program:
    """Rules in the order in which they were written, and the metric rules that go with them.

    `diagnostics` are the front end's findings; they do not take part in equality. Time-points are the multiples of
    `clock_tick`.
    """

    rules: tuple[Rule, ...]
    diagnostics: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)
    metric: MetricProgram = MetricProgram(())
    clock_tick: int = 1
    forgettings: tuple[Forgetting, ...] = ()
    """The meaning of each `forget`, which the compiler adds."""

    @property
    def forgets(self) -> tuple[Declaration, ...]:
        """The `forget`s of the rules."""
        return tuple(one for one in self.declarations if one.kind is DeclarationKind.FORGET)

    @cached_property
    def hidden(self) -> frozenset[str]:
        """The names of fluents that the compiler has added, which are not shown."""
        return frozenset(one.hidden for one in self.forgettings)

    def __add__(self, other: Program) -> Program:
        return Program(
            self.rules + other.rules,
            self.diagnostics + other.diagnostics,
            self.metric + other.metric,
            max(self.clock_tick, other.clock_tick),
        )

    @property
    def time_goals(self) -> tuple[Term, ...]:
        """The goals of directives about time-points."""
        directives = (one for one in self.declarations if one.kind is DeclarationKind.DIRECTIVE)
        return tuple(goal for one in directives for goal in one.args if is_time_goal(goal)) + self.metric.time_goals

    @cached_property
    def time_scale(self) -> TimeScale | None:
        """The length of a time-point, if declared."""
        return declared_scale(self.time_goals)

    @cached_property
    def effects(self) -> tuple[EffectRule, ...]:
        """Rules that initiate or terminate."""
        return _of_type(self.rules, EffectRule)

    @cached_property
    def initially(self) -> tuple[InitiallyRule, ...]:
        """Initial values."""
        return _of_type(self.rules, InitiallyRule)

    @cached_property
    def intervals(self) -> tuple[IntervalRule, ...]:
        """Rules of statically determined fluents."""
        return _of_type(self.rules, IntervalRule)

    @cached_property
    def events(self) -> tuple[EventRule, ...]:
        """Rules of derived events."""
        return _of_type(self.rules, EventRule)

    @cached_property
    def delays(self) -> tuple[DelayRule, ...]:
        """Delayed effects."""
        return _of_type(self.rules, DelayRule)

    @cached_property
    def postpones(self) -> tuple[PostponeRule, ...]:
        """Postponement declarations."""
        return _of_type(self.rules, PostponeRule)

    @cached_property
    def background(self) -> tuple[BackgroundRule, ...]:
        """Background facts and rules."""
        return _of_type(self.rules, BackgroundRule)

    @cached_property
    def declarations(self) -> tuple[Declaration, ...]:
        """Declarations and directives."""
        return _of_type(self.rules, Declaration)


def _of_type(rules: Iterable[Rule], kind: type[_R]) -> tuple[_R, ...]:
    return tuple(rule for rule in rules if isinstance(rule, kind))
