"""Conditions, the arguments of `.when(…)`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

from holdsfor.diagnostics import Span
from holdsfor.frontend.builder.errors import BuilderError, BuilderPiece, reject_equality, reject_operand
from holdsfor.frontend.builder.normal import comparison, disjunction, negation
from holdsfor.frontend.builder.places import here
from holdsfor.frontend.builder.scope import RuleKind, Scope
from holdsfor.frontend.builder.terms import TermLike, to_term
from holdsfor.ir import Assign, Cut, FindAll
from holdsfor.ir.sliding import sliding_calls
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Term


class Condition(BuilderPiece):
    """Something that is true or false, at the rule's time-point unless `.at(…)` says otherwise.

    `a & b` is both, `a | b` is either, `~a` is not.
    """

    place: Span

    def _lower(self, scope: Scope) -> None:
        raise NotImplementedError

    def at(self, time: TermLike) -> Condition:
        """The same condition at another time-point, as in `pressed(B).at(T0)`."""
        return At(self, to_term(time))

    def __and__(self, other: Condition) -> Condition:
        if not isinstance(other, Condition):
            reject_operand("&", other)
        return AllOf((*_parts(self, AllOf), other))

    def __or__(self, other: Condition) -> Condition:
        if not isinstance(other, Condition):
            reject_operand("|", other)
        return AnyOf((*_parts(self, AnyOf), other))

    def __invert__(self) -> Condition:
        return Negation((self,))

    def __rand__(self, other: object) -> NoReturn:
        reject_operand("&", other)

    def __ror__(self, other: object) -> NoReturn:
        reject_operand("|", other)

    def __eq__(self, other: object) -> NoReturn:
        reject_equality(self)

    def __repr__(self) -> str:
        return f"`{self.place.text}`" if self.place.text else f"a condition ({type(self).__name__})"

    __hash__ = object.__hash__


def as_condition(item: object, where: str) -> Condition:
    """Checks that an argument is a condition."""
    if isinstance(item, Condition):
        return item
    if isinstance(item, BuilderPiece):
        raise BuilderError(f"{where}: {item._advice()}")
    if isinstance(item, bool):
        raise BuilderError(f"{where}: Python has already decided this comparison ({item}); compare with a variable")
    raise BuilderError(f"{where}: {item!r} is not a condition")


def as_conditions(items: tuple[object, ...], where: str) -> tuple[Condition, ...]:
    """Checks arguments that must be one or more conditions."""
    if not items:
        raise BuilderError(f"{where} needs at least one condition")
    return tuple(as_condition(item, where) for item in items)


def _parts(condition: Condition, kind: type[AllOf | AnyOf]) -> tuple[Condition, ...]:
    return condition.parts if isinstance(condition, kind) else (condition,)


@dataclass(frozen=True, eq=False, repr=False)
class AllOf(Condition):
    """A conjunction."""

    parts: tuple[Condition, ...]
    place: Span = field(default_factory=here)

    def _lower(self, scope: Scope) -> None:
        for part in self.parts:
            part._lower(scope)


@dataclass(frozen=True, eq=False, repr=False)
class AnyOf(Condition):
    """A disjunction."""

    parts: tuple[Condition, ...]
    place: Span = field(default_factory=here)

    def _lower(self, scope: Scope) -> None:
        scope.add(disjunction(tuple(scope.inner((part,)) for part in self.parts), self.place))


@dataclass(frozen=True, eq=False, repr=False)
class Negation(Condition):
    """The negation of a conjunction."""

    parts: tuple[Condition, ...]
    place: Span = field(default_factory=here)

    def _lower(self, scope: Scope) -> None:
        scope.add(negation(scope.inner(self.parts), self.place))


@dataclass(frozen=True, eq=False, repr=False)
class At(Condition):
    """A condition at another time-point."""

    condition: Condition
    time: Term
    place: Span = field(default_factory=here)

    def _lower(self, scope: Scope) -> None:
        self.condition._lower(scope.at(self.time))


def _require_time(scope: Scope, condition: Condition, *terms: Term) -> None:
    """Rejects sliding aggregates in rules without time-points."""
    is_sliding = any(True for term in terms for _ in sliding_calls(term))
    if is_sliding and scope.setting in (RuleKind.INTERVAL, RuleKind.TIMELESS):
        scope.moment(condition.place, condition)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Condition):
    """A comparison of terms or numbers."""

    operator: str
    left: Term
    right: Term
    place: Span = field(default_factory=here)

    def _lower(self, scope: Scope) -> None:
        _require_time(scope, self, self.left, self.right)
        left, right = scope.terms((self.left, self.right), self.place)
        scope.add(comparison(self.operator, left, right, scope.setting, self.place))

    def __repr__(self) -> str:
        return print_term(Compound(self.operator, (self.left, self.right)))


@dataclass(frozen=True, eq=False, repr=False)
class Computation(Condition):
    """The assignment of an expression to a variable."""

    target: Term
    expression: Term
    place: Span = field(default_factory=here)

    def _lower(self, scope: Scope) -> None:
        _require_time(scope, self, self.expression)
        target, expression = scope.terms((self.target, self.expression), self.place)
        scope.add(Assign(target, expression, self.place))

    def __repr__(self) -> str:
        return print_term(Compound("is", (self.target, self.expression)))


@dataclass(frozen=True, eq=False, repr=False)
class Collection(Condition):
    """A `findall`."""

    template: Term
    parts: tuple[Condition, ...]
    result: Term
    place: Span = field(default_factory=here)

    def _lower(self, scope: Scope) -> None:
        template = scope.term(self.template, self.place)
        body = scope.inner(self.parts)
        scope.add(FindAll(template, body, scope.term(self.result, self.place), self.place))


@dataclass(frozen=True, eq=False, repr=False)
class Commitment(Condition):
    """A cut: after it, no further rule for the same head is tried."""

    place: Span = field(default_factory=here)

    def _lower(self, scope: Scope) -> None:
        scope.add(Cut(self.place))
