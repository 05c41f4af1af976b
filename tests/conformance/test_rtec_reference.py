"""Every RTEC conformance case on the reference evaluator."""

from pathlib import Path

import pytest

from holdsfor.reference import recognise
from tests.conformance.rtec_cases import CASES, check_case, parameters


@pytest.mark.parametrize("folder", parameters("reference"))
def test_case(folder: Path) -> None:
    check_case(folder, lambda reasoner, records, windows: recognise(reasoner.analysis, records, windows))


def test_there_are_cases() -> None:
    assert len(CASES) == 112
