"""The property "engine = reference" finds every bug that is planted in the engine: see `README.md` for the list."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutation.mutants import PLANTED, Planted

SCENARIOS = 3_000
"""Scenarios that are tried before a planted bug counts as not found."""


def test_the_list_of_planted_bugs_is_the_one_in_the_readme() -> None:
    text = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| (.+) \| `\w+` \| \d+ \|$", text, re.MULTILINE) == [planted.name for planted in PLANTED]


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.name)
def test_what_is_planted_can_be_taken_out_again(planted: Planted) -> None:
    """Also says when a function that a bug replaces is no longer there."""
    with pytest.MonkeyPatch.context() as patch:
        planted.plant(patch)
        assert patch._setattr, "nothing was replaced"


@pytest.mark.slow
@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.name)
def test_a_planted_bug_is_found(planted: Planted) -> None:
    command = [sys.executable, "-m", "tests.mutation.search", str(SCENARIOS), planted.name]
    found = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
