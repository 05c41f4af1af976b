"""Every RTEC conformance case on the core, at its own window setting."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.conformance.rtec_cases import CASES, check_case, parameters
from tests.core.runs import on_core


@pytest.mark.parametrize("folder", parameters("core"))
def test_case(folder: Path) -> None:
    check_case(folder, partial(on_core, threads=2))


def test_there_are_cases() -> None:
    assert len(CASES) == 112
