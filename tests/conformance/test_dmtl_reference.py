"""Every DatalogMTL conformance case that has an answer, on the reference evaluator."""

import pytest

from tests.conformance.dmtl_cases import ANSWERED, CASES, ENDING, RANDOM_CASES, REFUSED, Case, check, on_reference


@pytest.mark.parametrize("case", ENDING, ids=lambda case: case.name)
def test_case(case: Case) -> None:
    check(case, on_reference)


@pytest.mark.parametrize("case", RANDOM_CASES[::6], ids=lambda case: case.name)
def test_random_case(case: Case) -> None:
    check(case, on_reference)


@pytest.mark.slow
def test_every_random_case() -> None:
    for case in RANDOM_CASES:
        check(case, on_reference)


def test_there_are_cases() -> None:
    assert (len(CASES), len(ANSWERED), len(REFUSED), len(RANDOM_CASES)) == (61, 54, 11, 240)
