"""Checks whether metric rules derive something only for keys that rows mention."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.ir import metric
from holdsfor.ir.metric import MetricAtom, MetricFact, MetricRule
from holdsfor.physical.instructions import origin


def without_key(members: Sequence[Symbol], spread: Collection[Symbol], analysis: Analysis) -> str:
    """Names a rule or fact that derives something without a row that has the key, if there is one.

    `spread` contains the members, and the inputs whose rows are routed to keys.
    """
    # Everything that mutually recursive rules derive begins with something outside the recursion.
    reasons = dict.fromkeys(analysis.graph.with_metric_sources(members), "")
    while any(_is_loose(symbol, spread, reasons, analysis) for symbol in reversed(reasons) if not reasons[symbol]):
        pass
    return next((reasons[symbol] for symbol in members if reasons[symbol]), "")


def _is_loose(symbol: Symbol, spread: Collection[Symbol], reasons: dict[Symbol, str], analysis: Analysis) -> bool:
    for one in analysis.entities[symbol].metric:
        if isinstance(one, MetricFact):
            reasons[symbol] = f"the fact at {origin(one.span)} holds of entities that no row mentions"
            return True
        if not any(_is_given(atom, spread, reasons, analysis) for atom in _required(one)):
            reasons[symbol] = f"the rule at {origin(one.span)} reads nothing that has the key"
            return True
    return False


def _is_given(atom: metric.Atom, spread: Collection[Symbol], reasons: dict[Symbol, str], analysis: Analysis) -> bool:
    meant = analysis.entities.meant(atom.signature)
    return all(not reasons[symbol] if symbol in reasons else symbol in spread for symbol in meant)


def _required(rule: MetricRule) -> Iterator[metric.Atom]:
    """The atoms that must hold at some time for the rule to succeed."""
    for literal in rule.body:
        if isinstance(literal, metric.Comparison) or (not isinstance(literal, metric.Aggregate) and literal.negated):
            continue
        yield from _parts(literal.atom)


def _parts(atom: MetricAtom) -> Iterator[metric.Atom]:
    match atom:
        case metric.Atom():
            yield atom
        case metric.Unary(operand=operand):
            yield from _parts(operand)
        case metric.Binary(right=right):
            yield from _parts(right)
        case metric.Truth():
            return
