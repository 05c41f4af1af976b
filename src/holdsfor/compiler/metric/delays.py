"""Converts programs that look ahead for streams: each relation is read with a delay.

A relation with delay d is known up to d before now. `Diamondplus[a,b] M` is known b later than M. With that delay it
looks back: it reads times between 0 and b - a ago. So a program with bounded look-ahead becomes one that only looks
back. Its answers are delayed by exactly its look-ahead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from holdsfor.compiler.metric.plan import MetricPlan, plan_rules
from holdsfor.compiler.metric.rules import (
    Eroded,
    Joined,
    Lasting,
    Moved,
    NormalRule,
    Relation,
    Scan,
    Total,
    plus,
    sources,
)
from holdsfor.ir.metric import MetricRule, Range


class TooFarAhead(Exception):
    """No delay suffices: the rule reads an unbounded future, or its own future."""

    def __init__(self, rule: MetricRule) -> None:
        super().__init__("no delay is long enough")
        self.rule = rule


def delayed_plan(plan: MetricPlan) -> MetricPlan:
    """A plan that only looks back, and the delay of its answers."""
    if plan.is_forward:
        return plan
    rules, delays = looking_back(plan.rules)
    made = plan_rules(rules, plan.facts, {relation.name for relation in plan.outputs})
    written = {relation: delay for relation, delay in delays.items() if delay and relation.is_written}
    return replace(made, outputs=plan.outputs, delays=written, variables=plan.variables)


def looking_back(rules: Sequence[NormalRule]) -> tuple[tuple[NormalRule, ...], dict[Relation, Fraction]]:
    """Delayed versions of the rules, none of which looks ahead, and the delay of each relation."""
    delays = _delays(rules)
    return tuple(_Delayed(delays).all_rules(rules)), delays


def _delays(rules: Sequence[NormalRule]) -> dict[Relation, Fraction]:
    """The least delays with which no rule reads anything that is not known yet."""
    delays: dict[Relation, Fraction] = {}
    for _ in range(len(rules) + 1):
        changed = None
        for rule in rules:
            need = _needed(rule, delays)
            if need > delays.get(rule.head, Fraction(0)):
                delays[rule.head] = need
                changed = rule
        if changed is None:
            return delays
    assert changed is not None
    raise TooFarAhead(changed.origin)


def _needed(rule: NormalRule, delays: dict[Relation, Fraction]) -> Fraction:
    zero = Fraction(0)
    if isinstance(rule, Lasting):
        return _operands(rule, delays) + _ahead(rule)
    needs = [zero]
    for source, offsets, _ in sources(rule):
        if offsets.low is None:
            raise TooFarAhead(rule.origin)
        needs.append(delays.get(source, zero) - offsets.low)
    return max(needs)


def _operands(rule: Lasting, delays: dict[Relation, Fraction]) -> Fraction:
    """Gives both operands of a `Since` the same delay."""
    return max(delays.get(scan.relation, Fraction(0)) for scan in (rule.left, rule.right))


def _ahead(rule: Lasting) -> Fraction:
    if not rule.is_until:
        return Fraction(0)
    if rule.offsets.low is None:
        raise TooFarAhead(rule.origin)
    return -rule.offsets.low


class _Delayed:
    def __init__(self, delays: dict[Relation, Fraction]) -> None:
        self._delays = delays
        self._copies: dict[tuple[Relation, Fraction], Moved] = {}

    def all_rules(self, rules: Sequence[NormalRule]) -> Iterator[NormalRule]:
        for rule in rules:
            yield from self._rule(rule)
        yield from self._copies.values()

    def _of(self, relation: Relation) -> Fraction:
        return self._delays.get(relation, Fraction(0))

    def _rule(self, rule: NormalRule) -> Iterator[NormalRule]:
        match rule:
            case Moved() | Eroded():
                later = self._of(rule.head) - self._of(rule.source)
                yield replace(rule, offsets=plus(rule.offsets, Range(later, later)))
            case Joined(literals=literals):
                at = self._of(rule.head)
                shifted = tuple(
                    self._at(one, at, rule)
                    if isinstance(one, Scan)
                    else replace(one, scan=self._at(one.scan, at, rule))
                    if isinstance(one, Total)
                    else one
                    for one in literals
                )
                yield replace(rule, literals=shifted)
            case Lasting(left=left, right=right):
                at = _operands(rule, self._delays)
                known = at + _ahead(rule)
                moved = replace(
                    rule, left=self._at(left, at, rule), right=self._at(right, at, rule), waits=_ahead(rule)
                )
                later = self._of(rule.head) - known
                if not later:
                    yield moved
                    return
                early = Relation(f"{rule.head.name} early", rule.head.arity, is_written=False)
                yield replace(moved, head=early)
                yield Moved(rule.head, early, Range(later, later), rule.origin)

    def _at(self, scan: Scan, delay: Fraction, rule: NormalRule) -> Scan:
        """A scan of the delayed relation."""
        later = delay - self._of(scan.relation)
        if not later:
            return scan
        key = (scan.relation, later)
        if key not in self._copies:
            copy = Relation(f"{scan.relation.name} {later} ago", scan.relation.arity, is_written=False)
            self._copies[key] = Moved(copy, scan.relation, Range(later, later), rule.origin)
        return replace(scan, relation=self._copies[key].head)
