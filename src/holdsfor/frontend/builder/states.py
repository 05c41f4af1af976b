"""States: fluents and combinations of them, in rules about time-points and about intervals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn, overload

from holdsfor.diagnostics import Span
from holdsfor.frontend.builder.conditions import Condition
from holdsfor.frontend.builder.errors import BuilderError, reject_operand
from holdsfor.frontend.builder.normal import disjunction, negation
from holdsfor.frontend.builder.places import here
from holdsfor.frontend.builder.scope import Namer, Scope
from holdsfor.frontend.builder.situations import Situation, combine, intervals_of
from holdsfor.frontend.builder.terms import Termed, TermLike, to_term
from holdsfor.ir import Fvp, Holds, IntervalOperator, Intervals
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import ANONYMOUS_PREFIX, Compound, Const, Term, Var


class State(Condition, Situation):
    """A condition in `.when(…)`, a situation in `.during(…)`."""

    @overload  # type: ignore[override]
    def __and__(self, other: State) -> State: ...
    @overload
    def __and__(self, other: Condition) -> Condition: ...
    @overload
    def __and__(self, other: Situation) -> Situation: ...
    def __and__(self, other: Condition | Situation) -> Condition | Situation:
        if isinstance(other, Situation):
            return self._join(IntervalOperator.INTERSECTION, other)
        return Condition.__and__(self, other)

    @overload  # type: ignore[override]
    def __or__(self, other: State) -> State: ...
    @overload
    def __or__(self, other: Condition) -> Condition: ...
    @overload
    def __or__(self, other: Situation) -> Situation: ...
    def __or__(self, other: Condition | Situation) -> Condition | Situation:
        if isinstance(other, Situation):
            return self._join(IntervalOperator.UNION, other)
        return Condition.__or__(self, other)

    @overload
    def __sub__(self, other: State) -> State: ...
    @overload
    def __sub__(self, other: Situation) -> Situation: ...
    def __sub__(self, other: Situation) -> Situation:
        if not isinstance(other, Situation):
            reject_operand("-", other)
        return self._join(IntervalOperator.RELATIVE_COMPLEMENT, other)

    def __invert__(self) -> State:
        return Mixture(IntervalOperator.COMPLEMENT, (self,))

    def _join(self, operator: IntervalOperator, other: Situation) -> Situation:
        """A state if both are states, otherwise a situation. Chains of one operator are flat."""
        if not isinstance(other, State):
            return combine(operator, self, other)
        is_chain = isinstance(self, Mixture) and self.operator is operator
        before = self.parts if isinstance(self, Mixture) and is_chain else (self,)
        return Mixture(operator, (*before, other))


@dataclass(frozen=True, eq=False, repr=False)
class Mixture(State):
    """A set operation on states."""

    operator: IntervalOperator
    parts: tuple[State, ...]
    place: Span = field(default_factory=here)

    def _intervals(self, scope: Scope, out: Namer | None) -> Term:
        return intervals_of(scope, self.operator, self.parts, out, self.place)

    def _lower(self, scope: Scope) -> None:
        match self.operator:
            case IntervalOperator.INTERSECTION:
                for part in self.parts:
                    part._lower(scope)
            case IntervalOperator.UNION:
                scope.add(disjunction(tuple(scope.inner((part,)) for part in self.parts), self.place))
            case IntervalOperator.COMPLEMENT:
                scope.add(negation(scope.inner(self.parts), self.place))
            case _:
                self.parts[0]._lower(scope)
                for part in self.parts[1:]:
                    scope.add(negation(scope.inner((part,)), self.place))


@dataclass(frozen=True, eq=False, repr=False)
class Pair(State, Termed):
    """A fluent with its value."""

    fluent: Term
    value: Term
    place: Span = field(default_factory=here)

    def _fvp(self, scope: Scope) -> Fvp:
        return Fvp(scope.term(self.fluent, self.place), scope.term(self.value, self.place), self.place)

    def _lower(self, scope: Scope) -> None:
        scope.add(Holds(self._fvp(scope), scope.moment(self.place, self), self.place))

    def _intervals(self, scope: Scope, out: Namer | None) -> Term:
        scope.require_intervals(self)
        fvp = self._fvp(scope)
        return scope.define(lambda name: Intervals(fvp, name, self.place), out)

    def _term(self) -> Term:
        return Compound("=", (self.fluent, self.value))

    def __repr__(self) -> str:
        return print_term(Compound("=", (self.fluent, self.value)))


@dataclass(frozen=True, eq=False, repr=False)
class FluentTerm(Pair):
    """A fluent that has not been given a value. On its own it stands for the value true.

    `values` are those that the user declared.
    """

    values: tuple[Term, ...] | None = None

    def __eq__(self, value: object) -> Pair:  # type: ignore[override]
        return self._with(to_term(value))  # type: ignore[arg-type]

    def __ne__(self, value: object) -> NoReturn:
        raise BuilderError(
            f"{print_term(self.fluent)} != {value!r} is ambiguous: for 'does not have this value' write "
            f"~({print_term(self.fluent)} == {value!r}), for 'has another value' name the value and compare it: "
            f"{print_term(self.fluent)} == X, X != {value!r}"
        )

    __hash__ = object.__hash__

    @property
    def any(self) -> Pair:
        """The fluent with any value."""
        return self._with(Var(ANONYMOUS_PREFIX))

    def _with(self, value: Term) -> Pair:
        self._check(value)
        return Pair(self.fluent, value)

    def _check(self, value: Term) -> None:
        if self.values is not None and isinstance(value, Const) and value not in self.values:
            named = ", ".join(print_term(one) for one in self.values)
            raise BuilderError(
                f"{print_term(self.fluent)} never has the value {print_term(value)}; its values are {named}"
            )

    def _fvp(self, scope: Scope) -> Fvp:
        self._check(self.value)
        return super()._fvp(scope)

    def _term(self) -> Term:
        return self.fluent


def as_pair(item: object, where: str) -> Pair:
    """Checks that an argument is a fluent with its value."""
    if isinstance(item, Pair):
        return item
    raise BuilderError(f"{where} needs a fluent with its value, as in stopped(V) == 'nearPorts', not {item!r}")


def as_effect(value: Pair | TermLike, trigger: Pair) -> Pair:
    """The effect of a delay: another value of the same fluent, or a pair."""
    if isinstance(value, Pair):
        return value
    return Pair(trigger.fluent, to_term(value))
