"""Functions that combine conditions and situations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from holdsfor.diagnostics import NOWHERE
from holdsfor.frontend.builder.conditions import (
    AnyOf,
    Collection,
    Commitment,
    Computation,
    Condition,
    Negation,
    as_conditions,
)
from holdsfor.frontend.builder.errors import BuilderError
from holdsfor.frontend.builder.situations import Chain, Combination, Given, Situation, as_situation
from holdsfor.frontend.builder.steps import Conditional, Emptiness, Naming, Step, as_steps
from holdsfor.frontend.builder.terms import TermLike, to_term
from holdsfor.frontend.builder.values import Value, var
from holdsfor.ir import IntervalOperator
from holdsfor.syntax.terms import EMPTY_LIST, ListTerm, Term, Var

CUT: Condition = Commitment(NOWHERE)
"""`!`: after it, no further rule for the same head is tried."""

NEVER: Situation = Given(EMPTY_LIST, NOWHERE)
"""The empty list of intervals."""


# Conditions


def not_(*conditions: Condition) -> Condition:
    """Negates the conjunction of the conditions, like `~` for one condition."""
    return Negation(as_conditions(conditions, "not_(…)"))


def either(*conditions: Condition) -> Condition:
    """True if at least one of the conditions is, like `|` for two."""
    parts = as_conditions(conditions, "either(…)")
    return parts[0] if len(parts) == 1 else AnyOf(parts)


def if_(
    condition: Condition | Sequence[Condition],
    *,
    then: Step | Sequence[Step],
    otherwise: Step | Sequence[Step] | None = None,
) -> Conditional:
    """One step if the condition is true, another if it is not; without `otherwise`, none if it is not.

    In `.during(…)` the branches may be situations.
    """
    where = "if_(…)"
    return Conditional(
        as_conditions(_several(condition), where),
        as_steps(_several(then), where),
        None if otherwise is None else as_steps(_several(otherwise), where),
    )


def _several(items: Step | Sequence[Step]) -> tuple[object, ...]:
    return tuple(items) if isinstance(items, Sequence) else (items,)


def find_all(template: TermLike, *conditions: Condition, into: Value) -> Condition:
    """Collects the values of `template` for all solutions of the conditions."""
    return Collection(to_term(template), as_conditions(conditions, "find_all(…)"), to_term(into))


@overload
def let(name: Given, value: Situation) -> Condition: ...
@overload
def let(name: Value, value: TermLike) -> Condition: ...
def let(name: Value | Given, value: TermLike | Situation) -> Condition:
    """Names the value of an expression, or the intervals of a situation.

    >>> from holdsfor.frontend.builder.values import variables
    >>> Speed, Knots = variables("Speed Knots")
    >>> let(Speed, Knots * 1.852)
    Speed is Knots * 1.852
    """
    if isinstance(value, Situation):
        return Naming(_list_name(name), value)
    if isinstance(name, Given):
        raise BuilderError(f"let({name!r}, …) names intervals: give it a situation, not {value!r}")
    return Computation(to_term(name), to_term(value))


def _list_name(name: object) -> Term:
    term = name._term() if isinstance(name, Value | Given) else None
    if not isinstance(term, Var) or term.is_anonymous:
        raise BuilderError(f"let(…) needs a name for the intervals, as in let(named('Slow'), …), not {name!r}")
    return term


def empty(situation: Situation) -> Condition:
    """The situation has no interval."""
    return Emptiness(as_situation(situation, "empty(…)"), is_empty=True)


def nonempty(situation: Situation) -> Condition:
    """The situation has at least one interval."""
    return Emptiness(as_situation(situation, "nonempty(…)"), is_empty=False)


# Situations


def named(name: str) -> Given:
    """Intervals that `let` has named."""
    return Given(to_term(var(name)))


def spans(*intervals: tuple[TermLike, TermLike]) -> Situation:
    """The very intervals, each with its start and the first time-point after it.

    >>> spans((10, 20), (30, float("inf")))
    [(10,20),(30,inf)]
    """
    for interval in intervals:
        if not isinstance(interval, tuple) or len(interval) != 2:
            raise BuilderError(f"spans(…) takes pairs (start, end), not {interval!r}")
    return Given(to_term(list(intervals)))


def union(*situations: Situation, rest: Value | None = None) -> Situation:
    """The union of situations; `rest` is a variable for a list of further interval lists."""
    return _combination(IntervalOperator.UNION, situations, rest, "union(…)")


def intersection(*situations: Situation, rest: Value | None = None) -> Situation:
    """The intersection of situations; `rest` as in `union`."""
    return _combination(IntervalOperator.INTERSECTION, situations, rest, "intersection(…)")


def complement(*situations: Situation, rest: Value | None = None) -> Situation:
    """The complement of the union of situations; `rest` as in `union`."""
    return _combination(IntervalOperator.COMPLEMENT, situations, rest, "complement(…)")


def without(situation: Situation, *others: Situation, rest: Value | None = None) -> Situation:
    """The first situation without the others; `rest` as in `union`."""
    where = "without(…)"
    if not others and rest is None:
        raise BuilderError(f"{where} needs something to take away")
    return _combination(IntervalOperator.RELATIVE_COMPLEMENT, (situation, *others), rest, where)


def _combination(
    operator: IntervalOperator, situations: tuple[Situation, ...], rest: Value | None, where: str
) -> Situation:
    if not situations and rest is None:
        raise BuilderError(f"{where} needs at least one situation")
    parts = tuple(as_situation(situation, where) for situation in situations)
    return Combination(operator, parts, None if rest is None else _rest(rest, where))


def _rest(rest: object, where: str) -> Term:
    term = rest._term() if isinstance(rest, Value) else None
    if not isinstance(term, Var):
        raise BuilderError(f"{where}: rest must be a variable that stands for a list, not {rest!r}")
    return ListTerm((), term)


def seq(first: Situation, *later: Situation) -> Situation:
    """A sequence: joins each interval with the next interval of the following situation."""
    if not later:
        raise BuilderError("seq(…) needs at least two situations")
    return Chain(tuple(as_situation(part, "seq(…)") for part in (first, *later)))
