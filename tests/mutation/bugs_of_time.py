"""Planted bugs: the calendar, clocks that are put forward or back, time-points that background rules are asked about."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from holdsfor.engine import calendar, library
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.frames import Codes, Frame, Numbers
from holdsfor.engine.kernels import Ints
from holdsfor.engine.numbers import Array
from tests.mutation.planting import everywhere, planted
from tests.strategies.calendar_programs import calendar_scenario
from tests.strategies.engine_runs import Scenario
from tests.strategies.scenario_words import Pen


def _scenario(seed: int) -> Scenario:
    return calendar_scenario(Pen(random.Random(seed).randint), windowed=seed % 2 == 1, late=8)


@planted("library", _scenario)
def a_time_point_becomes_a_code_in_a_background_rule(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def called(solve: Any, literal: Any, frame: Frame, dictionary: Dictionary) -> Frame:
            found: Frame = original(solve, literal, frame, dictionary)
            numbers = {name: one for name, one in found.columns.items() if isinstance(one, Numbers) and name == "T"}
            return found.with_columns({name: Codes(codes_of(one, dictionary)) for name, one in numbers.items()})

        return called

    everywhere(patch, library, "call_for_distinct", changed)


@planted("calendar", _scenario)
def clocks_change_at_midnight(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def offsets(day: int, zone: str) -> tuple[int, int, int]:
            before, change, _ = original(day, zone)
            return before, change, before

        return offsets

    everywhere(patch, calendar, "offsets_of_day", changed)


@planted("calendar", _scenario)
def all_times_have_the_offset_of_the_first(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def offsets(seconds: Ints, zone: str) -> Ints:
            found: Ints = original(seconds, zone)
            return np.full_like(found, found[0])

        return offsets

    everywhere(patch, calendar, "_offsets", changed)


@planted("calendar", _scenario)
def the_zone_is_utc(patch: pytest.MonkeyPatch) -> None:
    everywhere(
        patch,
        calendar,
        "calendar_column",
        lambda original: lambda field, times, unit, _: original(field, times, unit, "UTC"),
    )


@planted("calendar", _scenario)
def weeks_begin_on_sunday(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def column(field: str, times: Array, unit: str, zone: str) -> Array:
            found: Array = original(field, times, unit, zone)
            return found % 7 + 1 if field == "weekday" else found

        return column

    everywhere(patch, calendar, "calendar_column", changed)


@planted("calendar", _scenario)
def the_time_of_day_is_rounded(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, calendar, "_quotient", lambda _: lambda lengths, length: np.asarray(lengths // length))
