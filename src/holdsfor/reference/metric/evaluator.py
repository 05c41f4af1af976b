"""Evaluates metric programs exactly, in rounds until there are no new facts.

All times are `fractions.Fraction`, every rule is tried with every value in every round, and the operators are those of
`times`. It is slow, but short enough to be verified by reading.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from holdsfor.ir import metric
from holdsfor.ir.metric import MetricAtom, MetricFact, MetricProgram, MetricRule
from holdsfor.logic.arithmetic import NoValue, Number, exact_sum, greatest, least
from holdsfor.logic.arithmetic import evaluate as calculate
from holdsfor.reference.metric import times as operators
from holdsfor.reference.metric.bindings import EMPTY, Binding, FactTimes, anyhow, candidates, extensions, ground
from holdsfor.reference.metric.needs import EVERYWHERE, Signature, Stratum, Window, strata, windows
from holdsfor.reference.metric.times import ALWAYS, BEGINNING, END, NEVER, Times, intersection, union
from holdsfor.syntax.terms import Const, Term, Var, variables

Materialisation = dict[tuple[str, tuple[Const, ...]], list[metric.Range]]

_UNARY = {
    metric.UnaryOperator.DIAMOND_MINUS: operators.diamond_minus,
    metric.UnaryOperator.BOX_MINUS: operators.box_minus,
    metric.UnaryOperator.DIAMOND_PLUS: operators.diamond_plus,
    metric.UnaryOperator.BOX_PLUS: operators.box_plus,
}
_BINARY = {metric.BinaryOperator.SINCE: operators.since, metric.BinaryOperator.UNTIL: operators.until}


class Endless(RuntimeError):
    """New facts never end: the program derives for ever, or the limit is too low."""


def evaluate(
    program: MetricProgram,
    facts: Iterable[MetricFact] = (),
    horizon: metric.Range | None = None,
    rounds: int = 2_000,
) -> Materialisation:
    """The maximal intervals of every ground atom within the horizon, or without limit if there is none.

    Recursion in one direction of time ends at the horizon. Without a horizon, or with recursion in both directions, it
    ends if the facts limit it; otherwise `Endless` is raised.
    """
    requested: Window = EVERYWHERE
    if horizon is not None:
        low, high = operators.cuts(horizon)
        requested = low[0], high[0]
    needed = windows(program, requested)
    known = FactTimes()
    for fact in (*program.facts, *facts):
        known.learn((fact.predicate, len(fact.args)), fact.args, Times.during(fact.during))
    for stratum in strata(program):
        for signature in stratum.signatures:
            window = times_of(needed[signature])
            known[signature] = {args: held & window for args, held in known.get(signature, {}).items()}
        _saturate(stratum, known, needed, rounds)
    shown = ALWAYS if horizon is None else Times.during(horizon)
    return {
        (predicate, args): clipped.ranges()
        for (predicate, _), table in known.items()
        for args, held in table.items()
        if (clipped := held & shown)
    }


def times_of(window: Window) -> Times:
    """All times of a window."""
    low, high = window
    return Times.of([(max(BEGINNING, (low, 0)), min(END, (high, 1)))])


def _saturate(stratum: Stratum, known: FactTimes, needed: dict[Signature, Window], rounds: int) -> None:
    for _ in range(rounds):
        news = False
        for rule in stratum.rules:
            signature = rule.head.signature
            window = times_of(needed[signature])
            for args, held in list(consequences(rule, known)):
                news |= known.learn(signature, args, held & window)
        if not news:
            return
    raise Endless(f"{sorted(stratum.signatures)} were not complete after {rounds} rounds")


def consequences(rule: MetricRule, known: FactTimes) -> Iterator[tuple[tuple[Const, ...], Times]]:
    """The facts that a rule derives, and their times."""
    for binding, body in body_solutions(rule, known):
        held = body
        for operator, during in rule.boxes:
            held = held.later(during) if operator is metric.UnaryOperator.BOX_PLUS else held.earlier(during)
        if held:
            yield ground(rule.head, binding), held


def body_solutions(rule: MetricRule, known: FactTimes, start: Binding = EMPTY) -> Iterator[tuple[Binding, Times]]:
    """The bindings of a rule, from given values on, and the times at which the body holds for them."""
    conditions = [literal for literal in rule.body if isinstance(literal, metric.Condition)]
    positive = [condition.atom for condition in conditions if not condition.negated]
    negative = [condition.atom for condition in conditions if condition.negated]
    comparisons = [literal for literal in rule.body if isinstance(literal, metric.Comparison)]
    found: list[tuple[Binding, Times]] = [(start, ALWAYS)]
    for atom in positive:
        found = [(extended, held) for binding, held in found for extended in candidates(atom, binding, known)]
    for literal in rule.body:
        if isinstance(literal, metric.Aggregate):
            rows = list(aggregate_values(literal, known, start))
            found = [
                ({**binding, **row}, held & during)
                for binding, held in found
                for row, during in rows
                if all(binding.get(name, value) == value for name, value in row.items())
            ]
    for matched, during in found:
        for binding in anyhow(positive, with_equations(comparisons, matched), known):
            if all(comparison_holds(comparison, binding) for comparison in comparisons):
                held = intersection([during, *(atom_times(atom, binding, known) for atom in positive)])
                yield binding, held & ~union(atom_times_for_some(atom, binding, known) for atom in negative)


def atom_times(atom: MetricAtom, binding: Binding, known: FactTimes) -> Times:
    """The times at which a metric atom without unbound variables holds."""
    match atom:
        case metric.Atom():
            return known.times(atom.signature, ground(atom, binding))
        case metric.Truth():
            return ALWAYS
        case metric.Unary():
            return _UNARY[atom.operator](atom.range, atom_times(atom.operand, binding, known))
        case _:
            left, right = atom_times(atom.left, binding, known), atom_times(atom.right, binding, known)
            return _BINARY[atom.operator](atom.range, left, right)


def atom_times_for_some(atom: MetricAtom, binding: Binding, known: FactTimes) -> Times:
    """The times at which a metric atom holds for some values of its unbound variables."""
    return union(atom_times(atom, extended, known) for extended in extensions(atom, binding, known))


def with_equations(comparisons: Iterable[metric.Comparison], binding: Binding) -> Binding:
    """The binding extended with the values that equations give to unbound variables."""
    equations = [comparison for comparison in comparisons if comparison.comparator is metric.Comparator.EQUAL]
    values = dict(binding)
    for _ in equations:
        for equation in equations:
            for side, other in ((equation.left, equation.right), (equation.right, equation.left)):
                if isinstance(side, Var) and side.name not in values:
                    value = _value(other, values)
                    if value is not None:
                        values[side.name] = value
    return values


def _value(term: Term, binding: Binding) -> Const | None:
    """The value of a term; None if it has none."""
    if any(variable.name not in binding for variable in variables(term)):
        return None
    if isinstance(term, Var):
        return binding[term.name]
    if isinstance(term, Const):
        return term
    if any(isinstance(binding[variable.name].value, str) for variable in variables(term)):
        return None
    try:
        return Const(calculate(term, binding))
    except NoValue:
        return None


def comparison_holds(comparison: metric.Comparison, binding: Binding) -> bool:
    """Whether a comparison holds. Equality applies to any values, order only to numbers."""
    left, right = _value(comparison.left, binding), _value(comparison.right, binding)
    if left is None or right is None:
        return False
    if comparison.comparator is metric.Comparator.EQUAL:
        return left == right
    if comparison.comparator is metric.Comparator.UNEQUAL:
        return left != right
    if isinstance(left.value, str) or isinstance(right.value, str):
        return False
    match comparison.comparator:
        case metric.Comparator.LESS:
            return left.value < right.value
        case metric.Comparator.AT_MOST:
            return left.value <= right.value
        case metric.Comparator.GREATER:
            return left.value > right.value
        case _:
            return left.value >= right.value


def aggregate_values(
    aggregate: metric.Aggregate, known: FactTimes, start: Binding = EMPTY
) -> Iterator[tuple[Binding, Times]]:
    """The results of an aggregate, with the values of its grouping variables, and their times.

    If the atom holds for no values of the terms, there is no result, not even a count of 0.
    """
    terms = [term.name for term in aggregate.terms]
    shared = sorted({v.name for v in metric.atom_variables(aggregate.atom) if not v.is_anonymous} - set(terms))
    groups: dict[tuple[Const, ...], dict[tuple[Const, ...], Times]] = {}
    fixed = {name: start[name] for name in shared if name in start}
    for binding in extensions(aggregate.atom, fixed, known):
        group = groups.setdefault(tuple(binding[name] for name in shared), {})
        values = tuple(binding[name] for name in terms)
        group[values] = group.get(values, NEVER) | atom_times(aggregate.atom, binding, known)
    for key, members in groups.items():
        borders = sorted({border for held in members.values() for interval in held.intervals for border in interval})
        for low, high in pairwise(borders):
            piece = Times(((low, high),))
            present = [values for values, held in members.items() if held & piece]
            result = _summary(aggregate.function, present) if present else None
            if result is not None:
                yield {**dict(zip(shared, key, strict=True)), aggregate.result.name: Const(result)}, piece


def _summary(function: metric.AggregateFunction, present: list[tuple[Const, ...]]) -> Number | None:
    """The value of an aggregate function; words have none and are ignored."""
    if function is metric.AggregateFunction.COUNT:
        return len(present)
    numbers: list[Number] = [first.value for first, *_ in present if not isinstance(first.value, str)]
    if not numbers:
        return None
    if function is metric.AggregateFunction.MIN:
        return least(numbers)
    if function is metric.AggregateFunction.MAX:
        return greatest(numbers)
    try:
        return exact_sum(numbers)
    except NoValue:
        return None
