"""A slow path that creeps in shows here: in counts and ratios of counts, which no busy machine can blur.

Bounds are what was counted when they were written, and a fifth to a third on top. Who makes something cheaper may lower them; who has
to raise one should say why.
"""

import subprocess
import sys

import numpy as np
import pytest

from holdsfor.engine import columnar
from tests.benchmarks.counting import Counts, counted
from tests.benchmarks.streams import many_windows, market, one_event, one_window

CALLS_A_WINDOW = 18_000
"""Of the maritime description with eleven outputs."""
CALLS_A_SWEPT_EVENT = 22
SORTED_ROWS_AN_EVENT = 5.0
CALLS_AN_EVENT_LIVE = 5_000
MODULES = 190
"""That `import holdsfor` loads on top of those of Python itself."""


def check_one_window(small: Counts, large: Counts, events: int) -> None:
    """What a window may cost: as many calls whatever its size, and a few sorts."""
    assert small.calls <= CALLS_A_WINDOW
    assert large.calls <= 1.2 * small.calls, "calls grow with the events"
    assert large.sorted_rows <= SORTED_ROWS_AN_EVENT * events, "sorted more often than before"


def test_calls_of_a_window_do_not_grow_with_its_events_or_keys():
    small = counted(one_window(1_000, 200))
    check_one_window(small, counted(one_window(20_000, 1_000)), 20_000)
    check_one_window(small, counted(one_window(20_000, 4_000)), 20_000)


def test_windows_cost_the_same_each():
    few, many = (counted(many_windows(20_000, 1_000, count)) for count in (4, 16))
    assert many.calls - few.calls <= 12 * CALLS_A_WINDOW
    assert many.sorted_rows <= 2 * SORTED_ROWS_AN_EVENT * 20_000


def test_cycles_are_linear():
    small, large = counted(market(50, 5_000)), counted(market(50, 20_000))
    assert large.calls <= CALLS_A_SWEPT_EVENT * 20_000
    assert large.calls <= 1.3 * 4 * small.calls
    assert large.sorted_rows <= 4 * SORTED_ROWS_AN_EVENT * 20_000


@pytest.mark.parametrize("keys", [100, 5_000])
def test_one_event_of_a_session_does_not_look_at_other_keys(keys):
    work = one_event(keys)
    # Now and then a session puts its tables in order; most events must not.
    counts = [counted(work) for _ in range(9)]
    assert np.median([one.calls for one in counts]) <= CALLS_AN_EVENT_LIVE
    assert np.median([one.sorted_rows for one in counts]) == 0


def test_import_is_lean():
    program = "import sys; before = set(sys.modules); import holdsfor; print(*sorted(set(sys.modules) - before))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "pyarrow", "pandas", "numba", "pyspark"} & set(found)
    assert len(found) <= MODULES


def plant(monkeypatch, slowly) -> None:
    """Have something done with every initiation and termination, on the way to intervals."""
    make = columnar.make_intervals

    def slow(starts, ends, *rest, **options):
        for part in (*starts, *ends):
            slowly(part[1])
        return make(starts, ends, *rest, **options)

    monkeypatch.setattr(columnar, "make_intervals", slow)


def test_it_notices_a_loop_over_rows(monkeypatch):
    plant(monkeypatch, lambda moments: [moment.bit_length() for moment in moments.tolist()])
    small, large = counted(one_window(1_000, 200)), counted(one_window(20_000, 1_000))
    with pytest.raises(AssertionError):
        check_one_window(small, large, 20_000)


def test_it_notices_sorts_too_many(monkeypatch):
    plant(monkeypatch, np.sort)
    small, large = counted(one_window(1_000, 200)), counted(one_window(20_000, 1_000))
    with pytest.raises(AssertionError, match="sorted more often"):
        check_one_window(small, large, 20_000)
