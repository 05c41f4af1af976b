"""Finds fluents that `forget` does not bound: a rule can initiate them for a silent entity.

A rule initiates nothing in silence if one of its conditions mentions the entity, or depends on something that silence
ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from holdsfor import ir
from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.diagnostics import Span
from holdsfor.logic.unify import Bindings, resolve, substitute, unify
from holdsfor.syntax.durations import as_written
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Term, Var, marked, variables

Entity: TypeAlias = tuple[Term, ...]
MentionTest: TypeAlias = Callable[[Entity], bool]


class Silence:
    """One `forget` of an analysed program."""

    def __init__(self, forgetting: ir.Forgetting, analysis: Analysis) -> None:
        self._forgetting, self._analysis = forgetting, analysis
        self._assumed: set[int] = set()
        """Event rules under examination. An event that only its own rules could start never occurs."""

    def begun_in_silence(self) -> Iterator[tuple[Symbol, ir.Rule]]:
        """The fluents that it terminates and that rules may initiate while the entity is silent."""
        for rule in self._analysis.program.rules:
            for pair, is_mentioned in self._beginnings(rule):
                if any(not is_mentioned(entity) for entity in self._entities(self._ends(), pair.fluent)):
                    yield self._analysis.entities.fluent(pair), rule

    def _beginnings(self, rule: ir.Rule) -> Iterator[tuple[ir.Fvp, MentionTest]]:
        match rule:
            case ir.EffectRule(kind=ir.EffectKind.INITIATED, fvp=fvp, time=time, body=body):
                yield fvp, lambda entity: self._is_mentioned(entity, body, time)
            case ir.DelayRule(trigger=trigger, effect=ir.Fvp() as effect):
                yield effect, lambda entity: entity in list(self._entities(self._ends(), trigger.fluent))

    def _ends(self) -> Iterator[Term]:
        return (pair.fluent for pair in self._forgetting.ends)

    def _is_mentioned(self, entity: Entity, body: ir.Body, time: Term) -> bool:
        return any(self._mentions(entity, literal, time) for literal in body)

    def _mentions(self, entity: Entity, literal: ir.Literal, time: Term) -> bool:
        """Whether a condition never holds in silence."""
        match literal:
            case ir.Happens(event=event, time=at) if at == time:
                mentions = (one.event for one in self._forgetting.mentions if isinstance(one, ir.Happens))
                return entity in list(self._entities(mentions, event)) or self._is_derived(entity, event)
            case ir.Holds(fvp=fvp, time=at) | ir.Boundary(fvp=fvp, time=at) if at == time:
                inputs = (one.fvp.fluent for one in self._forgetting.mentions if isinstance(one, ir.Holds))
                return entity in list(self._entities((*inputs, *self._ends()), fvp.fluent))
            case ir.Effect(kind=ir.EffectKind.INITIATED, fvp=fvp, time=at) if at == time:
                return entity in list(self._entities(self._ends(), fvp.fluent))
            case ir.Or(branches=branches):
                return all(self._is_mentioned(entity, branch, time) for branch in branches)
            case _:
                return False

    def _is_derived(self, entity: Entity, event: Term) -> bool:
        """Whether an event is derived and never occurs in silence."""
        symbol = self._analysis.entities.event(event)
        table = self._analysis.entities.table
        rules = [rule for rule in table[symbol].rules if isinstance(rule, ir.EventRule)] if symbol in table else []
        return bool(rules) and all(self._is_given(entity, event, rule) for rule in rules)

    def _is_given(self, entity: Entity, event: Term, rule: ir.EventRule) -> bool:
        if id(rule) in self._assumed:
            return True
        apart, names = _apart(rule.event)
        bound = unify(apart, event, {})
        if bound is None:
            return True
        inner = tuple(_inside(term, names, bound) for term in entity)
        self._assumed.add(id(rule))
        is_mentioned = None not in inner and self._is_mentioned(tuple(filter(None, inner)), rule.body, rule.time)
        self._assumed.discard(id(rule))
        return is_mentioned

    def _entities(self, patterns: Iterable[Term], term: Term) -> Iterator[Entity]:
        """The entities in a term at the places that the patterns give."""
        for pattern in patterns:
            apart, names = _apart(pattern)
            bound = unify(apart, term, {})
            if bound is not None:
                yield tuple(resolve(names[one.name], bound) for one in self._forgetting.entity if one.name in names)


def _apart(term: Term) -> tuple[Term, dict[str, Term]]:
    names: dict[str, Term] = {one.name: Var(marked(one.name, "apart")) for one in variables(term)}
    return substitute(term, names), names


def _inside(term: Term, names: dict[str, Term], bound: Bindings) -> Term | None:
    """The variable of an event rule that corresponds to an outside term."""
    return next((Var(name) for name, apart in names.items() if resolve(apart, bound) == resolve(term, bound)), None)


def forgotten_texts(analysis: Analysis) -> dict[Symbol, str]:
    """The terminations of each forgotten fluent, in words."""
    found: dict[Symbol, str] = {}
    for one in analysis.program.forgettings:
        left = {symbol: rule.span for symbol, rule in Silence(one, analysis).begun_in_silence()}
        for pair in one.ends:
            symbol = analysis.entities.fluent(pair)
            if symbol in analysis.entities.table:
                found.setdefault(symbol, _text(one, left.get(symbol)))
    return found


def _text(one: ir.Forgetting, left: Span | None) -> str:
    where = _place(one.declaration.span)
    length = print_term(as_written(one.deadline.delay))
    unless = "" if left is None else f", unless the rule{_place(left)} begins it in silence"
    return f"ends {length} after the last input about it{where}{unless}"


def _place(span: Span) -> str:
    return f" at {span.source.name}:{span.line}" if span.source.text else ""
