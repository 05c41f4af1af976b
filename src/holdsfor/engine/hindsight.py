"""How far back rules about time-points must be worked out again, because what they read is known only with hindsight.

An interval that must be long enough is known to be so when it has lasted; all of it counts then, its start too. A rule
that asks about it at a time-point that the window has left behind has to be asked again. Durations bound how long ago
that can be. Sequences, Allen relations and whole histories do not: a first interval may wait for its second for ever.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.plan import Method, Plan, Stratum
from holdsfor.engine.tables import FOREVER
from holdsfor.ir import AHEAD, DURATIONS, Algebra, Call, IntervalOperator, IntervalRule, OpenLength, walk
from holdsfor.syntax.terms import Compound, Const, Term, Var, functor

_WAITING = frozenset({IntervalOperator.SEQUENCE, IntervalOperator.ALLEN})


@dataclass(frozen=True)
class Hindsight:
    """How many time-points before the window rules about time-points are asked again, and which read what has no bound."""

    back: int
    reasons: dict[Symbol, str]


def hindsight(plan: Plan, unsettled: Collection[Symbol], derivable: Collection[Symbol]) -> Hindsight:
    """What a plan needs. `unsettled` and `derivable` fluents have pasts that change."""
    depths: dict[Symbol, int] = {}
    reasons: dict[Symbol, str] = {}
    back = 0
    for stratum in plan.strata:
        read = {symbol: depths[symbol] for symbol in stratum.inputs if depths.get(symbol)}
        depth = max(read.values(), default=0)
        if any(symbol in derivable for symbol in stratum.members):
            depth = int(FOREVER)
        elif any(symbol in unsettled for symbol in stratum.members):
            depth = min(int(FOREVER), depth + sum(_own(plan, stratum)))
        if stratum.method not in (Method.ALGEBRA, Method.METRIC) and depth:
            back = max(back, depth)
            if depth >= FOREVER:
                named = ", ".join(sorted(str(symbol) for symbol, deep in read.items() if deep >= FOREVER))
                reasons |= dict.fromkeys(
                    stratum.members, f"it reads {named}, of which something long ago may be known only later"
                )
        depths |= dict.fromkeys(stratum.members, depth)
    return Hindsight(back, reasons)


def _own(plan: Plan, stratum: Stratum) -> Iterator[int]:
    """How far back the operators of a fluent's rules can change what they said."""
    for rule in stratum.rules:
        if not isinstance(rule, IntervalRule):
            continue
        for literal in walk(plan.analysis.body(rule)):
            if not isinstance(literal, Algebra):
                continue
            if literal.operator in _WAITING:
                yield int(FOREVER)
            elif literal.operator in DURATIONS:
                yield int(FOREVER) if _waits_for_end(literal) else _longest(plan, rule, literal.bound)
            elif literal.operator in AHEAD:
                high = None if literal.distance is None else literal.distance.high
                yield int(FOREVER) if high is None else high + 1


def _waits_for_end(literal: Algebra) -> bool:
    """Whether an interval of any length counts, or ceases to count, when it ends."""
    is_longer = DURATIONS[literal.operator] in (">", ">=")
    return literal.open_length is (OpenLength.LEFT_OUT if is_longer else OpenLength.KEPT)


def _longest(plan: Plan, rule: IntervalRule, bound: Term | None) -> int:
    """The longest duration that a rule can ask for: a number, or one that facts give."""
    values = [bound.value] if isinstance(bound, Const) else list(_given(plan, rule, bound))
    if not values or not all(isinstance(value, int | float) for value in values):
        return int(FOREVER)
    return max(0, int(max(value for value in values if isinstance(value, int | float)))) + 2


def _given(plan: Plan, rule: IntervalRule, bound: Term | None) -> Iterator[object]:
    """The values that facts have for a variable of a rule; something that is no number if there is no telling."""
    for literal in walk(plan.analysis.body(rule)):
        if isinstance(literal, Call) and isinstance(literal.atom, Compound) and isinstance(bound, Var):
            places = [place for place, arg in enumerate(literal.atom.args) if arg == bound]
            facts = plan.analysis.background.rules.get(functor(literal.atom) or ("", 0), [])
            for fact in facts if places else []:
                value = fact.head.args[places[0]] if isinstance(fact.head, Compound) and not fact.body else None
                yield value.value if isinstance(value, Const) else None
            if facts and places:
                return
