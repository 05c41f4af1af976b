"""Bugs to plant where metric programs are read, checked, evaluated and written, and the property that finds each."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from holdsfor.columns.metric import report
from holdsfor.columns.metric.facts import Facts, no_facts
from holdsfor.compiler.metric import checks
from holdsfor.compiler.metric.rules import Relation
from holdsfor.core import metric_driver, metric_feed
from holdsfor.frontend.dmtl import atoms, numbers
from holdsfor.ir.metric import BinaryOperator, Range
from holdsfor.physical import metric, metric_lower
from tests.property import test_metric_engine, test_metric_revising
from tests.property import test_metric_extremes as properties
from tests.unit.api import test_metric

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


@bug("metric_driver", properties.test_far_bounds_in_one_go)
def the_last_point_is_left_out(patch: pytest.MonkeyPatch) -> None:
    original = metric_driver.cells

    def cells(during: Range, scale: int) -> tuple[int, int]:
        low, high = original(during, scale)
        return low, high - 1

    patch.setattr(metric_driver, "cells", cells)


@bug("metric_lower", properties.test_far_bounds_in_one_go)
def distances_have_32_bits(patch: pytest.MonkeyPatch) -> None:
    original = metric_lower._Lowering._ticks
    patch.setattr(metric_lower._Lowering, "_ticks", lambda self, distance: original(self, distance) % 2**32)


@bug("metric_lower", test_metric_engine.test_over_all_of_time)
def open_bounds_are_closed(patch: pytest.MonkeyPatch) -> None:
    original = metric_lower._Lowering._offsets

    def offsets(self: metric_lower._Lowering, given: Range) -> metric.MetricOffsets:
        found = original(self, given)
        return metric.MetricOffsets(found.low, found.high, low_open=False, high_open=False)

    patch.setattr(metric_lower._Lowering, "_offsets", offsets)


@bug("metric_driver", test_metric_revising.test_late_and_retracted)
def what_was_there_before_is_not_taken_back(patch: pytest.MonkeyPatch) -> None:
    original = metric_driver.MetricDriver.changed

    def changed(self: metric_driver.MetricDriver) -> dict[Relation, tuple[Facts, Facts]]:
        return {relation: (no_facts(relation.arity), now) for relation, (_, now) in original(self).items()}

    patch.setattr(metric_driver.MetricDriver, "changed", changed)


@bug("metric_driver", test_metric_revising.test_late_and_retracted)
def what_goes_on_is_told_once(patch: pytest.MonkeyPatch) -> None:
    original = metric_driver.MetricDriver.facts

    def facts(self: metric_driver.MetricDriver, relation: Relation, after: int | None = None) -> Facts:
        return original(self, relation) if after is None else no_facts(relation.arity)

    patch.setattr(metric_driver.MetricDriver, "facts", facts)


@bug("metric_feed", test_metric.test_ticks_become_finer_in_a_session)
def results_in_other_ticks_are_compared(patch: pytest.MonkeyPatch) -> None:
    def refine(self: metric_feed.MetricFeed, factor: int) -> None:
        original(self, factor)
        self.driver.keep_changes(True)

    original = metric_feed.MetricFeed._refined
    patch.setattr(metric_feed.MetricFeed, "_refined", refine)
