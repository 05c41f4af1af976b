"""Which fluents a statically determined fluent cannot do without: where one of them has no interval, neither has it."""

from __future__ import annotations

from holdsfor.ir import Algebra, Body, Guard, IntervalOperator, IntervalRule, Intervals
from holdsfor.syntax.terms import Term, Var

Leaves = frozenset[int]
"""Places in the body of conditions that give the intervals of a fluent."""


def required_leaves(rule: IntervalRule, body: Body) -> list[Intervals]:
    """The conditions of a body without whose intervals the rule gives none.

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
