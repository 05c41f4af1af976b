"""Planted bugs: inertia, windows and their state, components that depend on themselves, delayed effects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from holdsfor.engine import inertia, inputs, points, prepared
from holdsfor.engine.cyclic import sweep, sweep_loop
from holdsfor.engine.evaluation import Evaluation
from holdsfor.engine.tables import FOREVER
from tests.mutation.planting import everywhere, method, planted

# The law of inertia


def _with_points(
    patch: pytest.MonkeyPatch, change: Callable[[list[Any], list[Any]], tuple[list[Any], list[Any]]]
) -> None:
    def changed(original: Any) -> Any:
        return lambda initiated, terminated, *rest: original(*change(list(initiated), list(terminated)), *rest)

    everywhere(patch, inertia, "make_intervals", changed)


def _with_made(patch: pytest.MonkeyPatch, change: Callable[[Any], Any]) -> None:
    everywhere(patch, inertia, "make_intervals", lambda original: lambda *args: change(original(*args)))


def _where(part: Any, keep: Any) -> Any:
    return tuple(column[keep] for column in part)


@planted("inertia")
def an_interval_starts_at_its_initiation(patch: pytest.MonkeyPatch) -> None:
    _with_made(patch, lambda made: replace(made, start=made.start - 1))


@planted("inertia")
def an_interval_ends_one_time_point_late(patch: pytest.MonkeyPatch) -> None:
    _with_made(patch, lambda made: replace(made, end=np.where(made.end < FOREVER, made.end + 1, made.end)))


@planted("inertia")
def an_initiation_wins_over_a_termination_at_the_same_time_point(patch: pytest.MonkeyPatch) -> None:
    def change(initiated: list[Any], terminated: list[Any]) -> tuple[list[Any], list[Any]]:
        begun = {moment for part in initiated for moment in zip(part[0].tolist(), part[1].tolist(), strict=True)}
        kept = [
            _where(part, [m not in begun for m in zip(part[0].tolist(), part[1].tolist(), strict=True)])
            for part in terminated
            if len(part[0])
        ]
        return initiated, kept

    _with_points(patch, change)


@planted("inertia")
def two_values_initiated_together_do_not_break_each_other(patch: pytest.MonkeyPatch) -> None:
    def change(initiated: list[Any], terminated: list[Any]) -> tuple[list[Any], list[Any]]:
        seen: set[tuple[int, int]] = set()
        kept = []
        for part in initiated:
            fresh = []
            for moment in zip(part[0].tolist(), part[1].tolist(), strict=True):
                fresh.append(moment not in seen)
                seen.add(moment)
            kept.append(_where(part, np.array(fresh, np.bool_)))
        return kept, terminated

    _with_points(patch, change)


@planted("inertia")
def a_termination_of_any_value_is_ignored(patch: pytest.MonkeyPatch) -> None:
    _with_points(
        patch, lambda begun, ended: (begun, [_where(part, part[2] != inertia.ANY) for part in ended if len(part[0])])
    )


# What a window sees and keeps


@planted("inputs")
def late_events_are_dropped(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def known_events(kept: Any, arrived: Any, sight: Any, dictionary: Any) -> Any:
            if arrived is not None:
                sight = replace(sight, low=max(sight.low, sight.previous))
            return original(kept, arrived, sight, dictionary)

        return known_events

    everywhere(patch, inputs, "known_events", changed)


@planted("inputs")
def an_event_at_the_border_counts(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        return lambda kept, arrived, sight, *rest: original(kept, arrived, replace(sight, low=sight.low - 1), *rest)

    everywhere(patch, inputs, "known_events", changed)


@planted("evaluation")
def what_holds_at_the_border_is_lost(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def set_fluent(self: Evaluation, symbol: Any, table: Any) -> None:
            original(self, symbol, table)
            self.next_border.holding.pop(symbol, None)

        return set_fluent

    method(patch, Evaluation, "set_fluent", changed)


@planted("evaluation")
def the_start_of_what_holds_at_the_border_is_forgotten(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def set_fluent(self: Evaluation, symbol: Any, table: Any) -> None:
            original(self, symbol, table)
            held = self.next_border.holding.get(symbol)
            if held is not None:
                since = np.maximum(held.since, self.moment.next_border)
                self.next_border.holding[symbol] = replace(held, since=since)

        return set_fluent

    method(patch, Evaluation, "set_fluent", changed)


@planted("inputs")
def an_input_interval_cut_by_the_window_has_a_start(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def seen_intervals(*given: Any) -> Any:
            table, is_cut, pieces = original(*given)
            return table, np.zeros_like(is_cut), pieces

        return seen_intervals

    everywhere(patch, inputs, "seen_intervals", changed)


@planted("evaluation")
def groundings_do_not_narrow(patch: pytest.MonkeyPatch) -> None:
    method(patch, Evaluation, "narrowed", lambda _: lambda _self, _symbol, table: table)


@planted("evaluation")
def initial_values_are_forgotten(patch: pytest.MonkeyPatch) -> None:
    method(patch, Evaluation, "initial_points", lambda _: lambda _self, _symbol: [])


@planted("evaluation")
def an_open_termination_ends_one_instance_only(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def expanded(made: Any, *rest: Any) -> Any:
            found = original(made, *rest)
            if not any(made.wild) or not len(found):
                return found
            return found.take(np.unique(found.time, return_index=True)[1])

        return expanded

    everywhere(patch, points, "expanded", changed)


@planted("retention")
def what_a_look_back_needs_is_not_kept(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, prepared, "retention", lambda original: lambda plan: replace(original(plan), reach={}))


@planted("retention")
def histories_are_not_kept_for_whole_intervals(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, prepared, "retention", lambda original: lambda plan: replace(original(plan), whole=frozenset()))


# Components that depend on themselves, and delayed effects


@planted("sweep")
def attempts_are_forgotten_at_the_border(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def forgetful(sheet: Any, start: Any, *rest: Any, **named: Any) -> Any:
            return original(sheet, replace(start, pending=sweep.NO_PENDING), *rest, **named)

        return forgetful

    everywhere(patch, sweep, "sweep", changed)


def _with_delays(patch: pytest.MonkeyPatch, change: Callable[[Any], None]) -> None:
    def changed(original: Any) -> Any:
        def other(sheet: Any, *rest: Any, **named: Any) -> Any:
            delays = np.array(sheet.delays).reshape(-1, sweep_loop.ENTRY)
            change(delays)
            return original(sheet._replace(delays=delays.reshape(-1)), *rest, **named)

        return other

    everywhere(patch, sweep, "sweep", changed)


@planted("sweep")
def a_new_initiation_does_not_postpone(patch: pytest.MonkeyPatch) -> None:
    def change(delays: Any) -> None:
        delays[:, sweep_loop.POSTPONABLE] = 0

    _with_delays(patch, change)


@planted("sweep")
def a_delayed_effect_comes_one_time_point_late(patch: pytest.MonkeyPatch) -> None:
    def change(delays: Any) -> None:
        delays[:, sweep_loop.DELAY] += 1

    _with_delays(patch, change)


@planted("sweep")
def a_delayed_effect_comes_although_its_trigger_was_broken(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def come_due(delays: Any, slots: Any, marks: Any, counts: Any, waiting: Any, attempt: int) -> None:
            since = waiting[attempt][sweep_loop.WAITING] * sweep_loop.SLOT + sweep_loop.SINCE
            before, slots[since] = slots[since], min(slots[since], waiting[attempt][sweep_loop.BEGUN])
            original(delays, slots, marks, counts, waiting, attempt)
            slots[since] = before

        return come_due

    everywhere(patch, sweep_loop, "_come_due", changed)


@planted("sweep")
def a_break_loses_to_an_initiation_in_a_cycle(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def is_broken(slots: Any, marks: Any, stamp: int, slot: int, value: int) -> bool:
            begins = sweep_loop._is_marked(slots, marks, stamp, sweep_loop.STARTED, slot, value)
            return not begins and bool(original(slots, marks, stamp, slot, value))

        return is_broken

    everywhere(patch, sweep_loop, "_is_broken", changed)


@planted("sweep")
def a_cycle_reads_the_state_after_the_time_point(patch: pytest.MonkeyPatch) -> None:
    def changed(original: Any) -> Any:
        def mark(slots: Any, marks: Any, counts: Any, kind: int, slot: int, value: int) -> None:
            original(slots, marks, counts, kind, slot, value)
            if kind == sweep_loop.STARTED:
                slots[slot + sweep_loop.CURRENT] = value

        return mark

    everywhere(patch, sweep_loop, "_mark", changed)
