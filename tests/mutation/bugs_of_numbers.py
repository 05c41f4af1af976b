"""Planted bugs: arithmetic, sums, and which numbers are one value. Programs about numbers find them."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from holdsfor.engine import calculation, dictionary, expressions, totals
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.numbers import Array
from tests.mutation.planting import everywhere, method, planted
from tests.strategies.engine_runs import Scenario
from tests.strategies.scenario_numbers import number_scenario
from tests.strategies.scenario_words import Pen


def _scenario(seed: int) -> Scenario:
    return number_scenario(Pen(random.Random(seed).randint), windowed=seed % 2 == 1)


def _floats(values: Array) -> Array:
    listed = [
        np.nan if value is None else float(max(min(value, 1e308), -1e308)) for value in values.reshape(-1).tolist()
    ]
    return np.array(listed, np.float64).reshape(values.shape)


@planted("totals", _scenario)
def sums_are_differences_of_one_running_sum(patch: pytest.MonkeyPatch) -> None:
    def sums(values: Array, begins: Any) -> Array:
        totals_so_far = np.concatenate(([0.0], np.cumsum(_floats(values))))
        found: Array = totals_so_far[np.append(begins[1:], len(values))] - totals_so_far[begins]
        return found

    everywhere(patch, totals, "_sums", lambda _: sums)


@planted("totals", _scenario)
def words_are_left_out_of_sums_and_extremes(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def reduced(function: str, values: Array, begins: Any) -> Array:
            neutral = {"sum": 0.0, "max": -np.inf, "min": np.inf}[function]
            if values.dtype.kind == "f":
                values = np.where(np.isnan(values), neutral, values)
            found: Array = original(function, values, begins)
            return found

        return reduced

    everywhere(patch, totals, "reduced", changed)


@planted("calculation", _scenario)
def integers_that_no_float_can_hold_become_floats(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, calculation, "_as_floats", lambda _: lambda values: [_floats(one) for one in values])


@planted("calculation", _scenario)
def integers_wrap_around_at_64_bits(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(calculation, "_fits", lambda _name, _values: True)


@planted("calculation", _scenario)
def a_division_by_zero_is_infinite(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def calculated(name: Any, values: list[Array]) -> Array:
            found: Array = original(name, values)
            if name == ("/", 2) and found.dtype.kind == "f":
                return np.where(np.isnan(found) & (_floats(values[1]) == 0), np.inf, found)
            return found

        return calculated

    everywhere(patch, calculation, "calculated", changed)


@planted("calculation", _scenario)
def the_floor_of_a_large_float_wraps_around(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def calculated(name: Any, values: list[Array]) -> Array:
            if name[0] in ("floor", "ceiling", "truncate") and values[0].dtype.kind == "f":
                with np.errstate(all="ignore"):
                    return np.floor(values[0]).astype(np.int64)
            found: Array = original(name, values)
            return found

        return calculated

    everywhere(patch, calculation, "calculated", changed)


@planted("calculation", _scenario)
def rounding_adds_one_half(patch: pytest.MonkeyPatch) -> None:
    for name in ("round", "integer"):
        patch.setitem(calculation._OF_FLOATS, (name, 1), lambda x: np.sign(x) * np.floor(np.abs(x) + 0.5))


@planted("expressions", _scenario)
def a_comparison_without_a_value_holds(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def answers(self: expressions.Test, frame: Any, words: Dictionary) -> Any:
            found, lacking = original(self, frame, words)
            return (found if lacking is None else found | lacking), lacking

        return answers

    method(patch, expressions.Test, "answers", changed)


@planted("dictionary", _scenario)
def a_large_float_is_the_integer_it_is_equal_to(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, dictionary, "_key", lambda _: lambda value: value)


@planted("dictionary", _scenario)
def words_with_a_value_have_none(patch: pytest.MonkeyPatch) -> None:
    everywhere(
        patch, dictionary, "_number", lambda original: lambda value: None if isinstance(value, str) else original(value)
    )
