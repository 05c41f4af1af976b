"""Rule instances that come close: how far a rule's conditions can be met, and which one stops it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from holdsfor.explain.evidence import Evidence
from holdsfor.ir import EffectRule, EventRule
from holdsfor.ir.literals import Body
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.logic.unify import Bindings, resolve
from holdsfor.reference.evaluator import bind
from holdsfor.syntax.terms import Const, Term

_MOST_KEPT = 400
"""Partial instances of a rule that are followed at once; the latest are."""
_MOST_FOUND = 3


@dataclass(frozen=True)
class Near:
    """An instance of a rule whose conditions are met up to a place."""

    rule: EffectRule | EventRule
    bindings: Bindings
    place: int
    body: Body
    time: int | None

    @property
    def progress(self) -> float:
        """How much of the rule is met."""
        return self.place / len(self.body)


def near_misses(
    evidence: Evidence,
    rule: EffectRule | EventRule,
    heads: Sequence[tuple[Term, Term]],
    span: tuple[int, int],
) -> list[Near]:
    """The instances of a rule, inside a span of time, whose conditions are met the furthest."""
    body = evidence.analysis.body(rule)
    kept = list(bind({}, *heads))
    for place, literal in enumerate(body):
        following: list[Bindings] = []
        for bindings in kept:
            try:
                found = [one for one in evidence.literal(literal, bindings) if _is_inside(rule, one, span)]
            except EvaluationError:
                found = []
            following += islice(reversed(found), _MOST_KEPT)
        if not following:
            ordered = sorted(kept, key=lambda one: -(_time(rule, one) or 0))
            return [Near(rule, one, place, body, _time(rule, one)) for one in ordered[:_MOST_FOUND]]
        kept = sorted(following, key=lambda one: -(_time(rule, one) or 0))[:_MOST_KEPT]
    return []


def _time(rule: EffectRule | EventRule, bindings: Bindings) -> int | None:
    found = resolve(rule.time, bindings)
    return found.value if isinstance(found, Const) and isinstance(found.value, int) else None


def _is_inside(rule: EffectRule | EventRule, bindings: Bindings, span: tuple[int, int]) -> bool:
    time = _time(rule, bindings)
    return time is None or span[0] <= time <= span[1]
