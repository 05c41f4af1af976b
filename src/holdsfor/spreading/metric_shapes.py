"""Metric rules of an event description as heads and what they read, so that they are spread over buckets like others.

Metric predicates that a stratum works out for itself, because it reads them in rational time, are no inputs: what their
rules read takes their place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from holdsfor.compiler.analysis.alignment import Reading, RuleShape
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.plan import Plan, Stratum
from holdsfor.ir.metric import Aggregate, Atom, Comparison, MetricRule, atoms
from holdsfor.syntax.terms import Const, Term, Var

_ELSEWHERE = Const("")
"""Stands for a variable that is not one of the rule whose readings are listed."""


def metric_shapes(stratum: Stratum, plan: Plan) -> Iterator[RuleShape]:
    """The metric rules of a stratum."""
    for symbol in stratum.members:
        for rule in _rules(symbol, plan):
            found: dict[Reading, None] = {}
            for atom, columns in _atoms(rule):
                _add(found, atom, columns, stratum, plan)
            yield RuleShape(rule, symbol, rule.head.args, tuple(found))


def _rules(symbol: Symbol, plan: Plan) -> Iterator[MetricRule]:
    return (rule for rule in plan.analysis.entities[symbol].metric if isinstance(rule, MetricRule))


def _atoms(rule: MetricRule) -> Iterator[tuple[Atom, tuple[Term, ...]]]:
    """The atoms that a rule reads, and their arguments; what is counted or added up is no variable of the rule."""
    for literal in rule.body:
        if not isinstance(literal, Comparison):
            own = literal.terms if isinstance(literal, Aggregate) else ()
            for atom in atoms(literal.atom):
                yield atom, tuple(_ELSEWHERE if arg in own else arg for arg in atom.args)


def _add(found: dict[Reading, None], atom: Atom, columns: Sequence[Term], stratum: Stratum, plan: Plan) -> None:
    """What an atom reads; of predicates that are worked out on the way, what their rules read."""
    waiting, seen = [(atom, tuple(columns))], {(atom.signature, tuple(columns))}
    while waiting:
        atom, columns = waiting.pop()
        for symbol in plan.analysis.entities.meant(atom.signature):
            if symbol in stratum.members or symbol not in plan.analysis.graph.metric:
                found.setdefault(Reading(symbol, tuple(columns)))
                continue
            for rule in _rules(symbol, plan):
                given = {arg: term for arg, term in zip(rule.head.args, columns, strict=True) if isinstance(arg, Var)}
                for other, args in _atoms(rule):
                    below = tuple(given.get(arg, _ELSEWHERE) if isinstance(arg, Var) else arg for arg in args)
                    if (other.signature, below) not in seen:
                        seen.add((other.signature, below))
                        waiting.append((other, below))
