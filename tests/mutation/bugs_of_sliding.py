"""Planted bugs: windows that slide with time. Programs with sliding aggregates find them."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from holdsfor.engine import sliding
from holdsfor.engine.frames import Frame, Lists, Numbers
from holdsfor.engine.numbers import no_value
from holdsfor.ir.sliding import SlidingKind
from tests.mutation.planting import everywhere, planted
from tests.strategies.engine_runs import Scenario
from tests.strategies.families import family_scenario
from tests.strategies.scenario_words import Pen
from tests.strategies.sliding_programs import sliding_program


def _scenario(seed: int) -> Scenario:
    return family_scenario(Pen(random.Random(seed).randint), sliding_program, windowed=seed % 2 == 1, late=12)


@planted("sliding", _scenario)
def a_window_is_one_time_point_longer(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def window_of(body: Any) -> Any:
            found = original(body)
            return None if found is None else replace(found, length=found.length + 1)

        return window_of

    everywhere(patch, sliding, "window_of", changed)


@planted("sliding", _scenario)
def a_window_ends_before_its_time_point(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def within(window: Any, frame: Frame, events: Frame, dictionary: Any) -> Any:
            earlier = frame
            if window.time in frame.columns:
                earlier = frame.with_columns({window.time: Numbers(frame.ints(window.time) - 1)})
            return original(window, earlier, events, dictionary)

        return within

    everywhere(patch, sliding, "within", changed)


@planted("sliding", _scenario)
def a_window_has_the_events_of_all_keys(patch: pytest.MonkeyPatch) -> None:
    def join_keys(frame: Frame, events: Frame, *_: Any) -> Any:
        return np.zeros(frame.rows, np.int64), np.zeros(events.rows, np.int64)

    patch.setattr(sliding, "join_keys", join_keys)


@planted("sliding", _scenario)
def the_mean_of_nothing_is_zero(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def result_of(kind: SlidingKind, lists: Lists, dictionary: Any) -> Any:
            values, is_empty = original(kind, lists, dictionary)
            if kind is SlidingKind.AVERAGE and values.dtype.kind == "f":
                values = np.where(is_empty & no_value(values), 0, values)
            return values, is_empty

        return result_of

    everywhere(patch, sliding, "result_of", changed)


@planted("sliding", _scenario)
def equal_items_are_different(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, sliding, "_distinct", lambda _: lambda lists, _dictionary: lists.lengths)


@planted("sliding", _scenario)
def equal_items_are_added_once(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def result_of(kind: SlidingKind, lists: Lists, dictionary: Any) -> Any:
            if kind is SlidingKind.SUM and isinstance(lists.items, Numbers):
                known = [
                    np.unique(lists.items.data[a : a + n]) for a, n in zip(lists.starts, lists.lengths, strict=True)
                ]
                lengths = np.array([len(one) for one in known], np.int64)
                lists = Lists.in_a_row(lengths, Numbers(np.concatenate([*known, np.empty(0, lists.items.data.dtype)])))
            return original(kind, lists, dictionary)

        return result_of

    everywhere(patch, sliding, "result_of", changed)
