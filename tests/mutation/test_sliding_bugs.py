"""Bugs where sliding aggregates are lowered: all evaluators share them, and values worked out by hand find them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from holdsfor.compiler.passes.sliding import _Lowering
from holdsfor.ir import Compare, FindAll
from tests.property.test_sliding import test_values_by_hand as by_hand

Plant = Callable[[pytest.MonkeyPatch], None]


def _in_windows(patch: pytest.MonkeyPatch, old: str, new: str) -> None:
    original = _Lowering._window

    def window(*args: Any) -> Any:
        return tuple(
            replace(one, operator=new) if isinstance(one, Compare) and one.operator == old else one
            for one in original(*args)
        )

    patch.setattr(_Lowering, "_window", staticmethod(window))


def a_window_begins_one_time_point_earlier(patch: pytest.MonkeyPatch) -> None:
    _in_windows(patch, "<", "=<")


def a_window_leaves_out_the_present(patch: pytest.MonkeyPatch) -> None:
    _in_windows(patch, "=<", "<")


def what_ties_ranks_higher(patch: pytest.MonkeyPatch) -> None:
    original = _Lowering._top

    def top(self: Any, atom: Any, given: Any) -> Any:
        *before, collected, last = original(self, atom, given)
        assert isinstance(collected, FindAll)
        *conditions, larger = collected.body
        assert isinstance(larger, Compare)
        return (*before, replace(collected, body=(*conditions, replace(larger, operator=">="))), last)

    patch.setattr(_Lowering, "_top", top)


@pytest.mark.slow
@pytest.mark.parametrize(
    "plant", [a_window_begins_one_time_point_earlier, a_window_leaves_out_the_present, what_ties_ranks_higher]
)
def test_bugs_of_windows_are_found(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    with pytest.raises(AssertionError):
        by_hand()
