"""Events, fluents and facts. Calls of them are conditions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from difflib import get_close_matches

from holdsfor.diagnostics import Span
from holdsfor.frontend.builder.conditions import Condition
from holdsfor.frontend.builder.errors import BuilderError, BuilderPiece, UnknownName, arguments
from holdsfor.frontend.builder.places import here
from holdsfor.frontend.builder.scope import Scope
from holdsfor.frontend.builder.states import FluentTerm, Pair, as_pair
from holdsfor.frontend.builder.terms import Termed, TermLike, apply, to_number, to_term, to_terms
from holdsfor.frontend.builder.values import COMPARISONS
from holdsfor.ir import DURATIONS, METRIC, AllenRelation, Boundary, Call, Edge, Effect, EffectKind, Happens
from holdsfor.ir.calendar import CONDITIONS as CALENDAR
from holdsfor.ir.sliding import SLIDING_NAMES, TOP
from holdsfor.logic.library import LIBRARY
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import ANONYMOUS_PREFIX, Compound, Const, Term, Var

_RESERVED = {
    "happensAt": "an event is a condition by itself",
    "holdsAt": "a fluent is a condition by itself",
    "holdsFor": "use a fluent in rules.holds(…).during(…)",
    "initiatedAt": "use initiated(…)",
    "terminatedAt": "use terminated(…)",
    "findall": "use find_all(…)",
    "union_all": "use union(…) or |",
    "intersect_all": "use intersection(…) or &",
    "relative_complement_all": "use without(…) or -",
    "complement_all": "use complement(…) or ~",
    "seq": "use seq(…)",
    "allen": "use .allen(…)",
    "is": "use let(…)",
    "not": "use ~ or not_(…)",
    "\\+": "use ~ or not_(…)",
    ",": "use &",
    ";": "use | or either(…)",
    "->": "use if_(…)",
    **{name: f"use {name}(…)" for name in sorted(SLIDING_NAMES)},
}
"""Predicates of the language, and their corrections."""


class Symbol(BuilderPiece):
    """A name, and the names of its parameters if declared."""

    _kind = "symbol"

    def __init__(self, name: str, parameters: tuple[str, ...]) -> None:
        if not isinstance(name, str) or not name:
            article = "an" if self._kind == "event" else "a"
            raise BuilderError(f"{name!r} cannot name {article} {self._kind}: give its name as text")
        self.name = name
        self.parameters = parameters

    def __repr__(self) -> str:
        return f"{self._kind} {self.name}"

    def _advice(self) -> str:
        parameters = ", ".join(self.parameters) or "…"
        return f"the {self!r} has no arguments yet: call it, as in {self.name}({parameters}), or {self.name}() for none"

    def _atom(self, args: tuple[TermLike, ...], named: dict[str, TermLike]) -> Term:
        terms = self._by_name(named) if named and not args else self._in_order(args, named)
        return apply(self.name, terms)

    def _in_order(self, args: tuple[TermLike, ...], named: dict[str, TermLike]) -> tuple[Term, ...]:
        if named:
            raise BuilderError(f"{self.name}: give all arguments in order, or all by name")
        if self.parameters and len(args) != len(self.parameters):
            takes = f"{arguments(len(self.parameters))} ({', '.join(self.parameters)})"
            raise BuilderError(f"the {self!r} takes {takes}, not {len(args)}")
        return to_terms(args)

    def _by_name(self, named: dict[str, TermLike]) -> tuple[Term, ...]:
        for name in named:
            if name not in self.parameters:
                declared = (
                    ", ".join(self.parameters) or f"none; declare them as in {self._kind}({self.name!r}, {name!r})"
                )
                raise BuilderError(f"the {self!r} has no argument {name}; its arguments are: {declared}")
        anyone = Var(ANONYMOUS_PREFIX)
        return tuple(to_term(named[name]) if name in named else anyone for name in self.parameters)


def _instead(name: str, arity: int) -> str | None:
    """The correction for a predicate of the language."""
    if arity == 0:
        return "use CUT" if name == "!" else None
    if arity == 2 and name in COMPARISONS:
        return "use compare(…) or Python's comparisons"
    if arity == 3 and name in {operator.value for operator in DURATIONS}:
        return "use .longer_than(…) and its like"
    if (name, arity - 2) in {(operator.value, lists) for operator, lists in METRIC.items()}:
        return "use .sometime_in_last(…) and its like"
    if arity == 4 and name in {relation.value for relation in AllenRelation}:
        return "use .allen(…) and its like"
    return "use top(…)" if (name, arity) == TOP else _RESERVED.get(name)


class Event(Symbol):
    """An event; call it with its arguments."""

    _kind = "event"

    def __call__(self, *args: TermLike, **named: TermLike) -> EventTerm:
        """The event with its arguments, in order or by name; missing ones can have any value."""
        atom = self._atom(args, named)
        if isinstance(atom, Compound) and len(atom.args) == 1 and self.name in ("start", "end"):
            raise BuilderError(f"{self.name} with one argument is the {self.name} of a fluent: use {self.name}(…)")
        return EventTerm(atom)


class Fluent(Symbol):
    """A fluent; call it with its arguments and compare the result with a value."""

    _kind = "fluent"

    def __init__(self, name: str, parameters: tuple[str, ...], values: tuple[Term, ...] | None) -> None:
        super().__init__(name, parameters)
        self.values = values

    def __call__(self, *args: TermLike, **named: TermLike) -> FluentTerm:
        """The fluent with its arguments, in order or by name; missing ones can have any value."""
        return FluentTerm(self._atom(args, named), Const("true"), values=self.values)


class Fact(Symbol):
    """A predicate of the background knowledge; call it with its arguments."""

    _kind = "fact"

    def __call__(self, *args: TermLike, **named: TermLike) -> FactTerm:
        """The fact with its arguments, in order or by name; missing ones can have any value."""
        atom = self._atom(args, named)
        instead = _instead(self.name, len(atom.args) if isinstance(atom, Compound) else 0)
        if instead:
            raise BuilderError(f"{self.name} is part of the language: {instead}")
        return FactTerm(atom)


def event(name: str, *parameters: str) -> Event:
    """An event of the stream, or one that a rule derives.

    >>> event("entersArea")("aurora", "brest")
    entersArea(aurora,brest)
    >>> enters = event("entersArea", "vessel", "area")
    >>> enters(area="brest")
    entersArea(_,brest)
    """
    return Event(name, parameters)


def fluent(name: str, *parameters: str, values: Iterable[TermLike] | None = None) -> Fluent:
    """A property that changes over time. With `values`, no other value is accepted.

    >>> gap = fluent("gap", "vessel", values=["nearPorts", "farFromPorts"])
    >>> gap("aurora") == "nearPorts"
    gap(aurora)=nearPorts
    """
    return Fluent(name, parameters, None if values is None else to_terms(values))


def fact(name: str, *parameters: str) -> Fact:
    """A predicate of the background knowledge.

    >>> fact("areaType")("brest", "nearPorts")
    areaType(brest,nearPorts)
    """
    return Fact(name, parameters)


@dataclass(frozen=True, eq=False, repr=False)
class EventTerm(Condition, Termed):
    """An event with its arguments: it happens."""

    atom: Term
    place: Span = field(default_factory=here)

    def _lower(self, scope: Scope) -> None:
        atom = scope.term(self.atom, self.place)
        scope.add(Happens(atom, scope.moment(self.place, self), self.place))

    def _term(self) -> Term:
        return self.atom

    def __repr__(self) -> str:
        return print_term(self.atom)


@dataclass(frozen=True, eq=False, repr=False)
class FactTerm(Condition, Termed):
    """A fact with its arguments: it is known, or follows from background rules."""

    atom: Term
    place: Span = field(default_factory=here)

    def _lower(self, scope: Scope) -> None:
        if self.atom != Const("true"):
            scope.add(Call(scope.term(self.atom, self.place), self.place))

    def _term(self) -> Term:
        return self.atom

    def __repr__(self) -> str:
        return print_term(self.atom)


@dataclass(frozen=True, eq=False, repr=False)
class Change(Condition):
    """A start or end of a fluent, or its initiation or termination by a rule."""

    kind: Edge | EffectKind
    pair: Pair
    place: Span = field(default_factory=here)

    def _lower(self, scope: Scope) -> None:
        fvp = self.pair._fvp(scope)
        moment = scope.moment(self.place, self)
        if isinstance(self.kind, Edge):
            scope.add(Boundary(self.kind, fvp, moment, self.place))
        else:
            scope.add(Effect(self.kind, fvp, moment, self.place))

    def __repr__(self) -> str:
        return f"{_CHANGES[self.kind]}({self.pair!r})"


_CHANGES: dict[Edge | EffectKind, str] = {
    Edge.START: "start",
    Edge.END: "end",
    EffectKind.INITIATED: "initiated",
    EffectKind.TERMINATED: "terminated",
}


def start(pair: Pair) -> Condition:
    """A maximal interval of the fluent starts."""
    return Change(Edge.START, as_pair(pair, "start(…)"))


def end(pair: Pair) -> Condition:
    """A maximal interval of the fluent ends."""
    return Change(Edge.END, as_pair(pair, "end(…)"))


def initiated(pair: Pair) -> Condition:
    """A rule initiates the fluent, whether or not it holds already."""
    return Change(EffectKind.INITIATED, as_pair(pair, "initiated(…)"))


def terminated(pair: Pair) -> Condition:
    """A rule terminates the fluent, whether or not it holds."""
    return Change(EffectKind.TERMINATED, as_pair(pair, "terminated(…)"))


_BUILT_IN = frozenset({*LIBRARY, *CALENDAR})


class Library:
    """Built-in predicates by name: `lib.member(X, L)`, `lib.sum_list(L, Total)`, `lib.business_hours(T, "8 h", "18 h")`."""

    def __getattr__(self, name: str) -> Callable[..., Condition]:
        known = {predicate for predicate, _ in _BUILT_IN}
        if name not in known:
            close = get_close_matches(name, known, 1)
            hint = f"did you mean lib.{close[0]}?" if close else f"there are {', '.join(sorted(known))}"
            raise UnknownName(f"there is no built-in predicate {name}: {hint}")

        def applied(*args: TermLike) -> Condition:
            if (name, len(args)) not in _BUILT_IN:
                takes = " or ".join(arguments(arity) for predicate, arity in _BUILT_IN if predicate == name)
                raise BuilderError(f"lib.{name} takes {takes}, not {len(args)}")
            is_calendar = (name, len(args)) in CALENDAR
            return FactTerm(apply(name, tuple(map(to_number, args)))) if is_calendar else Fact(name, ())(*args)

        return applied


lib = Library()
