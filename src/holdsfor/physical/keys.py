"""Stages and their keys: what is evaluated together for one key, and how rows reach it.

A stage has a key only where every rule reads something that is spread by it: then a key that no row mentions has nothing
to evaluate, and the keys are those of the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.plan import Plan, Stratum
from holdsfor.ir import (
    Algebra,
    Body,
    Boundary,
    Effect,
    EffectKind,
    EffectRule,
    EventRule,
    Happens,
    Holds,
    IntervalOperator,
    IntervalRule,
    Intervals,
    Rule,
    walk,
)
from holdsfor.physical.instructions import origin
from holdsfor.physical.open_ends import openly_ended
from holdsfor.physical.required import required_leaves
from holdsfor.spreading.alignment import Places, Spreading
from holdsfor.spreading.stages import read_by, stage_plan


@dataclass(frozen=True)
class Draft:
    """A stage by its symbols; an input without places is shared by all keys."""

    components: tuple[tuple[Symbol, ...], ...]
    key: int
    members: tuple[tuple[Symbol, Places], ...]
    inputs: tuple[tuple[Symbol, Spreading | None], ...]
    why: str = ""


def choose_stages(plan: Plan) -> Iterator[Draft]:
    """The stages of a plan, in order. What is spread together but by keys of different sizes has stages of its own."""
    without_place = openly_ended(plan.analysis)
    for stage in stage_plan(plan, tied=False).stages:
        places = dict(stage.members)
        for size in sorted({len(some) for some in places.values()}, reverse=True):
            strata = [stratum for stratum in stage.strata if len(places[stratum.members[0]]) == size]
            ended = without_place & (_asked_for_ends(strata, plan) if without_place else frozenset())
            deliveries = {one.symbol: None if one.symbol in ended else one.spreading for one in stage.deliveries}
            yield _draft(strata, size, places, deliveries, plan)


def _asked_for_ends(strata: list[Stratum], plan: Plan) -> frozenset[Symbol]:
    """The fluents whose terminations rules have conditions on."""
    return frozenset(
        plan.analysis.entities.fluent(literal.fvp)
        for stratum in strata
        for rule in stratum.rules
        for literal in walk(rule.body)
        if isinstance(literal, Effect) and literal.kind is EffectKind.TERMINATED
    )


def _draft(
    strata: list[Stratum],
    size: int,
    places: Mapping[Symbol, Places],
    deliveries: Mapping[Symbol, Spreading | None],
    plan: Plan,
) -> Draft:
    components = tuple(stratum.members for stratum in strata)
    members = {symbol: places[symbol] for stratum in strata for symbol in stratum.members}
    read = dict.fromkeys(symbol for stratum in strata for symbol in read_by(stratum, plan))
    inputs: dict[Symbol, Spreading | None] = {}
    for symbol in (one for one in read if one in deliveries and one not in members):
        spreading = deliveries[symbol]
        inputs[symbol] = None if spreading is None else tuple(some for some in spreading if len(some) == size)
    why = "its rules share no argument"
    if size:
        loose = _without_key(strata, members, inputs, plan)
        if loose is None:
            return Draft(components, size, tuple(members.items()), tuple(inputs.items()))
        why = f"the rule at {origin(loose.span)} reads nothing that has the key"
    everything = tuple((symbol, ((),)) for symbol in inputs)
    return Draft(components, 0, tuple((symbol, ()) for symbol in members), everything, why)


def _without_key(
    strata: list[Stratum], members: dict[Symbol, Places], inputs: dict[Symbol, Spreading | None], plan: Plan
) -> Rule | None:
    """A rule that can succeed without a condition on what is spread by the key, if there is one."""
    spread = {symbol for symbol, spreading in inputs.items() if spreading is not None} | members.keys()
    rules = (rule for stratum in strata for rule in stratum.rules)
    timed = (rule for rule in rules if isinstance(rule, EffectRule | EventRule | IntervalRule))
    return next((rule for rule in timed if not _has_driver(rule, spread, plan)), None)


def _has_driver(rule: Rule, spread: set[Symbol], plan: Plan) -> bool:
    entities = plan.analysis.entities
    body: Body = rule.body
    if isinstance(rule, IntervalRule):
        others = [one for one in entities[entities.fluent(rule.fvp)].rules if isinstance(one, IntervalRule)]
        required = required_leaves(rule, plan.analysis.body(rule))
        if len(others) == 1 and any(entities.fluent(one.fvp) in spread for one in required):
            return True
        # Lists that nothing is known of give an empty list, unless something makes time-points out of nothing.
        names = [one for one in walk(body) if isinstance(one, Intervals)]
        makes = any(isinstance(one, Algebra) and one.operator is IntervalOperator.COMPLEMENT for one in walk(body))
        return bool(names) and not makes and all(entities.fluent(one.fvp) in spread for one in names)
    for literal in body:
        match literal:
            case Happens(event=event):
                if entities.event(event) in spread:
                    return True
            case Boundary(fvp=fvp) | Holds(fvp=fvp) | Effect(fvp=fvp):
                if entities.fluent(fvp) in spread:
                    return True
            case _:
                continue
    return False
