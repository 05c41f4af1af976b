"""Metric programs: the rules of DatalogMTL, over rational time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

from holdsfor.diagnostics import NOWHERE, Diagnostic, Span
from holdsfor.ir.scale import declared_scale, is_time_goal
from holdsfor.records import record
from holdsfor.syntax.terms import Compound, Const, Term, Var, variables
from holdsfor.times import TimeScale


def _span() -> Span:
    return field(default=NOWHERE, compare=False, repr=False)


@record
class Range:
    """An interval of rational numbers; a bound of None is infinite, and open.

    `durations` are the bounds that were written as durations (`[0, 5 min]`). Their numbers are nanoseconds until
    the time unit is known.
    """

    low: Fraction | None
    high: Fraction | None
    low_open: bool = False
    high_open: bool = False
    span: Span = _span()
    durations: tuple[Compound | None, Compound | None] = field(default=(None, None), compare=False, repr=False)

    @property
    def is_punctual(self) -> bool:
        """Whether it is a single number."""
        return self.low is not None and self.low == self.high

    def __contains__(self, number: Fraction | int) -> bool:
        above = self.low is None or (number > self.low if self.low_open else number >= self.low)
        return above and (self.high is None or (number < self.high if self.high_open else number <= self.high))


class UnaryOperator(StrEnum):
    """Operators on one metric atom, by their name in rule text."""

    DIAMOND_MINUS = "Diamondminus"
    BOX_MINUS = "Boxminus"
    DIAMOND_PLUS = "Diamondplus"
    BOX_PLUS = "Boxplus"


class BinaryOperator(StrEnum):
    """Operators on two metric atoms."""

    SINCE = "Since"
    UNTIL = "Until"


@record
class Atom:
    """A predicate with its arguments, which are variables and constants."""

    predicate: str
    args: tuple[Var | Const, ...] = ()
    span: Span = _span()

    @property
    def signature(self) -> tuple[str, int]:
        """Name and arity."""
        return self.predicate, len(self.args)


@record
class Truth:
    """`Top`, which always holds."""

    span: Span = _span()


@record
class Unary:
    """`Diamondminus[a,b] M` and the like."""

    operator: UnaryOperator
    range: Range
    operand: MetricAtom
    span: Span = _span()


@record
class Binary:
    """`M Since[a,b] N`, `M Until[a,b] N`."""

    operator: BinaryOperator
    range: Range
    left: MetricAtom
    right: MetricAtom
    span: Span = _span()


MetricAtom: TypeAlias = Atom | Truth | Unary | Binary


@record
class Condition:
    """A metric atom in a body, or its negation."""

    atom: MetricAtom
    negated: bool = False
    span: Span = _span()


class Comparator(StrEnum):
    """Comparisons of arguments."""

    EQUAL = "="
    UNEQUAL = "!="
    LESS = "<"
    AT_MOST = "<="
    GREATER = ">"
    AT_LEAST = ">="


@record
class Comparison:
    """`X < Y + 1`. An equation binds a variable on one side that is otherwise unbound."""

    comparator: Comparator
    left: Term
    right: Term
    span: Span = _span()


class AggregateFunction(StrEnum):
    """Functions of the facts that hold at the same time."""

    COUNT = "count"
    SUM = "sum"
    MIN = "min"
    MAX = "max"


@record
class Aggregate:
    """`N = count(Y : P(X,Y))`: of the distinct values of `terms` for which the atom holds, at every time.

    The first term is the one that is added up or compared. Variables of the atom that are not among the terms, and not
    anonymous, are those of the rule: there is a result for each of their values for which the atom holds at all.
    """

    function: AggregateFunction
    result: Var
    terms: tuple[Var, ...]
    atom: MetricAtom
    span: Span = _span()


MetricLiteral: TypeAlias = Condition | Comparison | Aggregate


@record
class MetricRule:
    """`Boxplus[a,b] P(X) :- …`; `boxes` are the operators before the head's atom, from the outside in."""

    boxes: tuple[tuple[UnaryOperator, Range], ...]
    head: Atom
    body: tuple[MetricLiteral, ...]
    span: Span = _span()


@record
class MetricFact:
    """`P(a)@[1,2)`."""

    predicate: str
    args: tuple[Const, ...]
    during: Range
    span: Span = _span()


@record
class MetricDirective:
    """`:- time_unit(s), time_zone('Europe/Athens').`"""

    goals: tuple[Term, ...]
    span: Span = _span()


@dataclass(frozen=True)
class MetricProgram:
    """Rules and facts in the order in which they were written; `diagnostics` are the front end's findings."""

    rules: tuple[MetricRule, ...]
    facts: tuple[MetricFact, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = field(default=(), compare=False, repr=False)
    directives: tuple[MetricDirective, ...] = ()

    def __add__(self, other: MetricProgram) -> MetricProgram:
        return MetricProgram(
            self.rules + other.rules,
            self.facts + other.facts,
            self.diagnostics + other.diagnostics,
            self.directives + other.directives,
        )

    @property
    def time_goals(self) -> tuple[Term, ...]:
        """The goals of directives about time-points."""
        return tuple(goal for directive in self.directives for goal in directive.goals if is_time_goal(goal))

    @cached_property
    def time_scale(self) -> TimeScale | None:
        """The unit of time, if declared."""
        return declared_scale(self.time_goals)


def atoms(atom: MetricAtom) -> Iterator[Atom]:
    """The relational atoms inside a metric atom, in reading order."""
    if isinstance(atom, Atom):
        yield atom
    elif isinstance(atom, Unary):
        yield from atoms(atom.operand)
    elif isinstance(atom, Binary):
        yield from atoms(atom.left)
        yield from atoms(atom.right)


def atom_variables(atom: MetricAtom) -> Iterator[Var]:
    """The variables of a metric atom in reading order, repetitions included."""
    for found in atoms(atom):
        for arg in found.args:
            yield from variables(arg)


def binding_variables(atom: MetricAtom) -> Iterator[Var]:
    """The variables to which a metric atom gives values: all but those that only the left operand of `Since` or
    `Until` has, since that may hold for no time at all.
    """
    if isinstance(atom, Atom):
        for arg in atom.args:
            yield from variables(arg)
    elif isinstance(atom, Unary):
        yield from binding_variables(atom.operand)
    elif isinstance(atom, Binary):
        yield from binding_variables(atom.right)
