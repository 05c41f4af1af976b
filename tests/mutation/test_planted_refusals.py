"""Bugs in the front end by which valid programs are refused: a family of programs that must be accepted notices them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from holdsfor.compiler import analyse
from holdsfor.compiler.analysis import binding, safety
from holdsfor.frontend.rtec import heads
from holdsfor.syntax.terms import Const
from tests.property.test_domains import test_nearly_all_programs_are_accepted as accepted
from tests.strategies.families import Writer, share_accepted
from tests.strategies.filter_programs import filter_program
from tests.strategies.value_programs import value_program

Plant = Callable[[pytest.MonkeyPatch], None]


def an_initiation_before_time_is_one_at_a_time_point(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(heads, "_BEFORE_TIME", Const("never"))


def a_grounding_of_another_value_gives_no_values(patch: pytest.MonkeyPatch) -> None:
    original = safety.instantiate
    patch.setattr(safety, "instantiate", lambda declaration, fvp, **_: original(declaration, fvp, any_value=False))


def a_fact_with_variables_binds_nothing(patch: pytest.MonkeyPatch) -> None:
    def given(_fact: Any, _atom: Any, known: Any) -> set[str]:
        return set(known)

    patch.setattr(binding, "_given_by", given)


def values_of_a_fluent_are_not_told_apart(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(analyse, "find_fluent_parts", lambda _graph: {})


def a_list_predicate_must_be_given_its_result(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(binding, "_first_places", lambda args, _wanted: set(range(len(args))))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plant", "write"),
    [
        (values_of_a_fluent_are_not_told_apart, value_program),
        (a_list_predicate_must_be_given_its_result, filter_program),
    ],
)
def test_refusals_are_noticed_by_families(plant: Plant, write: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    assert share_accepted(write, 50) < 0.95


@pytest.mark.slow
@pytest.mark.parametrize(
    "plant",
    [
        an_initiation_before_time_is_one_at_a_time_point,
        a_grounding_of_another_value_gives_no_values,
        a_fact_with_variables_binds_nothing,
    ],
    ids=lambda plant: plant.__name__.replace("_", " "),
)
def test_refusals_are_noticed(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    with pytest.raises(AssertionError):
        accepted(dynamic=True)
