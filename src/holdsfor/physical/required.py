"""Determines which conditions a statically determined fluent requires: without their intervals it has none."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.ir import (
    Algebra,
    Body,
    Call,
    Compare,
    FindAll,
    Guard,
    IntervalOperator,
    IntervalRule,
    Intervals,
    Literal,
    literal_terms,
    walk,
)
from holdsfor.syntax.terms import ListTerm, Term, Var, arguments, functor, variables

Leaves = frozenset[int]
"""Positions in the body of conditions that give the intervals of a fluent."""


def required_leaves(rule: IntervalRule, body: Body) -> list[Intervals]:
    """The conditions of a body without whose intervals the rule gives no intervals.

    >>> from holdsfor.ir import Fvp
    >>> from holdsfor.syntax.terms import Const
    >>> a, b = (Intervals(Fvp(Const(name), Const("true")), Var(name.upper())) for name in "ab")
    >>> both = Algebra(IntervalOperator.INTERSECTION, (Var("A"), Var("B")), Var("I"))
    >>> [leaf.out.name for leaf in required_leaves(IntervalRule(Fvp(Const("c"), Const("true")), Var("I"), ()), (a, b, both))]
    ['A', 'B']
    """
    needs: dict[str, Leaves] = {}
    guarded: set[int] = set()
    for place, literal in enumerate(body):
        match literal:
            case Intervals(out=Var(name=name)):
                needs[name] = frozenset({place})
            case Algebra(out=Var(name=name)):
                needs[name] = _needed(literal, needs)
            case Guard(intervals=Var(name=name), empty=False):
                guarded |= needs.get(name, frozenset())
            case _:
                continue
    wanted = guarded | (needs.get(rule.out.name, frozenset()) if isinstance(rule.out, Var) else frozenset())
    return [literal for place, literal in enumerate(body) if place in wanted and isinstance(literal, Intervals)]


def _needed(literal: Algebra, needs: dict[str, Leaves]) -> Leaves:
    inputs = [_of(term, needs) for term in literal.inputs]
    if not inputs:
        return frozenset()
    match literal.operator:
        case IntervalOperator.UNION:
            return frozenset.intersection(*inputs)
        case IntervalOperator.COMPLEMENT:
            return frozenset()
        case IntervalOperator.INTERSECTION | IntervalOperator.SEQUENCE | IntervalOperator.ALLEN:
            return frozenset().union(*inputs)
        case IntervalOperator.SINCE | IntervalOperator.UNTIL:
            return inputs[1]
        case _:
            return inputs[0]


def _of(term: Term, needs: dict[str, Leaves]) -> Leaves:
    return needs.get(term.name, frozenset()) if isinstance(term, Var) else frozenset()


def makes_intervals(rule: IntervalRule) -> bool:
    """Whether a rule may give intervals although none of its fluents has one: from a complement, or from facts.

    >>> from holdsfor.ir import Fvp
    >>> from holdsfor.syntax.terms import Const
    >>> a = Intervals(Fvp(Const("a"), Const("true")), Var("A"))
    >>> for inputs in ((Var("A"), Var("A")), (Var("A"), Var("Facts"))):
    ...     both = Algebra(IntervalOperator.UNION, inputs, Var("I"))
    ...     makes_intervals(IntervalRule(Fvp(Const("b"), Const("true")), Var("I"), (a, both)))
    False
    True
    """
    literals = list(walk(rule.body))
    names = {one.name for literal in literals for term in literal_terms(literal) for one in variables(term)}
    # Names of lists that may be non-empty: those that no condition here defines, and those that follow from them.
    filled = names - {name for literal in literals for name in _decided(literal)}
    known = -1
    while known < len(filled):
        known = len(filled)
        filled.update(name for literal in literals for name in _decided(literal) if _fills(literal, name, filled))
    return not _is_empty(rule.out, filled)


def _decided(literal: Literal) -> Iterator[str]:
    """The names of the lists that a condition gives."""
    match literal:
        case Intervals(out=Var(name=name)) | Algebra(out=Var(name=name)) | FindAll(result=Var(name=name)):
            yield name
        case Compare(operator="=", left=left, right=right):
            yield from (one.name for one in (left, right) if isinstance(one, Var))
        case _:
            return


def _fills(literal: Literal, name: str, filled: set[str]) -> bool:
    """Whether the list that a condition gives may be non-empty."""
    match literal:
        case Algebra(operator=operator, inputs=inputs):
            return operator is IntervalOperator.COMPLEMENT or not all(_is_empty(one, filled) for one in inputs)
        case Compare(left=left, right=right):
            is_left = isinstance(left, Var) and left.name == name
            return not _is_empty(right if is_left else left, filled)
        case FindAll(body=body):
            members = (arguments(one.atom)[1] for one in body if isinstance(one, Call) and functor(one.atom) == _MEMBER)
            return not any(_is_empty(one, filled) for one in members)
        case _:
            return False


_MEMBER = ("member", 2)


def _is_empty(term: Term, filled: set[str]) -> bool:
    return term.name not in filled if isinstance(term, Var) else isinstance(term, ListTerm) and not term.items
