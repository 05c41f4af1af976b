"""Each bug planted in the core, or in what lowers programs to plans, is found by the histories of the default run."""

from __future__ import annotations

import pytest

from tests.mutation.bugs_of_core import BUGS
from tests.mutation.core_planting import planted_sources
from tests.mutation.core_search import found_after

FILES = {bug.file for bug in BUGS if bug.patch is None}


@pytest.mark.slow
def test_the_core_without_a_bug_keeps_the_law() -> None:
    assert found_after(0) is None


@pytest.mark.slow
@pytest.mark.parametrize("number", range(1, len(BUGS) + 1), ids=[bug.name for bug in BUGS])
def test_bugs_are_found(number: int) -> None:
    assert found_after(number) is not None


def test_bugs_have_their_place() -> None:
    """Where the core changes, its planted bugs change with it."""
    assert all("planted_bug" in text for name, text in planted_sources(BUGS).items() if name in FILES)
