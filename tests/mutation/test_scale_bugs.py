"""Bugs planted in times with a unit, and how soon random programs with a unit find them."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pyarrow as pa
import pytest

from holdsfor import times, written_times
from holdsfor.diagnostics import HoldsforError
from holdsfor.io import scaled, typed
from holdsfor.ir import scale as declared
from holdsfor.times import UNITS, TimeScale
from tests.property.test_time_scale import check
from tests.strategies.engine_runs import sampled
from tests.strategies.scenarios import EVERYTHING, WINDOWED
from tests.strategies.time_scales import ZONES

MOST = 60
_in_units, _exact_duration = typed._in_units, times.exact_duration


BUGS: dict[str, tuple[object, str, Callable[..., Any]]] = {
    "timestamps are seconds whatever the unit": (
        scaled,
        "timestamps",
        lambda column, scale: column.view(pa.timestamp("s", scale.zone)),
    ),
    "dates of the input belong to the time-point after them": (
        typed,
        "_in_units",
        lambda column, unit: _in_units(column, unit) + 1,
    ),
    "offsets of dates are not looked at": (written_times, "_offset", lambda _zone: timedelta(0)),
    "durations are counted in seconds": (
        times,
        "exact_duration",
        lambda given, unit, *rest: _exact_duration(given, unit and "s", *rest),
    ),
    "the zone is not looked at": (declared, "declared_zone", lambda _goal: None),
    "the offset of winter counts all year": (scaled, "_offset", lambda _second, _zone: 7200),
}


def is_noticed(seed: int) -> bool:
    chance = random.Random(seed)
    windowed = seed % 2 == 1
    scenario = sampled(seed, WINDOWED if windowed else EVERYTHING, windowed=windowed, late=12 if windowed else 0)
    if scenario is None:
        return False
    try:
        check(scenario, TimeScale(chance.choice(sorted(UNITS)), chance.choice(ZONES)))
    except (AssertionError, HoldsforError):
        return True
    return False


def test_nothing_is_noticed_without_a_bug() -> None:
    assert not any(map(is_noticed, range(MOST // 3)))


@pytest.mark.parametrize("name", BUGS)
def test_random_programs_notice(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    owner, function, wrong = BUGS[name]
    monkeypatch.setattr(owner, function, wrong)
    assert any(map(is_noticed, range(MOST)))
