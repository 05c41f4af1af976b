"""Bugs planted in the clock tick, and how soon random programs with a tick find them."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from holdsfor.columns import ticks
from holdsfor.columns.stream import EventColumns, FluentColumns
from holdsfor.compiler.passes.ticks import _Rewriting
from holdsfor.diagnostics import HoldsforError
from holdsfor.logic.arithmetic import EvaluationError
from tests.strategies.scenario_words import Pen
from tests.strategies.scenarios import EVERYTHING, WINDOWED
from tests.strategies.ticks import reported, tick_scenario

MOST = 150
_fluents = ticks._fluents


def events_round_up(table: EventColumns, tick: int) -> EventColumns:
    return EventColumns(table.args, -(-table.time // tick), -(-table.arrival // tick))


def ends_round_down(table: FluentColumns, tick: int) -> FluentColumns:
    return replace(_fluents(table, tick), end=table.end // tick)


BUGS: dict[str, tuple[object, str, Callable[..., Any]]] = {
    "delays and durations are not divided": (_Rewriting, "_quotient", lambda _self, term: term),
    "times as numbers are numbers of ticks": (_Rewriting, "_product", lambda _self, time: time),
    "events belong to the time-point after them": (ticks, "_events", events_round_up),
    "intervals lose their last time-point": (ticks, "_fluents", ends_round_down),
}


def is_noticed(seed: int) -> bool:
    windowed = seed % 2 == 1
    features, late = (WINDOWED, 12) if windowed else (EVERYTHING, 0)
    try:
        scenario = tick_scenario(Pen(random.Random(seed).randint), features, windowed=windowed, late=late)
        if scenario is None:
            return False
        reference = reported(scenario, by_reference=True)
        return reported(scenario, by_reference=False) != reference
    except (HoldsforError, EvaluationError):
        return True


@pytest.mark.parametrize("name", BUGS)
def test_random_programs_notice(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, function, wrong = BUGS[name]
    monkeypatch.setattr(owner, function, wrong)
    assert any(map(is_noticed, range(MOST)))
