"""Looks for a scenario on which the engine, with a bug planted in it, differs from the reference evaluator.

`python -m tests.mutation.search COUNT [NAME …]` tries up to so many scenarios on each planted bug (or on those named)
and prints a table. A scenario on which the engine differs without the bug as well says nothing of it and is passed over.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import FrameType

import pytest
from holdsfor.engine.cyclic import sweep

from holdsfor.diagnostics import HoldsforError
from tests.mutation.mutants import PLANTED, Planted
from tests.mutation.planting import Scenarios
from tests.strategies.engine_runs import Rows, Scenario, on_engine, on_reference, sampled
from tests.strategies.scenario_statics import POINTWISE_KIND
from tests.strategies.scenarios import EVERYTHING, INTERVALS, WINDOWED, Features

FAMILIES: tuple[tuple[Features, bool], ...] = (
    (WINDOWED, True),
    (EVERYTHING, False),
    (replace(WINDOWED, statics=replace(POINTWISE_KIND, equal=WINDOWED.statics.equal)), True),
    (INTERVALS, True),
)
"""Features and whether there are windows: the same as in the property tests."""
PATIENCE = 20.0
"""Seconds for one run of a scenario; a bug may well be an endless loop."""


class _TooLongError(BaseException):
    """Not an Exception, so that nothing on the way catches it."""


def _ring(_signal: int, _frame: FrameType | None) -> None:
    raise _TooLongError


@dataclass(frozen=True)
class Outcome:
    """How many scenarios it took to find a bug, None if it was not found, and how many were passed over."""

    planted: Planted
    examples: int | None
    passed_over: int


def scenario_of(seed: int) -> Scenario | None:
    """The scenario of a seed."""
    features, windowed = FAMILIES[seed % len(FAMILIES)]
    return sampled(seed, features, windowed=windowed, late=12)


@cache
def example(seed: int, scenarios: Scenarios = scenario_of) -> tuple[Scenario, Rows] | None:
    """The scenario of a seed with the right answer, if it has one; the same for every planted bug."""
    scenario = scenarios(seed)
    if scenario is None:
        return None
    try:
        return scenario, on_reference(scenario.reasoner, scenario.records, scenario.span)
    except HoldsforError:
        return None


def differs(scenario: Scenario, reference: Rows) -> bool:
    """Whether the engine is wrong about a scenario; what it refuses says nothing."""
    # What an earlier run has worked out from the rules may have been worked out with a bug.
    scenario.reasoner.plan._worked_out.clear()
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        return on_engine(scenario.reasoner, scenario.records, scenario.span) != reference
    except HoldsforError:
        return False
    except (Exception, _TooLongError):  # noqa: BLE001 -- a crash is a difference too, and so is an endless loop
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def search(planted: Planted, count: int) -> Outcome:
    """Try scenarios until one shows a planted bug."""
    passed_over = 0
    for seed in range(count):
        found = example(seed, planted.scenarios or scenario_of)
        if found is None:
            continue
        with pytest.MonkeyPatch.context() as patch:
            planted.plant(patch)
            is_wrong = differs(*found)
        if is_wrong and not differs(*found):
            return Outcome(planted, seed + 1, passed_over)
        passed_over += is_wrong
    return Outcome(planted, None, passed_over)


def main(count: int, names: Sequence[str]) -> int:
    """Print the table; the number of bugs that were not found is the result."""
    signal.signal(signal.SIGALRM, _ring)
    missed = 0
    sys.stdout.write("| planted bug | module | found after |\n| --- | --- | --- |\n")
    with pytest.MonkeyPatch.context() as patch:
        # Compiled code would not see what is planted.
        patch.setattr(sweep._Meter, "pays", lambda _self, _rows: False)
        for planted in PLANTED:
            if not names or planted.name in names:
                outcome = search(planted, count)
                missed += outcome.examples is None
                sys.stdout.write(f"| {planted.name} | `{planted.where}` | {outcome.examples or 'not found'} |\n")
                if outcome.passed_over:
                    sys.stderr.write(f"{planted.name}: {outcome.passed_over} scenarios differ without it\n")
                sys.stdout.flush()
    return missed


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
