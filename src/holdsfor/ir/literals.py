"""Body literals of the program IR."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field, replace
from enum import StrEnum
from typing import TypeAlias

from holdsfor.diagnostics import NOWHERE, Span
from holdsfor.ir.sliding import Sliding
from holdsfor.records import record
from holdsfor.syntax.terms import Compound, Term, Var, variables


def span_field() -> Span:
    """A field for the source position, which comparisons ignore."""
    return field(default=NOWHERE, compare=False, repr=False)


@record
class Fvp:
    """A fluent-value pair, F=V.

    If the values of a fluent are evaluated separately, the compiler sets `part`: the values that a variable can have.
    It is not printed.
    """

    fluent: Term
    value: Term
    span: Span = span_field()
    part: str | None = None

    @property
    def term(self) -> Term:
        """The pair as a term."""
        return Compound("=", (self.fluent, self.value))


class Edge(StrEnum):
    """The end of a maximal interval at which a boundary event happens."""

    START = "start"
    END = "end"


class EffectKind(StrEnum):
    """Whether a rule initiates or terminates a value."""

    INITIATED = "initiatedAt"
    TERMINATED = "terminatedAt"


class IntervalOperator(StrEnum):
    """Operators on lists of maximal intervals, by their name in rule text."""

    UNION = "union_all"
    INTERSECTION = "intersect_all"
    RELATIVE_COMPLEMENT = "relative_complement_all"
    COMPLEMENT = "complement_all"
    SEQUENCE = "seq"
    ALLEN = "allen"
    LONGER = "intDurGreater"
    SHORTER = "intDurLess"
    AT_LEAST = "intDurAtLeast"
    AT_MOST = "intDurAtMost"
    DIAMOND_MINUS = "diamond_minus"
    BOX_MINUS = "box_minus"
    DIAMOND_PLUS = "diamond_plus"
    BOX_PLUS = "box_plus"
    SINCE = "since"
    UNTIL = "until"
    WRITTEN = "a list predicate of the program"
    """Not an operator, only in the engine: a list that a condition of the program gives."""


POINTWISE = frozenset(
    {
        IntervalOperator.UNION,
        IntervalOperator.INTERSECTION,
        IntervalOperator.RELATIVE_COMPLEMENT,
        IntervalOperator.COMPLEMENT,
    }
)
"""Operators whose result at a time-point depends on their inputs at that time-point alone."""

DURATIONS = {
    IntervalOperator.LONGER: ">",
    IntervalOperator.SHORTER: "<",
    IntervalOperator.AT_LEAST: ">=",
    IntervalOperator.AT_MOST: "=<",
}

METRIC = {
    IntervalOperator.DIAMOND_MINUS: 1,
    IntervalOperator.BOX_MINUS: 1,
    IntervalOperator.DIAMOND_PLUS: 1,
    IntervalOperator.BOX_PLUS: 1,
    IntervalOperator.SINCE: 2,
    IntervalOperator.UNTIL: 2,
}
"""Operators that look some distance back or ahead, with the number of lists each reads."""

AHEAD = frozenset({IntervalOperator.DIAMOND_PLUS, IntervalOperator.BOX_PLUS, IntervalOperator.UNTIL})
"""Metric operators that look ahead."""


class OpenLength(StrEnum):
    """The duration of an open interval in a filter."""

    SO_FAR = "so far"
    """The time-points up to the query time, as in the built-in filters."""
    TO_QUERY = "to the query time"
    """From its start to the query time, which does not count: `queryTime(Q), D is Q-S`."""
    ENDLESS = "endless"
    """Infinite: `D is inf-S`."""
    KEPT = "kept"
    """None: the interval passes."""
    LEFT_OUT = "left out"
    """None: the interval is removed."""


class AllenRelation(StrEnum):
    """Relations between a source and a target interval, on their first and last time-points."""

    BEFORE = "before"
    MEETS = "meets"
    STARTS = "starts"
    FINISHES = "finishes"
    DURING = "during"
    OVERLAPS = "overlaps"
    EQUAL = "equal"


class AllenMode(StrEnum):
    """The part of a pair of intervals that an Allen relation returns."""

    SOURCE = "source"
    TARGET = "target"
    UNION = "union"
    INTERSECTION = "intersection"
    RELATIVE_COMPLEMENT = "relative_complement"
    RELATIVE_COMPLEMENT_INVERSE = "relative_complement_inverse"


@record
class Happens:
    """`happensAt(E, T)`: an input or derived event."""

    event: Term
    time: Term
    span: Span = span_field()


@record
class Boundary:
    """`happensAt(start(F=V), T)` and `happensAt(end(F=V), T)`."""

    edge: Edge
    fvp: Fvp
    time: Term
    span: Span = span_field()


@record
class Holds:
    """`holdsAt(F=V, T)`."""

    fvp: Fvp
    time: Term
    span: Span = span_field()


@record
class Effect:
    """`initiatedAt(F=V, T)` or `terminatedAt(F=V, T)` as a condition."""

    kind: EffectKind
    fvp: Fvp
    time: Term
    span: Span = span_field()


@record
class Instance:
    """The instances of a pair that a termination can end: those that hold or are initiated at the time-point.

    The compiler adds it to terminations that only test a variable of their head. It is not printed.
    """

    fvp: Fvp
    time: Term
    span: Span = span_field()


@record
class Intervals:
    """`holdsFor(F=V, I)`: the maximal intervals of F=V."""

    fvp: Fvp
    out: Term
    span: Span = span_field()


@record
class Distance:
    """`[A,B]`: from A to B time-points away, both included; without `high` there is no limit.

    `written` is the text of durations: `[0,5 min]`.
    """

    low: int
    high: int | None
    written: Term | None = field(default=None, compare=False, repr=False)


@record
class Algebra:
    """An interval operator. `bound` is a duration; `relation` and `mode` belong to Allen, `distance` to metric ones.

    `written` is the original condition if the compiler has replaced it by the operator.
    """

    operator: IntervalOperator
    inputs: tuple[Term, ...]
    out: Term
    bound: Term | None = None
    relation: AllenRelation | None = None
    mode: AllenMode | None = None
    distance: Distance | None = None
    open_length: OpenLength = OpenLength.SO_FAR
    written: Literal | None = None
    span: Span = span_field()


@record
class Guard:
    """`I = []` or `I \\= []` on an interval list."""

    intervals: Term
    empty: bool
    span: Span = span_field()


@record
class Compare:
    """A comparison or unification; `operator` as written."""

    operator: str
    left: Term
    right: Term
    span: Span = span_field()


@record
class Assign:
    """`Target is Expression`."""

    target: Term
    expression: Term
    span: Span = span_field()


@record
class Call:
    """A background predicate or a library predicate such as `member/2`."""

    atom: Term
    span: Span = span_field()


@record
class Not:
    """Negation as failure of a conjunction."""

    body: Body
    span: Span = span_field()


@record
class Or:
    """A disjunction."""

    branches: tuple[Body, ...]
    span: Span = span_field()


@record
class IfThenElse:
    """`(C -> A ; B)`; without an else branch it fails when C fails."""

    condition: Body
    then: Body
    otherwise: Body | None
    span: Span = span_field()


@record
class FindAll:
    """`findall(Template, Goal, Result)`.

    If the compiler adds it for a sliding aggregate, the result is the aggregate of the list.
    """

    template: Term
    body: Body
    result: Term
    span: Span = span_field()
    sliding: Sliding | None = None


@record
class Cut:
    """`!`"""

    span: Span = span_field()


Literal: TypeAlias = (
    Happens
    | Boundary
    | Holds
    | Effect
    | Instance
    | Intervals
    | Algebra
    | Guard
    | Compare
    | Assign
    | Call
    | Not
    | Or
    | IfThenElse
    | FindAll
    | Cut
)
Body: TypeAlias = tuple[Literal, ...]
Temporal: TypeAlias = Happens | Boundary | Holds | Effect


def sub_bodies(literal: Literal) -> tuple[Body, ...]:
    """The bodies nested in a literal."""
    match literal:
        case Not(body=body) | FindAll(body=body):
            return (body,)
        case Or(branches=branches):
            return branches
        case IfThenElse(condition=condition, then=then, otherwise=otherwise):
            return (condition, then) if otherwise is None else (condition, then, otherwise)
        case _:
            return ()


def with_bodies(literal: Literal, change: Callable[[Body], Body]) -> Literal:
    """A literal with changed nested bodies."""
    match literal:
        case Not(body=body) | FindAll(body=body):
            return replace(literal, body=change(body))
        case Or(branches=branches):
            return replace(literal, branches=tuple(change(branch) for branch in branches))
        case IfThenElse(condition=condition, then=then, otherwise=otherwise):
            first, second = change(condition), change(then)
            return replace(
                literal, condition=first, then=second, otherwise=None if otherwise is None else change(otherwise)
            )
        case _:
            return literal


def walk(body: Body) -> Iterator[Literal]:
    """All literals of a body, nested ones included, in reading order."""
    for literal in body:
        yield literal
        for inner in sub_bodies(literal):
            yield from walk(inner)


def literal_terms(literal: Literal) -> tuple[Term, ...]:
    """The terms of a literal, without those of nested bodies."""
    match literal:
        case Happens(event=event, time=time):
            return (event, time)
        case (
            Boundary(fvp=fvp, time=time)
            | Holds(fvp=fvp, time=time)
            | Effect(fvp=fvp, time=time)
            | Instance(fvp=fvp, time=time)
        ):
            return (fvp.fluent, fvp.value, time)
        case Intervals(fvp=fvp, out=out):
            return (fvp.fluent, fvp.value, out)
        case Algebra(inputs=inputs, out=out, bound=bound):
            return (*inputs, *((bound,) if bound is not None else ()), out)
        case Guard(intervals=intervals):
            return (intervals,)
        case Compare(left=left, right=right):
            return (left, right)
        case Assign(target=target, expression=expression):
            return (target, expression)
        case Call(atom=atom):
            return (atom,)
        case FindAll(template=template, result=result):
            return (template, result)
        case _:
            return ()


def literal_variables(literal: Literal) -> Iterator[Var]:
    """All variables of a literal, those of nested bodies included."""
    for term in literal_terms(literal):
        yield from variables(term)
    for body in sub_bodies(literal):
        for inner in body:
            yield from literal_variables(inner)


def variable_names(body: Body) -> set[str]:
    """The names of all variables in a body."""
    return {variable.name for literal in body for variable in literal_variables(literal)}
