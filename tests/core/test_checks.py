"""Checks of the core's parts that are written in C++: see the folder `checks`."""

from __future__ import annotations

import subprocess

import pytest

from tests.core.building import built_checks


@pytest.mark.parametrize("first", [0, 500])
def test_parts_of_the_core(first: int) -> None:
    done = subprocess.run([built_checks(), str(first), "500"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
