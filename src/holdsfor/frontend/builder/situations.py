"""Situations, the arguments of `.during(…)`: they have maximal intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from difflib import get_close_matches
from enum import StrEnum
from typing import Literal as Choice
from typing import NoReturn, TypeAlias, TypeVar

from holdsfor.diagnostics import Span
from holdsfor.frontend.builder.conditions import Condition
from holdsfor.frontend.builder.errors import BuilderError, BuilderPiece, reject_equality, reject_operand
from holdsfor.frontend.builder.places import here
from holdsfor.frontend.builder.scope import Namer, Scope, alias
from holdsfor.frontend.builder.terms import Termed, TermLike, to_length
from holdsfor.ir import DURATIONS, Algebra, AllenMode, AllenRelation, Distance, IntervalOperator, Literal
from holdsfor.syntax.durations import is_duration, length_of
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term

Mode: TypeAlias = (
    AllenMode
    | Choice["source", "target", "union", "intersection", "relative_complement", "relative_complement_inverse"]
)
"""The part of a pair of intervals that an Allen relation returns."""

Length: TypeAlias = "float | str | timedelta"
"""A distance in time: a number of time-points, a timedelta, or text such as "30 min"."""

_E = TypeVar("_E", bound=StrEnum)


class Situation(BuilderPiece):
    """Something that holds during intervals.

    `a & b` is during both, `a | b` during either, `a - b` during a but not b, `~a` whenever not a.
    """

    place: Span

    def _intervals(self, scope: Scope, out: Namer | None) -> Term:
        """Adds the conditions that compute the intervals, named by `out` if given; returns the name."""
        raise NotImplementedError

    def _is_situation(self) -> bool:
        """Whether it has intervals; an if-then-else of mere conditions has none."""
        return True

    def _advice(self) -> str:
        return (
            f"{self!r} speaks of whole intervals: define a fluent with rules.holds(…).during(…) and use the fluent as "
            "the condition"
        )

    def __repr__(self) -> str:
        return f"`{self.place.text}`" if self.place.text else f"a situation ({type(self).__name__})"

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> NoReturn:
        reject_equality(self)

    # Set operations

    def __and__(self, other: Situation) -> Situation:
        return combine(IntervalOperator.INTERSECTION, self, other)

    def __or__(self, other: Situation) -> Situation:
        return combine(IntervalOperator.UNION, self, other)

    def __sub__(self, other: Situation) -> Situation:
        return combine(IntervalOperator.RELATIVE_COMPLEMENT, self, other)

    def __invert__(self) -> Situation:
        return Combination(IntervalOperator.COMPLEMENT, (self,))

    def __rand__(self, other: object) -> NoReturn:
        reject_operand("&", other)

    def __ror__(self, other: object) -> NoReturn:
        reject_operand("|", other)

    def __rsub__(self, other: object) -> NoReturn:
        reject_operand("-", other)

    # Whole intervals

    def then(self, other: Situation) -> Situation:
        """Joins each interval with the next interval of the other situation."""
        before = self.parts if isinstance(self, Chain) else (self,)
        return Chain((*before, as_situation(other, "then(…)")))

    def longer_than(self, duration: TermLike) -> Situation:
        """Its intervals of more than this many time-points."""
        return Filtered(IntervalOperator.LONGER, self, to_length(duration, "longer_than(…)"))

    def shorter_than(self, duration: TermLike) -> Situation:
        """Its intervals of fewer than this many time-points."""
        return Filtered(IntervalOperator.SHORTER, self, to_length(duration, "shorter_than(…)"))

    def at_least(self, duration: TermLike) -> Situation:
        """Its intervals of this many time-points or more."""
        return Filtered(IntervalOperator.AT_LEAST, self, to_length(duration, "at_least(…)"))

    def at_most(self, duration: TermLike) -> Situation:
        """Its intervals of this many time-points or fewer."""
        return Filtered(IntervalOperator.AT_MOST, self, to_length(duration, "at_most(…)"))

    # Some distance away in time

    def sometime_in_last(self, low: Length, high: Length) -> Situation:
        """When it held at some time-point from `low` to `high` time-points back; `math.inf` means no limit."""
        return Distant(IntervalOperator.DIAMOND_MINUS, (self,), _distance(low, high, "sometime_in_last(…)"))

    def always_in_last(self, low: Length, high: Length) -> Situation:
        """When it held at all time-points from `low` to `high` time-points back."""
        return Distant(IntervalOperator.BOX_MINUS, (self,), _distance(low, high, "always_in_last(…)"))

    def sometime_in_next(self, low: Length, high: Length) -> Situation:
        """When it holds at some time-point from `low` to `high` time-points ahead."""
        return Distant(IntervalOperator.DIAMOND_PLUS, (self,), _distance(low, high, "sometime_in_next(…)"))

    def always_in_next(self, low: Length, high: Length) -> Situation:
        """When it holds at all time-points from `low` to `high` time-points ahead."""
        return Distant(IntervalOperator.BOX_PLUS, (self,), _distance(low, high, "always_in_next(…)"))

    def since(self, other: Situation, low: Length, high: Length) -> Situation:
        """When the other held from `low` to `high` time-points back, and this one at all time-points in between."""
        where = "since(…)"
        return Distant(IntervalOperator.SINCE, (self, as_situation(other, where)), _distance(low, high, where))

    def until(self, other: Situation, low: Length, high: Length) -> Situation:
        """When the other holds from `low` to `high` time-points ahead, and this one at all time-points in between."""
        where = "until(…)"
        return Distant(IntervalOperator.UNTIL, (self, as_situation(other, where)), _distance(low, high, where))

    # Pairs of intervals

    def allen(self, relation: AllenRelation | str, target: Situation, *, give: Mode) -> Situation:
        """Pairs of intervals in an Allen relation; `give` selects the part of each pair."""
        where = "an Allen relation"
        return Related(
            _named(relation, {one.value: one for one in AllenRelation}, where),
            _named(give, {one.value: one for one in AllenMode}, "what an Allen relation can give"),
            self,
            as_situation(target, where),
        )

    def before(self, target: Situation, *, give: Mode) -> Situation:
        """Intervals that end before one of the target begins."""
        return self.allen(AllenRelation.BEFORE, target, give=give)

    def meets(self, target: Situation, *, give: Mode) -> Situation:
        """Intervals whose last time-point is the first of one of the target."""
        return self.allen(AllenRelation.MEETS, target, give=give)

    def starts(self, target: Situation, *, give: Mode) -> Situation:
        """Intervals that begin together with one of the target and end before it."""
        return self.allen(AllenRelation.STARTS, target, give=give)

    def finishes(self, target: Situation, *, give: Mode) -> Situation:
        """Intervals that end together with one of the target and begin after it."""
        return self.allen(AllenRelation.FINISHES, target, give=give)

    def during(self, target: Situation, *, give: Mode) -> Situation:
        """Intervals strictly inside one of the target."""
        return self.allen(AllenRelation.DURING, target, give=give)

    def overlaps(self, target: Situation, *, give: Mode) -> Situation:
        """Intervals that begin before one of the target and end inside it."""
        return self.allen(AllenRelation.OVERLAPS, target, give=give)

    def equals(self, target: Situation, *, give: Mode) -> Situation:
        """Intervals that are intervals of the target too."""
        return self.allen(AllenRelation.EQUAL, target, give=give)


def as_situation(item: object, where: str) -> Situation:
    """Checks that an argument is a situation."""
    if isinstance(item, Situation):
        return item
    raise BuilderError(f"{where} needs a situation, that is a fluent or a combination of fluents, not {item!r}")


def _named(value: str, table: Mapping[str, _E], what: str) -> _E:
    if value in table:
        return table[value]
    close = get_close_matches(str(value), table, 1)
    hint = f"did you mean {close[0]}?" if close else f"choose one of {', '.join(table)}"
    raise BuilderError(f"{str(value)!r} is not {what}; {hint}")


def _distance(low: Length, high: Length, where: str) -> Distance | ListTerm:
    """The distance of a metric operator: two whole numbers; a list if one of them is a duration."""
    if isinstance(low, str | timedelta) or isinstance(high, str | timedelta):
        bounds = [_bound(one, where) for one in (low, high)]
        lengths = [length_of(one) for one in bounds if isinstance(one, Compound) and is_duration(one)]
        if min(lengths, default=0) < 0 or bounds[0] == Const("inf"):
            raise BuilderError(f"{where} takes durations of 0 or more, the nearer one first")
        return ListTerm(tuple(bounds))
    for one in (low, high):
        is_whole = isinstance(one, int) and not isinstance(one, bool) and one >= 0
        if not is_whole and not (one is high and one == math.inf):
            raise BuilderError(f"{where} takes a whole number of time-points, 0 or more, not {one!r}")
    assert isinstance(low, int) and isinstance(high, int | float)
    if high < low:
        raise BuilderError(f"{where}: the nearer distance comes first, so write {high}, {low}")
    return Distance(low, None if high == math.inf else int(high))


def _bound(length: Length, where: str) -> Term:
    return Const("inf") if length == math.inf else to_length(length, where)


def combine(operator: IntervalOperator, left: Situation, right: object) -> Combination:
    """`left op right`; chains of one operator are flat."""
    if not isinstance(right, Situation):
        sign = {IntervalOperator.INTERSECTION: "&", IntervalOperator.UNION: "|"}.get(operator, "-")
        if isinstance(right, Condition):
            raise BuilderError(
                f"{right!r} has no intervals and cannot stand beside {sign}: give both to .during(…), one after the other"
            )
        reject_operand(sign, right)
    is_chain = isinstance(left, Combination) and left.operator is operator and left.rest is None
    before = left.inputs if isinstance(left, Combination) and is_chain else (left,)
    return Combination(operator, (*before, right))


@dataclass(frozen=True, eq=False, repr=False)
class Combination(Situation):
    """A set operation on situations; `rest` as in `union`."""

    operator: IntervalOperator
    inputs: tuple[Situation, ...]
    rest: Term | None = None
    place: Span = field(default_factory=here)

    def _intervals(self, scope: Scope, out: Namer | None) -> Term:
        return intervals_of(scope, self.operator, self.inputs, out, self.place, self.rest)


def intervals_of(
    scope: Scope,
    operator: IntervalOperator,
    inputs: tuple[Situation, ...],
    out: Namer | None,
    place: Span,
    rest: Term | None = None,
) -> Term:
    """Adds a set operation after its inputs."""
    scope.require_intervals(inputs[0] if inputs else operator.value)
    terms = tuple(part._intervals(scope, None) for part in inputs)
    if rest is not None:
        terms = (*terms, scope.term(rest, place))
    return scope.define(lambda name: Algebra(operator, terms, name, span=place), out)


@dataclass(frozen=True, eq=False, repr=False)
class Chain(Situation):
    """One situation after another."""

    parts: tuple[Situation, ...]
    place: Span = field(default_factory=here)

    def _intervals(self, scope: Scope, out: Namer | None) -> Term:
        scope.require_intervals(self)
        so_far, *later = [part._intervals(scope, None) for part in self.parts]
        for index, following in enumerate(later, 1):
            wanted = out if index == len(later) else None
            so_far = scope.define(_sequence(so_far, following, self.place), wanted)
        return so_far


def _sequence(first: Term, second: Term, place: Span) -> Callable[[Term], Literal]:
    return lambda out: Algebra(IntervalOperator.SEQUENCE, (first, second), out, span=place)


@dataclass(frozen=True, eq=False, repr=False)
class Filtered(Situation):
    """The intervals whose duration passes a test."""

    operator: IntervalOperator
    situation: Situation
    bound: Term
    place: Span = field(default_factory=here)

    def _intervals(self, scope: Scope, out: Namer | None) -> Term:
        assert self.operator in DURATIONS
        scope.require_intervals(self)
        source = self.situation._intervals(scope, None)
        bound = scope.term(self.bound, self.place)

        def make(name: Term) -> Literal:
            return Algebra(self.operator, (source,), name, bound=bound, span=self.place)

        return scope.define(make, out)


@dataclass(frozen=True, eq=False, repr=False)
class Distant(Situation):
    """A metric operator on one or two situations."""

    operator: IntervalOperator
    inputs: tuple[Situation, ...]
    distance: Distance | ListTerm
    place: Span = field(default_factory=here)

    def _intervals(self, scope: Scope, out: Namer | None) -> Term:
        scope.require_intervals(self)
        inputs = tuple(part._intervals(scope, None) for part in self.inputs)
        distance = self.distance if isinstance(self.distance, Distance) else None
        bound = self.distance if isinstance(self.distance, ListTerm) else None
        return scope.define(
            lambda name: Algebra(self.operator, inputs, name, bound=bound, distance=distance, span=self.place), out
        )


@dataclass(frozen=True, eq=False, repr=False)
class Related(Situation):
    """Intervals of two situations in an Allen relation."""

    relation: AllenRelation
    mode: AllenMode
    source: Situation
    target: Situation
    place: Span = field(default_factory=here)

    def _intervals(self, scope: Scope, out: Namer | None) -> Term:
        scope.require_intervals(self)
        inputs = (self.source._intervals(scope, None), self.target._intervals(scope, None))
        return scope.define(
            lambda name: Algebra(
                IntervalOperator.ALLEN, inputs, name, relation=self.relation, mode=self.mode, span=self.place
            ),
            out,
        )


@dataclass(frozen=True, eq=False, repr=False)
class Given(Situation, Termed):
    """An interval list as a term: a name, or constant intervals."""

    term: Term
    place: Span = field(default_factory=here)

    def _term(self) -> Term:
        return self.term

    def _intervals(self, scope: Scope, out: Namer | None) -> Term:
        scope.require_intervals(self)
        own = scope.term(self.term, self.place)
        if out is None:
            return own
        target = out()
        scope.add(alias(own, target, self.place))
        return target

    def __repr__(self) -> str:
        return print_term(self.term)
