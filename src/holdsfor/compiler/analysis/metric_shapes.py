"""Metric rules of a mixed program as heads and conditions, so that keys are found for them as for other rules.

Metric predicates that a component works out for itself, because it reads them in rational time, are no inputs: what their
rules read takes their place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.alignment import Reading, RuleShape
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.ir.metric import Aggregate, Atom, Comparison, MetricRule, atoms
from holdsfor.syntax.terms import Const, Term, Var

_ELSEWHERE = Const("")
"""Stands for a variable that is not one of the rule whose readings are listed."""


def metric_shapes(members: Sequence[Symbol], analysis: Analysis) -> Iterator[RuleShape]:
    """The rules of metric predicates that are worked out together."""
    for symbol in members:
        for rule in metric_rules(symbol, analysis):
            found: dict[Reading, None] = {}
            for atom, columns in _atoms(rule):
                _add(found, atom, columns, members, analysis)
            yield RuleShape(rule, symbol, rule.head.args, tuple(found))


def metric_rules(symbol: Symbol, analysis: Analysis) -> Iterator[MetricRule]:
    """The rules of a metric predicate."""
    return (rule for rule in analysis.entities[symbol].metric if isinstance(rule, MetricRule))


def _atoms(rule: MetricRule) -> Iterator[tuple[Atom, tuple[Term, ...]]]:
    """The atoms that a rule reads, and their arguments; what is counted or added up is no variable of the rule."""
    for literal in rule.body:
        if not isinstance(literal, Comparison):
            own = literal.terms if isinstance(literal, Aggregate) else ()
            for atom in atoms(literal.atom):
                yield atom, tuple(_ELSEWHERE if arg in own else arg for arg in atom.args)


def _add(
    found: dict[Reading, None], atom: Atom, columns: Sequence[Term], members: Sequence[Symbol], analysis: Analysis
) -> None:
    """What an atom reads; of predicates that are worked out on the way, what their rules read."""
    waiting, seen = [(atom, tuple(columns))], {(atom.signature, tuple(columns))}
    while waiting:
        atom, columns = waiting.pop()
        for symbol in analysis.entities.meant(atom.signature):
            if symbol in members or symbol not in analysis.graph.metric:
                found.setdefault(Reading(symbol, tuple(columns)))
                continue
            for rule in metric_rules(symbol, analysis):
                given = {arg: term for arg, term in zip(rule.head.args, columns, strict=True) if isinstance(arg, Var)}
                for other, args in _atoms(rule):
                    below = tuple(given.get(arg, _ELSEWHERE) if isinstance(arg, Var) else arg for arg in args)
                    if (other.signature, below) not in seen:
                        seen.add((other.signature, below))
                        waiting.append((other, below))
