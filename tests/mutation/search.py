"""Looks for a scenario on which the engine that is imported differs from the reference evaluator.

`python -m tests.mutation.search FIRST COUNT` tries the scenarios of so many seeds and prints the first that differs. It
runs in a process of its own, so that a changed copy of the engine can be put in front of the real one.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from holdsfor.diagnostics import HoldsforError
from holdsfor.engine.variants import NotSupported
from tests.strategies.engine_runs import Scenario, on_engine, on_reference, sampled
from tests.strategies.scenario_statics import POINTWISE_KIND
from tests.strategies.scenarios import EVERYTHING, WINDOWED, Features

FAMILIES: tuple[tuple[Features, bool], ...] = (
    (WINDOWED, True),
    (EVERYTHING, False),
    (replace(WINDOWED, statics=replace(POINTWISE_KIND, equal=WINDOWED.statics.equal)), True),
)
"""Features and whether there are windows: the same as in the property tests."""


def scenario_of(seed: int) -> Scenario | None:
    """The scenario of a seed."""
    features, windowed = FAMILIES[seed % len(FAMILIES)]
    return sampled(seed, features, windowed=windowed, late=12)


def finds(seed: int) -> bool:
    """Whether the engine is wrong about the scenario of a seed."""
    scenario = scenario_of(seed)
    if scenario is None:
        return False
    try:
        reference = on_reference(scenario.reasoner, scenario.records, scenario.span)
    except HoldsforError:
        return False
    try:
        return on_engine(scenario.reasoner, scenario.records, scenario.span) != reference
    except NotSupported:
        return False
    except Exception:  # noqa: BLE001 -- a crash is a difference too
        return True


def main(first: int, count: int) -> int:
    """Prints the first seed that finds a difference."""
    for seed in range(first, first + count):
        if finds(seed):
            sys.stdout.write(f"{seed}\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
