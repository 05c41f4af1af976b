"""Bodies of rules about intervals: situations and conditions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from holdsfor.diagnostics import Span
from holdsfor.frontend.builder.conditions import AllOf, Condition, as_condition
from holdsfor.frontend.builder.errors import BuilderError
from holdsfor.frontend.builder.normal import comparison
from holdsfor.frontend.builder.places import here
from holdsfor.frontend.builder.scope import Namer, Scope
from holdsfor.frontend.builder.situations import Given, Situation
from holdsfor.frontend.builder.states import State
from holdsfor.ir import Algebra, Body, IfThenElse, IntervalOperator
from holdsfor.syntax.terms import EMPTY_LIST, Term

Step: TypeAlias = Condition | Situation
"""An argument of `.during(…)`."""


def as_steps(items: Iterable[object], where: str) -> tuple[Step, ...]:
    """Conditions and situations in order; conjunctions are split."""
    return tuple(step for item in items for step in _opened(item, where))


def _opened(item: object, where: str) -> Iterator[Step]:
    if isinstance(item, AllOf):
        for part in item.parts:
            yield from _opened(part, where)
    else:
        yield item if isinstance(item, Situation) else as_condition(item, where)


def is_situation(step: Step) -> bool:
    """Whether a step has intervals."""
    return isinstance(step, Situation) and step._is_situation()


def write_steps(scope: Scope, steps: tuple[Step, ...], out: Namer, where: str) -> Term:
    """Adds all steps; `out` names the intersection of their situations. Returns the name."""
    count = sum(is_situation(step) for step in steps)
    if not count:
        raise BuilderError(f"{where} needs a situation: its conditions alone do not say when it holds")
    names: list[Term] = []
    for step in steps:
        if isinstance(step, Situation) and step._is_situation():
            names.append(step._intervals(scope, out if count == 1 else None))
        elif isinstance(step, Condition):
            step._lower(scope)
    if count == 1:
        return names[0]
    place = steps[0].place
    return scope.define(lambda name: Algebra(IntervalOperator.INTERSECTION, tuple(names), name, span=place), out)


def only_given(steps: tuple[Step, ...]) -> Given | None:
    """The situation of steps with only one, if it is an interval list with a name."""
    situations = [step for step in steps if is_situation(step)]
    return situations[0] if len(situations) == 1 and isinstance(situations[0], Given) else None


@dataclass(frozen=True, eq=False, repr=False)
class Conditional(State):
    """If-then-else. Over intervals its branches are alternatives for one interval list."""

    tests: tuple[Condition, ...]
    yes: tuple[Step, ...]
    no: tuple[Step, ...] | None
    place: Span = field(default_factory=here)

    def _is_situation(self) -> bool:
        return any(is_situation(step) for step in self.yes)

    def _lower(self, scope: Scope) -> None:
        condition = scope.inner(self.tests)
        then = scope.inner(_conditions(self.yes))
        otherwise = None if self.no is None else scope.inner(_conditions(self.no))
        scope.add(IfThenElse(condition, then, otherwise, self.place))

    def _intervals(self, scope: Scope, out: Namer | None) -> Term:
        scope.require_intervals(self)
        target = scope.names.fresh_intervals() if out is None else out()
        inner = scope.nested()
        for condition in self.tests:
            condition._lower(inner)
        condition_body = tuple(inner.body)
        # Values that the condition computes are known in the first branch, not in the second.
        then = self._branch(inner.nested(), self.yes, lambda: target)
        otherwise = None if self.no is None else self._branch(scope.nested(), self.no, lambda: target)
        scope.add(IfThenElse(condition_body, then, otherwise, self.place))
        return target

    @staticmethod
    def _branch(scope: Scope, steps: tuple[Step, ...], out: Namer) -> Body:
        write_steps(scope, steps, out, "a branch of if_(…) over intervals")
        return tuple(scope.body)


def _conditions(steps: Sequence[Step]) -> tuple[Condition, ...]:
    return tuple(as_condition(step, "if_(…)") for step in steps)


@dataclass(frozen=True, eq=False, repr=False)
class Emptiness(Condition):
    """Whether a situation has any interval."""

    situation: Situation
    is_empty: bool
    place: Span = field(default_factory=here)

    def _lower(self, scope: Scope) -> None:
        scope.require_intervals(self)
        intervals = self.situation._intervals(scope, None)
        operator = "=" if self.is_empty else "\\="
        scope.add(comparison(operator, intervals, EMPTY_LIST, scope.setting, self.place))


@dataclass(frozen=True, eq=False, repr=False)
class Naming(Condition):
    """A name for the intervals of a situation."""

    name: Term
    situation: Situation
    place: Span = field(default_factory=here)

    def _lower(self, scope: Scope) -> None:
        scope.require_intervals(self)
        self.situation._intervals(scope, lambda: scope.term(self.name, self.place))
