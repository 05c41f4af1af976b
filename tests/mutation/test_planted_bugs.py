"""The property "engine = reference" finds bugs that are planted in the engine: see `README.md` for the list."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from holdsfor import loads
from holdsfor.reference import InputInterval
from holdsfor.syntax.terms import Compound, Const
from tests.mutation.mutants import PLANTED, Planted
from tests.strategies.engine_runs import Scenario, check_engine, on_strata

SCENARIOS = 3_000
"""Scenarios that are tried before a planted bug counts as not found."""
MISSED = "set operators do not join sequences that touch"
"""Too rare in random programs; found by an example instead."""


def test_the_list_of_planted_bugs_is_the_one_in_the_readme() -> None:
    text = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+) \| `(\w+)` \| (\d+|not found) \|$", text, re.MULTILINE)
    assert [(name, where) for name, where, _ in rows] == [(planted.name, planted.where) for planted in PLANTED]
    assert [name for name, _, after in rows if after == "not found"] == [MISSED]


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.name)
def test_what_a_planted_bug_replaces_is_there(planted: Planted) -> None:
    with pytest.MonkeyPatch.context() as patch:
        planted.plant(patch)
        assert patch._setattr or patch._setitem, "nothing was replaced"


def touching() -> Scenario:
    """Two sequences that touch, joined by an intersection, and long enough only together."""
    rules = """
    holdsFor(long(X)=true, I) :-
        holdsFor(at(X)=port, I1), holdsFor(at(X)=sea, I2),
        seq(I1, I2, I3), intersect_all([I3, I3], I4), intDurGreater(I4, 5, I).
    """
    pieces = (("port", 1, 3), ("sea", 3, 5), ("port", 5, 8), ("sea", 8, 9))
    at = Compound("at", (Const("boat"),))
    records = [InputInterval(at, Const(place), start, end, start) for place, start, end in pieces]
    return Scenario(rules, list(records), None, loads(rules))


def test_sequences_that_touch() -> None:
    check_engine(touching(), on_strata)
    planted = next(planted for planted in PLANTED if planted.name == MISSED)
    with pytest.MonkeyPatch.context() as patch:
        planted.plant(patch)
        with pytest.raises(AssertionError):
            check_engine(touching(), on_strata)


@pytest.mark.slow
def test_all_planted_bugs_are_found() -> None:
    # In a process of its own: what is planted must not outlive the test.
    names = [planted.name for planted in PLANTED if planted.name != MISSED]
    command = [sys.executable, "-m", "tests.mutation.search", str(SCENARIOS), *names]
    found = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
