"""Bugs in the front end by which valid programs are refused: a family of programs that must be accepted notices them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from holdsfor.compiler.analysis import binding, safety
from holdsfor.frontend.rtec import heads
from holdsfor.syntax.terms import Const
from tests.property.test_domains import test_nearly_all_programs_are_accepted as accepted

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
