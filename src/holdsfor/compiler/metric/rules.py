"""Rules in normal form: moves, erosions, persistences and joins of relations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeAlias

from holdsfor.ir.metric import AggregateFunction, Comparison, MetricRule, Range, UnaryOperator
from holdsfor.syntax.terms import Const, Term, Var


@dataclass(frozen=True, slots=True)
class Relation:
    """A predicate, or the result of an operator on a relation."""

    name: str
    arity: int
    is_written: bool = True

    def __str__(self) -> str:
        return f"{self.name}/{self.arity}"


@dataclass(frozen=True, slots=True)
class Scan:
    """A relation with its arguments. Constants select, variables join."""

    relation: Relation
    args: tuple[Var | Const, ...]
    negated: bool = False

    @property
    def names(self) -> frozenset[str]:
        """Its variables."""
        return frozenset(arg.name for arg in self.args if isinstance(arg, Var))


@dataclass(frozen=True, slots=True)
class Total:
    """An aggregate over the rows of a relation that hold at the same time."""

    function: AggregateFunction
    result: Var
    terms: tuple[Var, ...]
    scan: Scan

    @property
    def groups(self) -> tuple[Var, ...]:
        """The grouping variables."""
        found = [arg for arg in self.scan.args if isinstance(arg, Var) and not arg.is_anonymous]
        return tuple(dict.fromkeys(var for var in found if var not in self.terms))


JoinLiteral: TypeAlias = Scan | Comparison | Total


@dataclass(frozen=True, slots=True)
class Moved:
    """`head` holds at t iff `source` holds at some point of t minus the offsets: each interval is moved and widened."""

    head: Relation
    source: Relation
    offsets: Range
    origin: MetricRule = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Eroded:
    """`head` holds at t iff `source` holds at all points of t minus the offsets."""

    head: Relation
    source: Relation
    offsets: Range
    origin: MetricRule = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Lasting:
    """`left Since right` (or `Until`), with the variables of both. Another rule covers the right operand alone.

    On a stream, `Until` waits for the length of its look-ahead.
    """

    head: Relation
    columns: tuple[Var, ...]
    left: Scan
    right: Scan
    offsets: Range
    is_until: bool
    origin: MetricRule = field(compare=False, repr=False)
    waits: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True)
class Joined:
    """`head(terms)` holds whenever all literals do."""

    head: Relation
    terms: tuple[Term, ...]
    literals: tuple[JoinLiteral, ...]
    origin: MetricRule = field(compare=False, repr=False)


NormalRule: TypeAlias = Moved | Eroded | Lasting | Joined


def sources(rule: NormalRule) -> Iterator[tuple[Relation, Range, bool]]:
    """The reads of a rule: the relation, the offset of the head, and whether the relation must be complete before."""
    match rule:
        case Moved(source=source, offsets=offsets) | Eroded(source=source, offsets=offsets):
            yield source, offsets, False
        case Lasting(left=left, right=right, offsets=offsets, waits=waits):
            later = Range(waits, waits)
            yield left.relation, plus(_between(offsets), later), False
            yield right.relation, plus(offsets, later), False
        case Joined(literals=literals):
            for literal in literals:
                if isinstance(literal, Scan):
                    yield literal.relation, NOW, literal.negated
                elif isinstance(literal, Total):
                    yield literal.scan.relation, NOW, True


NOW = Range(Fraction(0), Fraction(0))


def _between(offsets: Range) -> Range:
    """The time range in which the left operand of Since is read."""
    zero = Fraction(0)
    if offsets.low is not None and offsets.low >= 0:
        return replace(offsets, low=zero, low_open=False)
    return replace(offsets, high=zero, high_open=False)


def plus(one: Range, other: Range) -> Range:
    """All sums of one number from each range."""
    low = None if one.low is None or other.low is None else one.low + other.low
    high = None if one.high is None or other.high is None else one.high + other.high
    return Range(
        low, high, low is None or one.low_open or other.low_open, high is None or one.high_open or other.high_open
    )


def negative(one: Range) -> Range:
    """All numbers with inverted sign."""
    low, high = (None if bound is None else -bound for bound in (one.high, one.low))
    return Range(low, high, one.high_open, one.low_open)


_PAST = {UnaryOperator.DIAMOND_MINUS, UnaryOperator.BOX_MINUS}


def signed(operator: UnaryOperator, offsets: Range) -> Range:
    """The offsets from the points that an operator reads to its own point."""
    return offsets if operator in _PAST else negative(offsets)
