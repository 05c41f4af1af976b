"""Defines `forget`: an entity is silent D after its last mention in the input.

Of several D the shortest counts.
"""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.limits import wrong_delay
from holdsfor.ir import Forgetting, Happens, Holds
from holdsfor.logic.arithmetic import evaluate
from holdsfor.logic.unify import Bindings, resolve
from holdsfor.reference.evaluator import World, bind
from holdsfor.reference.intervals import Interval
from holdsfor.reference.statics import Pair
from holdsfor.syntax.terms import Term


def silences(world: World) -> dict[int, list[Pair]]:
    """The pairs that silence terminates, by time-point; their variables match anything."""
    found: dict[int, list[Pair]] = {}
    for forgetting in world.analysis.program.forgettings:
        for entity, mentions in _mentions(world, forgetting).items():
            bound = dict(zip((one.name for one in forgetting.entity), entity, strict=True))
            for time in _silent(world, forgetting, bound, mentions) if forgetting.ends else ():
                pairs = ((resolve(pair.fluent, bound), resolve(pair.value, bound)) for pair in forgetting.ends)
                found.setdefault(time, []).extend(pairs)
    return found


def _mentions(world: World, forgetting: Forgetting) -> dict[tuple[Term, ...], list[Interval]]:
    """Each entity with the time-points, as intervals, at which input mentions it."""
    found: dict[tuple[Term, ...], list[Interval]] = {}
    for answer, interval in _met(world, forgetting):
        found.setdefault(tuple(resolve(one, answer) for one in forgetting.entity), []).append(interval)
    return found


def _met(world: World, forgetting: Forgetting) -> Iterator[tuple[Bindings, Interval]]:
    for mention in forgetting.mentions:
        if isinstance(mention, Happens):
            for time, happened in world.known.events.items():
                for event in happened if time <= world.now else ():
                    for answer in bind({}, (mention.event, event)):
                        yield answer, (time, time + world.tick)
        elif isinstance(mention, Holds):
            for (fluent, value), intervals in world.known.inputs.items():
                for answer in bind({}, (mention.fvp.fluent, fluent), (mention.fvp.value, value)):
                    if world.is_declared((fluent, value)):
                        yield from ((answer, interval) for interval in intervals)


def _silent(world: World, forgetting: Forgetting, bound: Bindings, mentions: list[Interval]) -> Iterator[int]:
    """The time-points at which an entity becomes silent."""
    deadline = next(rule for rule in world.analysis.program.delays if rule.trigger == forgetting.deadline.trigger)
    for last in {end - world.tick for _, end in mentions}:
        delays = [evaluate(deadline.delay, answer) for answer in world.solve(world.analysis.body(deadline), bound)]
        for delay in delays:
            if delay % world.tick or delay < 1:
                raise wrong_delay(deadline, delay, world.tick)
        if not delays:
            continue
        time = last + min(delays)
        # There is no mention after the last one, up to this time-point: an interval [start, end) mentions the entity
        # from its start on.
        if time <= world.now and not any(start <= time and end > last + world.tick for start, end in mentions):
            yield int(time)
