"""What a plan says is final does not change at later query times, as the reference evaluator has it."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from dataclasses import replace

import pytest

from holdsfor.compiler.analysis.entities import Role, Symbol
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.physical.lower import Lowered, lower
from holdsfor.physical.model import FOREVER
from holdsfor.reference import InputInterval, Record, Windows, evaluate
from holdsfor.reference.evaluator import World
from holdsfor.reference.history import known_at
from tests.physical.families import FAMILIES, scenarios
from tests.strategies.engine_runs import Scenario

Final = dict[Symbol, set[tuple[object, ...]]]


def _up_to(world: World, border: float, lowered: Lowered) -> Final:
    """What holds and happens up to a time-point, and what has an effect there."""
    entities = world.analysis.entities
    tables = {symbol: lowered.plan.tables[number] for number, symbol in enumerate(lowered.symbols)}
    found: Final = defaultdict(set)
    for (fluent, value), intervals in world.intervals.items():
        symbol = entities.pair(fluent, value)
        if symbol in tables and not tables[symbol].recomputed and entities[symbol].role is not Role.INPUT_FLUENT:
            for start, end in intervals:
                if start <= border:
                    found[symbol].add((fluent, value, start, min(end, border + 1)))
    for time, events in world.events.items():
        for event in events if time <= border else ():
            found[entities.event(event)].add((event, time))
    for (kind, time), pairs in world.effects.items():
        for fluent, value in pairs if time <= border else ():
            symbol = entities.pair(fluent, value)
            if symbol in tables and entities[symbol].role is Role.SIMPLE_FLUENT:
                found[symbol].add((kind, fluent, value, time))
    return found


def _small_windows(one: Scenario, chance: random.Random) -> tuple[list[Record], Windows]:
    """The records of a scenario, delayed by chance, in short windows."""
    size, step = chance.randint(1, 8), chance.randint(1, 4)
    times = [record.start if isinstance(record, InputInterval) else record.time for record in one.records]
    records: list[Record] = []
    for record, time in zip(one.records, times, strict=True):
        records.append(replace(record, arrival=max(time, min(times)) + chance.randint(0, size)))
    first, last = min(times, default=0), max(times, default=0)
    step = max(step, (last - first) // 60)
    return records, Windows(max(size, step), step, first - 1, last + 2 * step)


def check_settling(one: Scenario, seed: int) -> bool:
    """Whether anything was final before the last query time."""
    lowered = lower(one.reasoner.plan)
    if lowered.plan.settle == FOREVER or not one.records:
        return False
    records, windows = _small_windows(one, random.Random(seed))
    starts = [record.start if isinstance(record, InputInterval) else record.time for record in records]
    origin = min([0, windows.start + 1, *starts])
    before: Final = {}
    border = -math.inf
    for query in windows.query_times:
        world = evaluate(one.reasoner.analysis, known_at(records, windows, query), origin)
        if border > -math.inf:
            now = _up_to(world, border, lowered)
            assert now == before, (query, border, lowered.plan.settle, lowered.plan.settle_why, one)
        border = query - windows.size - lowered.plan.settle
        before = _up_to(world, border, lowered)
    return bool(before)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_is_final_stays_as_it_is(family: str) -> None:
    checked = 0
    for seed, one in enumerate(scenarios(family, range(40))):
        try:
            checked += check_settling(one, seed)
        except EvaluationError:
            continue
    assert checked >= {"domains": 3, "values": 6}.get(family, 15)
