"""The rule under construction: time-point, variables, and literals so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import Protocol, TypeAlias

from holdsfor.diagnostics import Span
from holdsfor.frontend.builder.errors import BuilderError
from holdsfor.ir import Algebra, Body, IntervalOperator, Literal
from holdsfor.syntax.terms import ANONYMOUS_PREFIX, Compound, Const, ListTerm, Term, Var

Namer: TypeAlias = Callable[[], Term]
"""Names an interval list at the time it is written, so that names are in reading order."""

_NO_VARIABLE = Var("")


class RuleKind(Enum):
    """The kind of a rule, which determines the conditions that it can have."""

    POINT = auto()
    INTERVAL = auto()
    BACKGROUND = auto()
    TIMELESS = auto()


class Lowers(Protocol):
    """A piece that can add itself to a body."""

    def _lower(self, scope: Scope) -> None: ...


@dataclass
class VariableNames:
    """The variable names of a rule: `seen` are the user's, generated names avoid `reserved`."""

    reserved: frozenset[str] = frozenset()
    seen: set[str] = field(default_factory=set)
    made: set[str] = field(default_factory=set)
    anonymous: int = 0
    fresh: int = 0

    def fresh_intervals(self) -> Var:
        """The next unused name of I1, I2, …."""
        self.fresh += 1
        name = f"I{self.fresh}"
        return self.fresh_intervals() if name in self.reserved else self._make(name)

    def result(self) -> Var:
        """The name of the interval list in the head."""
        return self.fresh_intervals() if "I" in self.reserved else self._make("I")

    def _make(self, name: str) -> Var:
        self.made.add(name)
        return Var(name)


@dataclass(frozen=True)
class Scope:
    """A body under construction. Nested bodies share the names and the interval lists before them."""

    setting: RuleKind
    rule: str
    names: VariableNames
    time: Term | None = None
    body: list[Literal] = field(default_factory=list)
    known: dict[Literal, Term] = field(default_factory=dict)

    def add(self, literal: Literal) -> None:
        """Adds a literal."""
        self.body.append(literal)

    def term(self, term: Term, place: Span) -> Term:
        """A term at its place, with a name of its own for each anonymous variable.

        Terms must come in reading order, so that the names are those that a reader of the text would give.
        """
        match term:
            case Var() if term.is_anonymous:
                self.names.anonymous += 1
                return Var(f"{ANONYMOUS_PREFIX}{self.names.anonymous}", place)
            case Var():
                self.names.seen.add(term.name)
                return Var(term.name, place)
            case Const():
                return Const(term.value, place)
            case Compound():
                return Compound(term.name, self.terms(term.args, place), place)
            case ListTerm():
                items = self.terms(term.items, place)
                return ListTerm(items, None if term.tail is None else self.term(term.tail, place), place)

    def terms(self, terms: Iterable[Term], place: Span) -> tuple[Term, ...]:
        """Several terms, in order."""
        return tuple(self.term(term, place) for term in terms)

    def moment(self, place: Span, what: object) -> Term:
        """The time-point of conditions; an error in rules without one."""
        if self.setting is RuleKind.INTERVAL:
            raise BuilderError(
                f"{what!r} would be read at a time-point here, and {self.rule} works on intervals: combine situations "
                "with &, |, -, ~, or define a fluent with rules.initiate(…) and use it here"
            )
        if self.setting is RuleKind.TIMELESS:
            raise BuilderError(
                f"{what!r} depends on time, and {self.rule} is about all time: use facts, comparisons and arithmetic"
            )
        if self.time is None:
            raise BuilderError(f"{what!r} needs a time-point, and {self.rule} has none: add one with .at(…)")
        return self.term(self.time, place)

    def at(self, time: Term) -> Scope:
        """The same body at another time-point."""
        return replace(self, time=time)

    def nested(self) -> Scope:
        """An empty body inside this one."""
        return replace(self, body=[], known=dict(self.known))

    def inner(self, conditions: Iterable[Lowers]) -> Body:
        """A nested body with these conditions."""
        scope = self.nested()
        for condition in conditions:
            condition._lower(scope)
        return tuple(scope.body)

    def define(self, make: Callable[[Term], Literal], out: Namer | None) -> Term:
        """Write what computes an interval list; `make` gives the literal for the variable that names the result.

        Without a name to give it, a list that is known already is not computed again.
        """
        key = make(_NO_VARIABLE)
        if out is None and key in self.known:
            return self.known[key]
        target = self.names.fresh_intervals() if out is None else out()
        self.add(make(target))
        self.known.setdefault(key, target)
        return target

    def require_intervals(self, what: object) -> None:
        """Rejects interval lists in rules about time-points."""
        if self.setting in (RuleKind.POINT, RuleKind.TIMELESS):
            raise BuilderError(
                f"{what!r} speaks of intervals, and {self.rule} does not: define the situation with "
                "rules.holds(…).during(…) and use its fluent as the condition"
            )


def alias(known: Term, out: Term, place: Span) -> Algebra:
    """A second name for an interval list."""
    return Algebra(IntervalOperator.UNION, (known,), out, span=place)
