"""Programs that are calm: what they say of a key changes with its own input only, and from the time of that input on.

Their keys can be worked out in one go though each goes on from another time-point: nothing but what holds and what is
under way has to be known of the time before.
"""

from __future__ import annotations

from collections.abc import Iterable

from holdsfor.compiler.analysis.dependencies import conditions
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.engine.retention import retention
from holdsfor.ir import Boundary, EffectRule, EventRule, InitiallyRule
from holdsfor.spreading.stages import Delivery, Stage


def is_calm(plan: Plan, stages: Iterable[Stage]) -> bool:
    """Whether all stages of a plan are calm."""
    if plan.has_metric_rules:
        return False
    kept = retention(plan)
    if any((kept.whole, kept.parts, kept.reach, kept.derivable, kept.unsettled, kept.lists, kept.lag)):
        return False
    # Initial values belong to all instances, whether anything is known of them or not.
    if any(isinstance(rule, InitiallyRule) for rule in plan.analysis.program.rules):
        return False
    return all(
        _is_apart(delivery, edges, stage.number)
        for stage in stages
        for edges in [_with_boundaries(stage, plan)]
        for delivery in stage.deliveries
    )


def _is_apart(delivery: Delivery, edges: frozenset[Symbol], stage: int) -> bool:
    """Whether it is known of every row which key reads it, as far as that matters."""
    if delivery.spreading is not None and len(delivery.spreading) == 1:
        return True
    if delivery.symbol.kind is EntityKind.EVENT or delivery.effects or delivery.symbol in edges:
        return False
    # What comes later can only be asked for values that it never has.
    is_made = delivery.made_in is not None
    return is_made and (bool(delivery.matches) or (delivery.made_in or 0) >= stage)


def _with_boundaries(stage: Stage, plan: Plan) -> frozenset[Symbol]:
    """The fluents whose beginnings and ends the rules of a stage ask for."""
    return frozenset(
        condition.symbol
        for stratum in stage.strata
        for rule in stratum.rules
        if isinstance(rule, EffectRule | EventRule)
        for condition in conditions(rule.body, plan.analysis.entities)
        if isinstance(condition.literal, Boundary)
    )
