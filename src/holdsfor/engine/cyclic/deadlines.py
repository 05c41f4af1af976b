"""Delayed effects that are the same for every instance of a fluent: known from the rules alone.

`fi(quote(M, C, G)=true, quote(M, C, G)=expiring, 10)` speaks of every quote, and of nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.numbers import LONGEST
from holdsfor.ir import DelayRule, PostponeRule
from holdsfor.logic.unify import is_ground
from holdsfor.syntax.terms import Const, Term, Var


@dataclass(frozen=True)
class Deadline:
    """A value and, so long after its initiation, another value of the same instance or, if there is none, its end."""

    value: Term
    delay: int
    effect: Term | None
    is_postponable: bool
    rule: DelayRule


@dataclass(frozen=True)
class Deadlines:
    """The delayed effects of a component: those that fluents have on themselves, and all other rules."""

    own: dict[Symbol, tuple[Deadline, ...]]
    others: tuple[DelayRule, ...]
    other_postpones: tuple[PostponeRule, ...]


def deadlines_of(analysis: Analysis, delays: Sequence[DelayRule], postpones: Sequence[PostponeRule]) -> Deadlines:
    """Tell the delayed effects of fluents on themselves from others."""
    entities = analysis.entities
    symbols = dict.fromkeys(entities.fluent(rule.trigger) for rule in delays)
    own: dict[Symbol, tuple[Deadline, ...]] = {}
    for symbol in symbols:
        mine = [rule for rule in delays if entities.fluent(rule.trigger) == symbol]
        postponing = [rule for rule in postpones if entities.fluent(rule.fvp) == symbol]
        is_own = all(_is_own(analysis, symbol, rule) for rule in mine)
        if is_own and all(_is_plain(analysis, symbol, rule) for rule in postponing):
            own[symbol] = tuple(_deadline(rule, postponing) for rule in mine)
    return Deadlines(
        own,
        tuple(rule for rule in delays if entities.fluent(rule.trigger) not in own),
        tuple(rule for rule in postpones if entities.fluent(rule.fvp) not in own),
    )


def _is_own(analysis: Analysis, symbol: Symbol, rule: DelayRule) -> bool:
    args = symbol.columns(rule.trigger.fluent)
    if not _are_all(args) or analysis.body(rule) or not is_ground(rule.trigger.value):
        return False
    if not isinstance(rule.delay, Const) or not isinstance(rule.delay.value, int) or rule.delay.value < 1:
        return False
    if rule.effect is None:
        return True
    is_same = analysis.entities.fluent(rule.effect) == symbol and symbol.columns(rule.effect.fluent) == args
    return is_same and is_ground(rule.effect.value)


def _is_plain(analysis: Analysis, symbol: Symbol, rule: PostponeRule) -> bool:
    args, value = symbol.columns(rule.fvp.fluent), rule.fvp.value
    is_value = is_ground(value) or (isinstance(value, Var) and value not in args)
    return _are_all(args) and is_value and not analysis.body(rule)


def _are_all(args: Sequence[Term]) -> bool:
    """Whether arguments in a rule stand for all there may be."""
    return all(isinstance(arg, Var) for arg in args) and len({arg.name for arg in args if isinstance(arg, Var)}) == len(
        args
    )


def _deadline(rule: DelayRule, postponing: Sequence[PostponeRule]) -> Deadline:
    assert isinstance(rule.delay, Const) and isinstance(rule.delay.value, int)
    value = rule.trigger.value
    is_postponable = any(isinstance(one.fvp.value, Var) or one.fvp.value == value for one in postponing)
    effect = None if rule.effect is None else rule.effect.value
    return Deadline(value, min(rule.delay.value, LONGEST), effect, is_postponable, rule)
