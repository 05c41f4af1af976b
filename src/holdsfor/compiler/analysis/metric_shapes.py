"""Describes metric rules of a mixed program as heads and conditions, so that key search applies to them.

Metric predicates that a component evaluates itself, because it reads them in rational time, are no inputs. The readings
of their rules replace them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.alignment import RuleReading, RuleShape
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.ir.metric import Aggregate, Atom, Comparison, MetricRule, atoms
from holdsfor.syntax.terms import Const, Term, Var

_ELSEWHERE = Const("")
"""Replaces a variable that does not belong to the rule whose readings are listed."""


def metric_shapes(members: Sequence[Symbol], analysis: Analysis) -> Iterator[RuleShape]:
    """The shapes of the rules of metric predicates that are evaluated together."""
    for symbol in members:
        for rule in metric_rules(symbol, analysis):
            found: dict[RuleReading, None] = {}
            for atom, columns in read_columns(rule):
                _add(found, atom, columns, members, analysis)
            yield RuleShape(rule, symbol, rule.head.args, tuple(found))


def metric_rules(symbol: Symbol, analysis: Analysis) -> Iterator[MetricRule]:
    """The rules of a metric predicate."""
    return (rule for rule in analysis.entities[symbol].metric if isinstance(rule, MetricRule))


def read_columns(rule: MetricRule) -> Iterator[tuple[Atom, tuple[Term, ...]]]:
    """The atoms that a rule reads, with their arguments. Aggregated variables are local to the aggregate."""
    for literal in rule.body:
        if not isinstance(literal, Comparison):
            own = literal.terms if isinstance(literal, Aggregate) else ()
            for atom in atoms(literal.atom):
                yield atom, tuple(_ELSEWHERE if arg in own else arg for arg in atom.args)


def _add(
    found: dict[RuleReading, None], atom: Atom, columns: Sequence[Term], members: Sequence[Symbol], analysis: Analysis
) -> None:
    """Adds the reading of an atom; for a predicate evaluated in the same component, the readings of its rules."""
    waiting, seen = [(atom, tuple(columns))], {(atom.signature, tuple(columns))}
    while waiting:
        atom, columns = waiting.pop()
        for symbol in analysis.entities.meant(atom.signature):
            if symbol in members or symbol not in analysis.graph.metric:
                found.setdefault(RuleReading(symbol, tuple(columns)))
                continue
            for rule in metric_rules(symbol, analysis):
                given = {arg: term for arg, term in zip(rule.head.args, columns, strict=True) if isinstance(arg, Var)}
                for other, args in read_columns(rule):
                    below = tuple(given.get(arg, _ELSEWHERE) if isinstance(arg, Var) else arg for arg in args)
                    if (other.signature, below) not in seen:
                        seen.add((other.signature, below))
                        waiting.append((other, below))
