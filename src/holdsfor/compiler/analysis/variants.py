"""The ways through a `holdsFor` body: alternatives spelled out, interval lists told apart from conditions."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.diagnostics import HoldsforError, Span
from holdsfor.ir import (
    Algebra,
    Body,
    Compare,
    Cut,
    FindAll,
    Guard,
    IfThenElse,
    IntervalOperator,
    IntervalRule,
    Intervals,
    Literal,
    Not,
    Or,
    variable_names,
    walk,
)
from holdsfor.records import record
from holdsfor.syntax.terms import EMPTY_LIST, Term, Var, variables


class NotSupported(HoldsforError):
    """A construct that the engine has no operator for; the reference evaluator has."""

    def __init__(self, what: str, span: Span | None = None) -> None:
        self.what, self.span = what, span
        place = "" if span is None else f"{span.location}: "
        super().__init__(
            f"the columnar engine cannot do this yet: {place}{what}; the reference evaluator can (--engine reference)"
        )


@record
class Goal:
    """A condition on interval lists that is no operator: the lists it reads, and the variables it gives values."""

    literal: Literal
    lists: tuple[str, ...]
    gives: tuple[str, ...]


@record
class Variant:
    """One way: the list behind each interval variable, tests for emptiness, and conditions on other variables.

    `steps` are what has to be asked of the lists, in order: tests for emptiness, list predicates of the program, and
    conditions on what those give.
    """

    nodes: dict[str, Intervals | Algebra]
    guards: tuple[Guard, ...]
    conditions: Body
    steps: tuple[Guard | Goal | Literal, ...] = ()


def variants(rule: IntervalRule) -> list[Variant]:
    """All ways through a rule's body."""
    return [_variant(body, rule) for body in _alternatives(rule.body)]


def _alternatives(body: Body) -> Iterator[Body]:
    """A body without disjunctions and conditionals that compute interval lists."""
    for position, literal in enumerate(body):
        if not _computes_intervals(literal):
            continue
        before, after = body[:position], body[position + 1 :]
        for branch in _branches(literal):
            yield from _alternatives((*before, *branch, *after))
        return
    yield body


def _computes_intervals(literal: Literal) -> bool:
    nested = isinstance(literal, Or | IfThenElse)
    return nested and any(
        isinstance(inner, Intervals | Algebra | Guard) or _is_alias(inner) for inner in walk((literal,))
    )


def _is_alias(literal: Literal) -> bool:
    return (
        isinstance(literal, Compare)
        and literal.operator == "="
        and isinstance(literal.left, Var)
        and isinstance(literal.right, Var)
    )


def _branches(literal: Literal) -> tuple[Body, ...]:
    if isinstance(literal, Or):
        return literal.branches
    assert isinstance(literal, IfThenElse)
    chosen = (*literal.condition, *literal.then)
    if literal.otherwise is None:
        return (chosen,)
    refused = _refused(literal)
    return (chosen, (*refused, *literal.otherwise))


def _refused(literal: IfThenElse) -> Body:
    """The condition of a conditional, negated."""
    if len(literal.condition) == 1 and isinstance(literal.condition[0], Guard):
        guard = literal.condition[0]
        return (Guard(guard.intervals, not guard.empty, guard.span),)
    return (Not(literal.condition, literal.span),)


def _variant(body: Body, rule: IntervalRule) -> Variant:
    nodes = list_definitions(body)
    guards: list[Guard] = []
    conditions: list[Literal] = []
    steps: list[Guard | Goal | Literal] = []
    as_lists = _used_as_lists(body, rule)
    known: set[str] = set()
    late: set[str] = set()
    """Variables that list predicates give values."""
    for literal in body:
        mentioned = variable_names((literal,))
        match literal:
            case Intervals(fvp=fvp):
                known |= {variable.name for term in (fvp.fluent, fvp.value) for variable in variables(term)}
                continue
            case Algebra() | Cut():
                continue
            case Guard(intervals=Var(name=name), empty=True) if name not in nodes:
                nodes[name] = Algebra(IntervalOperator.UNION, (EMPTY_LIST,), literal.intervals, span=literal.span)
            case Guard():
                guards.append(literal)
                steps.append(literal)
            case Compare(operator="=", left=Var() as one, right=Var() as other) if (
                one.name in nodes or other.name in nodes
            ):
                target, origin = (other, one) if one.name in nodes else (one, other)
                alias = Algebra(IntervalOperator.UNION, (origin,), target, span=literal.span)
                nodes.setdefault(target.name, alias)
            case FindAll() if any(isinstance(inner, Intervals | Algebra) for inner in walk(literal.body)):
                raise NotSupported("findall over interval lists; name the lists in union_all instead", rule.span)
            case _ if mentioned & nodes.keys() or mentioned & (as_lists - nodes.keys()):
                read = tuple(sorted(mentioned & nodes.keys()))
                given = mentioned - nodes.keys() - known - late - _local(literal)
                steps.append(Goal(literal, read, tuple(sorted(given))))
                late |= given
                inputs: tuple[Term, ...] = tuple(map(Var, read))
                for name in sorted(given & as_lists):
                    nodes[name] = Algebra(IntervalOperator.WRITTEN, inputs, Var(name), span=literal.span)
            case _ if mentioned & late:
                steps.append(literal)
                late |= mentioned - known
            case _:
                conditions.append(literal)
                known |= mentioned
    return Variant(nodes, tuple(guards), tuple(conditions), tuple(steps))


def list_definitions(body: Body) -> dict[str, Intervals | Algebra]:
    """What gives each interval variable its list. Of several conditions, the others are tests that the list is the same.

    >>> from holdsfor.ir import Fvp
    >>> from holdsfor.syntax.terms import Const
    >>> again = Algebra(IntervalOperator.UNION, (Var("I"), Var("I")), Var("I"))
    >>> leaf = Intervals(Fvp(Const("a"), Const("true")), Var("I"))
    >>> list_definitions((again, leaf)) == {"I": leaf}
    True
    """
    found: dict[str, Intervals | Algebra] = {}
    for kind in (Intervals, Algebra):
        for literal in body:
            if isinstance(literal, kind) and isinstance(literal.out, Var):
                given = literal.inputs if isinstance(literal, Algebra) else ()
                if literal.out not in given:
                    found.setdefault(literal.out.name, literal)
    return found


def _used_as_lists(body: Body, rule: IntervalRule) -> set[str]:
    """The variables that stand where interval lists belong."""
    terms: list[Term] = [rule.out]
    for literal in body:
        match literal:
            case Algebra(inputs=inputs):
                terms += inputs
            case Guard(intervals=intervals):
                terms.append(intervals)
            case _:
                continue
    return {variable.name for term in terms for variable in variables(term)}


def _local(literal: Literal) -> set[str]:
    """The variables that only a `findall` or a negation has: they have no value outside."""
    match literal:
        case FindAll(result=result):
            return variable_names((literal,)) - {variable.name for variable in variables(result)}
        case Not():
            return variable_names((literal,))
        case _:
            return set()
