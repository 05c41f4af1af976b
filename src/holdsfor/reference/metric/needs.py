"""Computes which predicates must be known before others, and for which times."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from holdsfor.ir import metric
from holdsfor.ir.metric import MetricAtom, MetricProgram, MetricRule
from holdsfor.reference.metric.times import Moment

Signature = tuple[str, int]
Window = tuple[Moment, Moment]
"""The first and last time for which something must be known."""

EVERYWHERE: Window = (-math.inf, math.inf)
NOWHERE: Window = (math.inf, -math.inf)


class NotStratified(ValueError):
    """A predicate depends on its own negation, or on an aggregate of itself."""


@dataclass(frozen=True)
class Stratum:
    """Predicates that depend on each other, and the rules that define them."""

    signatures: frozenset[Signature]
    rules: tuple[MetricRule, ...]


def strata(program: MetricProgram) -> list[Stratum]:
    """The head predicates in groups; a group depends only on itself and on earlier groups."""
    heads = {rule.head.signature for rule in program.rules}
    reached: dict[Signature, set[Signature]] = {head: set() for head in heads}
    for rule in program.rules:
        reached[rule.head.signature] |= heads & set(uses(rule))
    for middle in heads:
        for head in heads:
            if middle in reached[head]:
                reached[head] |= reached[middle]
    groups = {frozenset({head, *(other for other in reached[head] if head in reached[other])}) for head in heads}
    # A group reaches everything that its dependencies reach, and itself in addition.
    ordered = sorted(groups, key=lambda group: (len(group.union(*(reached[head] for head in group))), sorted(group)))
    found = [Stratum(group, tuple(rule for rule in program.rules if rule.head.signature in group)) for group in ordered]
    for stratum in found:
        for rule in stratum.rules:
            if blocked := stratum.signatures & set(_settled_uses(rule)):
                raise NotStratified(f"{sorted(stratum.signatures)} depend on what is not true of {sorted(blocked)}")
    return found


def uses(rule: MetricRule) -> Iterator[Signature]:
    """The predicates of the body."""
    for literal in rule.body:
        if not isinstance(literal, metric.Comparison):
            yield from (atom.signature for atom in metric.atoms(literal.atom))


def _settled_uses(rule: MetricRule) -> Iterator[Signature]:
    """The predicates of the body that must be complete before the rule is used."""
    for literal in rule.body:
        if isinstance(literal, metric.Aggregate) or (not isinstance(literal, metric.Comparison) and literal.negated):
            yield from (atom.signature for atom in metric.atoms(literal.atom))


def windows(program: MetricProgram, requested: Window) -> dict[Signature, Window]:
    """When each predicate must be known, for the head predicates to be right in the window `requested`.

    A predicate needed in a window requires the predicates of its rules' bodies in windows that the operators move and
    extend. The resulting windows satisfy all these requirements, so everything outside can be left out without a
    change inside. A window that still grows after as many rounds as there are predicates grows for ever.
    """
    needed = {rule.head.signature: requested for rule in program.rules}
    count = len({signature for rule in program.rules for signature in (rule.head.signature, *uses(rule))})
    while True:
        for _ in range(count):
            needed = _one_round(program, needed)
        grown = _one_round(program, needed)
        if grown == needed:
            return needed
        needed = {
            signature: (
                low if low == needed.get(signature, NOWHERE)[0] else -math.inf,
                high if high == needed.get(signature, NOWHERE)[1] else math.inf,
            )
            for signature, (low, high) in grown.items()
        }


def _one_round(program: MetricProgram, needed: Mapping[Signature, Window]) -> dict[Signature, Window]:
    grown = dict(needed)
    for rule in program.rules:
        body = needed[rule.head.signature]
        for operator, during in rule.boxes:
            # Boxplus derives times after those of the body, so the body is needed earlier.
            body = _past(body, during) if operator is metric.UnaryOperator.BOX_PLUS else _future(body, during)
        for literal in rule.body:
            if not isinstance(literal, metric.Comparison):
                for signature, (low, high) in _demands(literal.atom, body):
                    known_low, known_high = grown.get(signature, NOWHERE)
                    grown[signature] = min(low, known_low), max(high, known_high)
    return grown


def _demands(atom: MetricAtom, window: Window) -> Iterator[tuple[Signature, Window]]:
    match atom:
        case metric.Atom():
            yield atom.signature, window
        case metric.Unary(metric.UnaryOperator.DIAMOND_MINUS | metric.UnaryOperator.BOX_MINUS, during, operand):
            yield from _demands(operand, _past(window, during))
        case metric.Unary(_, during, operand):
            yield from _demands(operand, _future(window, during))
        case metric.Truth():
            return
        case _:
            past = atom.operator is metric.BinaryOperator.SINCE
            low, high = _past(window, atom.range) if past else _future(window, atom.range)
            yield from _demands(atom.right, (low, high))
            yield from _demands(atom.left, (min(low, window[0]), max(high, window[1])))


def _past(window: Window, during: metric.Range) -> Window:
    assert during.low is not None
    return window[0] - (math.inf if during.high is None else during.high), window[1] - during.low


def _future(window: Window, during: metric.Range) -> Window:
    assert during.low is not None
    return window[0] + during.low, window[1] + (math.inf if during.high is None else during.high)
