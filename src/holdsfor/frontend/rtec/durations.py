"""Recognises duration filters that existing programs define by hand.

The usual definition walks the interval list with `findall` and `member`, computes `E - S`, and compares it
with a threshold. Calls to such a predicate become the built-in duration operators. A definition that asks for
anything more is left alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from holdsfor.ir import (
    Assign,
    BackgroundRule,
    Call,
    Compare,
    FindAll,
    IfThenElse,
    IntervalOperator,
    Literal,
    Not,
    Or,
    walk,
)
from holdsfor.syntax.terms import Compound, Const, Term, Var, arguments, functor

_BY_COMPARISON = {
    ">": IntervalOperator.LONGER,
    ">=": IntervalOperator.AT_LEAST,
    "<": IntervalOperator.SHORTER,
    "=<": IntervalOperator.AT_MOST,
}
_MIRRORED = {">": "<", ">=": "=<", "<": ">", "=<": ">="}


@dataclass(frozen=True, slots=True)
class DurationFilter:
    """A user-defined filter: which operator it is and where its arguments stand."""

    operator: IntervalOperator
    intervals: int
    bound: int
    out: int


BUILT_IN = {
    (operator.value, 3): DurationFilter(operator, intervals=0, bound=1, out=2) for operator in _BY_COMPARISON.values()
}


def recognise_filters(rules: Iterable[BackgroundRule]) -> dict[tuple[str, int], DurationFilter]:
    """The duration filters among background rules, by name and arity."""
    found: dict[tuple[str, int], DurationFilter] = {}
    for rule in rules:
        name = functor(rule.head)
        recognised = _recognise(rule)
        if name is not None and recognised is not None:
            found[name] = recognised
    return found


def _recognise(rule: BackgroundRule) -> DurationFilter | None:
    args = arguments(rule.head)
    positions = {arg.name: index for index, arg in enumerate(args) if isinstance(arg, Var)}
    for literal in rule.body:
        if not isinstance(literal, FindAll) or not isinstance(literal.result, Var):
            continue
        source = _walked_list(literal)
        comparison = _duration_comparison(literal)
        if source is None or comparison is None:
            continue
        operator, bound = comparison
        names = (source, bound, literal.result.name)
        if len(set(names)) == 3 and set(names) <= positions.keys() and _only_measures(rule, operator, bound):
            return DurationFilter(operator, *(positions[name] for name in names))
    return None


def _only_measures(rule: BackgroundRule, operator: IntervalOperator, bound: str) -> bool:
    """Whether nothing else decides which intervals are kept; open ends (`inf`) may be told apart."""
    literals = list(walk(rule.body))
    walked = [literal for literal in literals if isinstance(literal, Call) and functor(literal.atom) == ("member", 2)]
    return len(walked) == 1 and all(_is_expected(literal, operator, bound) for literal in literals)


def _is_expected(literal: Literal, operator: IntervalOperator, bound: str) -> bool:
    match literal:
        case FindAll() | Assign() | Or() | IfThenElse() | Not():
            return True
        case Call(atom=atom):
            return functor(atom) in (("member", 2), ("queryTime", 1))
        case Compare(operator="=" | "\\=" | "==" | "\\==", left=left, right=right):
            return Const("inf") in (left, right)
        case Compare(operator=name, left=left, right=right) if name in _BY_COMPARISON:
            if isinstance(right, Var) and right.name == bound:
                return _BY_COMPARISON[name] is operator
            return isinstance(left, Var) and left.name == bound and _BY_COMPARISON[_MIRRORED[name]] is operator
        case _:
            return False


def _walked_list(goal: FindAll) -> str | None:
    """The list variable L in `findall((S,E), (member((S,E), L), …), …)`."""
    for literal in goal.body:
        if isinstance(literal, Call) and functor(literal.atom) == ("member", 2):
            element, source = arguments(literal.atom)
            if element == goal.template and isinstance(source, Var):
                return source.name
    return None


def _duration_comparison(goal: FindAll) -> tuple[IntervalOperator, str] | None:
    differences = {name for literal in walk(goal.body) for name in _difference(literal, goal.template)}
    for literal in walk(goal.body):
        if isinstance(literal, Compare) and literal.operator in _BY_COMPARISON:
            left, right = literal.left, literal.right
            if _is_duration(left, differences, goal.template) and isinstance(right, Var):
                return _BY_COMPARISON[literal.operator], right.name
            if _is_duration(right, differences, goal.template) and isinstance(left, Var):
                return _BY_COMPARISON[_MIRRORED[literal.operator]], left.name
    return None


def _difference(literal: Literal, template: Term) -> list[str]:
    if isinstance(literal, Assign) and isinstance(literal.target, Var) and _is_length(literal.expression, template):
        return [literal.target.name]
    return []


def _is_duration(term: Term, differences: set[str], template: Term) -> bool:
    return (isinstance(term, Var) and term.name in differences) or _is_length(term, template)


def _is_length(term: Term, template: Term) -> bool:
    """Whether a term is `E - S` for the template `(S,E)`."""
    return (
        isinstance(term, Compound)
        and term.name == "-"
        and isinstance(template, Compound)
        and len(term.args) == len(template.args) == 2
        and term.args == (template.args[1], template.args[0])
    )
