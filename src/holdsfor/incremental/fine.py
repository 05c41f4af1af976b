"""Stages of one stratum each, so that a change works out only those that read what changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.plan import Plan, Stratum
from holdsfor.ir import DelayRule
from holdsfor.spreading.stages import Delivery, Stage, effects_asked, read_by


def fine_stages(stages: Sequence[Stage], plan: Plan) -> list[Stage]:
    """Stages cut into one for each stratum, with the same keys. Delayed effects keep their stage together."""
    made: list[Stage] = []
    home: dict[Symbol, int] = {}
    for stage in stages:
        for strata in _groups(stage, plan):
            number = len(made) + 1
            home |= dict.fromkeys((symbol for stratum in strata for symbol in stratum.members), number)
            made.append(_stage(number, strata, stage, home, plan))
    return made


def _groups(stage: Stage, plan: Plan) -> Iterator[tuple[Stratum, ...]]:
    """Strata one by one, but for those between a delayed effect and what triggers it."""
    entities = plan.analysis.entities
    place = {symbol: number for number, stratum in enumerate(stage.strata) for symbol in stratum.members}
    last = list(range(len(stage.strata)))
    for number, stratum in enumerate(stage.strata):
        for rule in stratum.rules:
            if isinstance(rule, DelayRule):
                fluents = [fvp for fvp in (rule.trigger, rule.effect) if fvp is not None]
                tied = [number, *(place[found] for found in map(entities.fluent, fluents) if found in place)]
                last[min(tied)] = max(last[min(tied)], *tied)
    begin = 0
    while begin < len(last):
        end = begin
        place_now = begin
        while place_now <= end:
            end = max(end, last[place_now])
            place_now += 1
        yield stage.strata[begin : end + 1]
        begin = end + 1


def _stage(number: int, strata: tuple[Stratum, ...], whole: Stage, home: dict[Symbol, int], plan: Plan) -> Stage:
    places = dict(whole.members)
    members = tuple((symbol, places[symbol]) for stratum in strata for symbol in stratum.members)
    brought = {delivery.symbol: delivery for delivery in whole.deliveries}
    effects = effects_asked(strata)
    deliveries = []
    for symbol in dict.fromkeys(symbol for stratum in strata for symbol in read_by(stratum, plan)):
        made_in = home.get(symbol)
        if symbol in brought:
            asked = tuple(sorted(effects.get(symbol, ()))) if made_in != number else ()
            deliveries.append(replace(brought[symbol], made_in=made_in, effects=asked))
        elif made_in != number:
            is_input = symbol.kind is EntityKind.EVENT
            asked = tuple(sorted(effects.get(symbol, ())))
            deliveries.append(Delivery(symbol, (places[symbol],), made_in, is_input, asked))
    return Stage(number, strata, members, tuple(deliveries))
