"""Determines which conditions a statically determined fluent requires: without their intervals it has none."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor import ir
from holdsfor.syntax.terms import ListTerm, Term, Var, arguments, functor, variables

Leaves = frozenset[int]
"""Positions in the body of conditions that give the intervals of a fluent."""


def required_leaves(rule: ir.IntervalRule, body: ir.Body) -> list[ir.Intervals]:
    """The conditions of a body without whose intervals the rule gives no intervals.

    >>> from holdsfor.syntax.terms import Const
    >>> a, b = (ir.Intervals(ir.Fvp(Const(name), Const("true")), Var(name.upper())) for name in "ab")
    >>> both = ir.Algebra(ir.IntervalOperator.INTERSECTION, (Var("A"), Var("B")), Var("I"))
    >>> [leaf.out.name for leaf in required_leaves(ir.IntervalRule(ir.Fvp(Const("c"), Const("true")), Var("I"), ()), (a, b, both))]
    ['A', 'B']
    """
    needs: dict[str, Leaves] = {}
    guarded: set[int] = set()
    for place, literal in enumerate(body):
        match literal:
            case ir.Intervals(out=Var(name=name)):
                needs[name] = frozenset({place})
            case ir.Algebra(out=Var(name=name)):
                needs[name] = _needed(literal, needs)
            case ir.Guard(intervals=Var(name=name), empty=False):
                guarded |= needs.get(name, frozenset())
            case _:
                continue
    wanted = guarded | (needs.get(rule.out.name, frozenset()) if isinstance(rule.out, Var) else frozenset())
    return [literal for place, literal in enumerate(body) if place in wanted and isinstance(literal, ir.Intervals)]


def _needed(literal: ir.Algebra, needs: dict[str, Leaves]) -> Leaves:
    inputs = [_of(term, needs) for term in literal.inputs]
    if not inputs:
        return frozenset()
    match literal.operator:
        case ir.IntervalOperator.UNION:
            return frozenset.intersection(*inputs)
        case ir.IntervalOperator.COMPLEMENT:
            return frozenset()
        case ir.IntervalOperator.INTERSECTION | ir.IntervalOperator.SEQUENCE | ir.IntervalOperator.ALLEN:
            return frozenset().union(*inputs)
        case ir.IntervalOperator.SINCE | ir.IntervalOperator.UNTIL:
            return inputs[1]
        case _:
            return inputs[0]


def _of(term: Term, needs: dict[str, Leaves]) -> Leaves:
    return needs.get(term.name, frozenset()) if isinstance(term, Var) else frozenset()


def makes_intervals(rule: ir.IntervalRule) -> bool:
    """Whether a rule may give intervals although none of its fluents has one: from a complement, or from facts.

    >>> from holdsfor.syntax.terms import Const
    >>> a = ir.Intervals(ir.Fvp(Const("a"), Const("true")), Var("A"))
    >>> for inputs in ((Var("A"), Var("A")), (Var("A"), Var("Facts"))):
    ...     both = ir.Algebra(ir.IntervalOperator.UNION, inputs, Var("I"))
    ...     makes_intervals(ir.IntervalRule(ir.Fvp(Const("b"), Const("true")), Var("I"), (a, both)))
    False
    True
    """
    literals = list(ir.walk(rule.body))
    names = {one.name for literal in literals for term in ir.literal_terms(literal) for one in variables(term)}
    # Names of lists that may be non-empty: those that no condition here defines, and those that follow from them.
    filled = names - {name for literal in literals for name in _decided(literal)}
    known = -1
    while known < len(filled):
        known = len(filled)
        filled.update(name for literal in literals for name in _decided(literal) if _fills(literal, name, filled))
    return not _is_empty(rule.out, filled)


def _decided(literal: ir.Literal) -> Iterator[str]:
    """The names of the lists that a condition gives."""
    match literal:
        case ir.Intervals(out=Var(name=name)) | ir.Algebra(out=Var(name=name)) | ir.FindAll(result=Var(name=name)):
            yield name
        case ir.Compare(operator="=", left=left, right=right):
            yield from (one.name for one in (left, right) if isinstance(one, Var))
        case _:
            return


def _fills(literal: ir.Literal, name: str, filled: set[str]) -> bool:
    """Whether the list that a condition gives may be non-empty."""
    match literal:
        case ir.Algebra(operator=operator, inputs=inputs):
            return operator is ir.IntervalOperator.COMPLEMENT or not all(_is_empty(one, filled) for one in inputs)
        case ir.Compare(left=left, right=right):
            is_left = isinstance(left, Var) and left.name == name
            return not _is_empty(right if is_left else left, filled)
        case ir.FindAll(body=body):
            members = (
                arguments(one.atom)[1] for one in body if isinstance(one, ir.Call) and functor(one.atom) == _MEMBER
            )
            return not any(_is_empty(one, filled) for one in members)
        case _:
            return False


_MEMBER = ("member", 2)


def _is_empty(term: Term, filled: set[str]) -> bool:
    return term.name not in filled if isinstance(term, Var) else isinstance(term, ListTerm) and not term.items
