"""Bugs to plant where metric programs are read, checked, evaluated and written, and the property that finds each."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from holdsfor.compiler.metric import checks
from holdsfor.engine.kernels import Ints
from holdsfor.engine.metric import facts, operators, report, stratum
from holdsfor.engine.tables import FOREVER
from holdsfor.frontend.dmtl import atoms, numbers
from holdsfor.ir.metric import BinaryOperator
from tests.property import test_metric_extremes as properties

Plant = Callable[[pytest.MonkeyPatch], None]


@dataclass(frozen=True)
class MetricBug:
    """A bug, where it is planted, and the property that should find it."""

    name: str
    where: str
    plant: Plant
    found_by: Callable[[], None]


METRIC_BUGS: list[MetricBug] = []


def bug(where: str, found_by: Callable[[], None]) -> Callable[[Plant], Plant]:
    """Add a bug to the list; its name is that of the function."""

    def add(plant: Plant) -> Plant:
        METRIC_BUGS.append(MetricBug(plant.__name__.replace("_", " "), where, plant, found_by))
        return plant

    return add


@bug("numbers", properties.test_facts_go_through_files_and_back)
def times_have_no_exponents(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(numbers, "NUMBER", re.compile(r"[+-]?(?:\d+/\d+|\d*\.\d+|\d+)(?P<exponent>(?!))?", re.ASCII))


@bug("atoms", properties.test_operators_in_any_spelling)
def until_in_capital_letters_never_looks_back(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(atoms, "SIGNED_BINARY", {"UNTIL": (BinaryOperator.UNTIL, BinaryOperator.UNTIL)})


@bug("report", properties.test_facts_go_through_files_and_back)
def arguments_are_joined_without_quotes(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(report, "argument_text", str)


@bug("checks", properties.test_what_check_accepts_has_a_plan)
def check_says_nothing_of_conditions_without_a_plan(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(checks, "CHECKS", tuple(one for one in checks.CHECKS if one.__name__ != "check_planning"))


@bug("stratum", properties.test_far_bounds_without_end_are_exact_or_refused)
def far_times_are_not_refused(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(stratum, "lies_beyond", lambda _facts: (False, False))


@bug("operators", properties.test_far_bounds_in_one_go)
def far_times_wrap_round(patch: pytest.MonkeyPatch) -> None:
    def shifted(times: Ints, ticks: int, low_bit: Ints) -> Ints:
        wrapped = (2 * ticks + 2**63) % 2**64 - 2**63
        moved: Ints = ((times & ~1) + wrapped) | low_bit
        return np.where(np.abs(times) >= FOREVER, times, moved)

    patch.setattr(operators, "_shifted", shifted)


@bug("operators", properties.test_far_bounds_without_end_are_exact_or_refused)
def far_times_are_infinite(patch: pytest.MonkeyPatch) -> None:
    original = operators._shifted

    def shifted(times: Ints, ticks: int, low_bit: Ints) -> Ints:
        moved = original(times, ticks, low_bit)
        return np.where(moved > facts.MOST_CELLS, FOREVER, np.where(moved < -facts.MOST_CELLS, -FOREVER, moved))

    patch.setattr(operators, "_shifted", shifted)


@bug("facts", properties.test_far_bounds_in_one_go)
def packed_keys_have_too_many_bits(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(facts, "_MOST_BITS", 1_000)
