"""Evaluation that goes on from a checkpoint gives what evaluation from the beginning gives."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from holdsfor.diagnostics import ProgramError
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.physical.model import FOREVER, PhysicalPlan, Route, Stage
from holdsfor.reference import Record, Reference, Windows
from holdsfor.reference.history import Occurrence
from tests.core.families import FAMILIES as EVERY_FAMILY
from tests.core.runs import on_core
from tests.strategies.scenario_words import Pen

FAMILIES = {name: write for name, write in EVERY_FAMILY.items() if name != "clock ticks"}
"""Without those whose time-points are not the times of their records."""


def _times(records: list[Record]) -> list[int]:
    """The times that records mention, with those around them."""
    found = [one.time if isinstance(one, Occurrence) else one.start for one in records]
    return sorted({-2, -1, *found, *(time + 1 for time in found), *(time - 1 for time in found)})


def _kept_whole(plan: PhysicalPlan) -> PhysicalPlan:
    """The plan with everything kept."""
    tables = tuple(replace(table, keep=FOREVER, recomputed=True) for table in plan.tables)
    return replace(plan, tables=tables)


def _in_one_stage(plan: PhysicalPlan) -> PhysicalPlan:
    """The plan without keys: no stage sees what another has kept of its results."""
    members = tuple(replace(one, places=((),)) for stage in plan.stages for one in stage.members)
    inside = {one.table for one in members}
    read = dict.fromkeys(one.table for stage in plan.stages for one in stage.inputs if one.table not in inside)
    inputs = tuple(Route(table, ((),), is_shared=False) for table in read)
    components = tuple(one for stage in plan.stages for one in stage.components)
    return replace(plan, stages=(Stage(components, 0, members, inputs),))


def _later(found: Reference, time: int) -> Reference:
    """What reaches beyond a time-point."""
    intervals = tuple(one for one in found.intervals if one.end > time + 1)
    return replace(found, intervals=intervals, events=tuple(one for one in found.events if one.time > time))


def _check(family: str, seeds: range, change: Callable[[PhysicalPlan], PhysicalPlan]) -> int:
    """Compares programs at random times to stop; says how many there were."""
    checked = 0
    for seed in seeds:
        choice = random.Random(seed)
        try:
            one = FAMILIES[family](Pen(choice.randint), windowed=seed % 2 == 0)
        except ProgramError:
            one = None
        if one is None:
            continue
        windows = None if one.span is None else Windows(one.span.size, one.span.step, one.span.start, one.span.end)
        try:
            wanted = on_core(one.reasoner, one.records, windows)
        except EvaluationError:
            continue
        for time in choice.choices(_times(one.records), k=3):
            found = on_core(one.reasoner, one.records, windows, resume_at=time, change=change)
            expected = wanted
            if change is _in_one_stage:
                found, expected = _later(found, time), _later(wanted, time)
            assert found.intervals == expected.intervals, (seed, time, one)
            assert found.events == expected.events, (seed, time, one)
        checked += 1
    return checked


@pytest.mark.parametrize("family", FAMILIES)
def test_goes_on_from_a_checkpoint(family: str) -> None:
    seeds = range(30_000, 30_025)
    assert _check(family, seeds, _kept_whole) >= 0.8 * len(seeds)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_plan_keeps_is_enough(family: str) -> None:
    seeds = range(31_000, 31_040)
    assert _check(family, seeds, _in_one_stage) >= 0.8 * len(seeds)
