# ruff: noqa: T201 -- it prints when it is run by itself
"""A slow path that creeps in shows here: in counts and ratios of counts, which no busy machine can blur.

Bounds are what was counted when they were written and a third on top, so that small changes do not matter. To tighten
them, run `python -m tests.benchmarks.test_guard`, which prints what is counted now; take that times 1.3. Who has to raise
one should say why.
"""

import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from holdsfor.core.engine import Engine
from holdsfor.io import rtec_csv
from tests.benchmarks.counting import Counts, counted, peak_bytes
from tests.benchmarks.streams import (
    many_windows,
    market,
    one_batch,
    one_event,
    one_window,
    overlapping,
    reading,
    sequences,
)

CALLS_A_WINDOW = 1_600
"""Of the maritime description with eleven outputs."""
SORTED_ROWS_AN_EVENT = 0.5
"""In Python: the core sorts by itself."""
BYTES_AN_EVENT = 40
"""The most in use at once in Python, results included."""
CALLS_A_SWEPT_WINDOW = 1_200
"""Of NetBill."""
CALLS_A_SEQUENCE = 420
CALLS_A_LONGER_SEQUENCE = 70
"""For every activity more."""
CALLS_A_CHANGED_WINDOW = 820
CALLS_OF_READING = 26_600
"""Of 20,000 rows; nearly all for the names that occur, of which 100,000 rows have few more."""
BYTES_A_ROW_READ = 345
CALLS_AN_EVENT_LIVE = 65
CALLS_A_BATCH_LIVE = 500
"""Of ten Arrow tables into a session, with the changes that they make."""
MODULES = 41
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


def test_memory_of_a_window():
    assert peak_bytes(one_window(20_000, 4_000)) <= BYTES_AN_EVENT * 20_000


def test_windows_cost_the_same_each():
    few, many = (counted(many_windows(20_000, 1_000, count)) for count in (4, 16))
    assert many.calls - few.calls <= 12 * 1.2 * CALLS_A_WINDOW
    assert many.sorted_rows <= SORTED_ROWS_AN_EVENT * 20_000


def check_cycles(tiny: Counts, small: Counts, large: Counts) -> None:
    """What cycles may cost: as many calls however many events there are."""
    assert tiny.calls <= CALLS_A_SWEPT_WINDOW
    assert small.calls <= CALLS_A_SWEPT_WINDOW
    assert large.calls <= CALLS_A_SWEPT_WINDOW
    assert large.sorted_rows <= SORTED_ROWS_AN_EVENT * 20_000


def test_calls_of_cycles_do_not_grow_with_the_events():
    check_cycles(*(counted(market(50, events)) for events in (200, 5_000, 20_000)))


def check_sequences(short: Counts, large: Counts, longer: Counts) -> None:
    """What sequences may cost: calls by their length and not by the activities."""
    assert short.calls <= CALLS_A_SEQUENCE
    assert large.calls <= 1.2 * short.calls, "calls grow with the activities"
    assert longer.calls <= short.calls + 3 * CALLS_A_LONGER_SEQUENCE
    assert large.sorted_rows <= SORTED_ROWS_AN_EVENT * 20_000


def test_calls_of_sequences_do_not_grow_with_the_activities():
    check_sequences(*(counted(sequences(length, many)) for length, many in ((3, 1_000), (3, 20_000), (6, 1_000))))


def move(events: int, size: int) -> Counts:
    """What it takes to move a window on."""
    answers = iter(overlapping(events, 300 * events // 1_000, size))
    for _ in islice(answers, size + 1):
        pass
    return counted(lambda: next(answers))


def test_calls_of_a_window_that_moves_on_do_not_grow_with_its_events():
    small, large = move(1_000, 8), move(4_000, 8)
    assert small.calls <= CALLS_A_CHANGED_WINDOW
    assert large.calls <= 1.3 * small.calls


def check_reading(small: Counts, large: Counts) -> None:
    """What reading may cost: next to no calls for a row more."""
    assert small.calls <= CALLS_OF_READING
    assert large.calls <= 1.5 * small.calls, "calls grow with the rows"


def test_calls_of_reading_do_not_grow_with_the_rows(tmp_path):
    check_reading(counted(reading(tmp_path, 20_000)), counted(reading(tmp_path, 100_000)))


def test_memory_of_reading(tmp_path):
    assert peak_bytes(reading(tmp_path, 20_000)) <= BYTES_A_ROW_READ * 20_000


@pytest.mark.parametrize("keys", [100, 5_000])
def test_one_event_of_a_session_does_not_look_at_other_keys(keys):
    work = one_event(keys)
    # Now and then a session puts its tables in order; most events must not.
    counts = [counted(work) for _ in range(9)]
    assert np.median([one.calls for one in counts]) <= CALLS_AN_EVENT_LIVE
    assert np.median([one.sorted_rows for one in counts]) == 0


def test_a_batch_of_a_session_does_not_look_at_rows_one_by_one():
    small, large = (counted(one_batch(1_000, events)) for events in (1_000, 10_000))
    assert small.calls <= CALLS_A_BATCH_LIVE
    assert large.calls <= 1.2 * small.calls, "calls grow with the events"


def modules() -> list[str]:
    """What is loaded by importing the package."""
    program = "import sys; before = set(sys.modules); import holdsfor; print(*sorted(set(sys.modules) - before))"
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()


def test_import_is_lean():
    found = modules()
    assert not {"numpy", "pyarrow", "pandas", "numba", "pyspark"} & set(found)
    assert len(found) <= MODULES


def plant(monkeypatch, slowly) -> None:
    """Have something done with every row, on the way into the engine."""
    push = Engine.push

    def slow(engine, rows, **options):
        slowly(rows.words.reshape(-1))
        push(engine, rows, **options)

    monkeypatch.setattr(Engine, "push", slow)


def look_at_each(numbers) -> None:
    """A loop over rows."""
    for number in numbers.tolist():
        number.bit_length()


def test_it_notices_a_loop_over_rows(monkeypatch):
    plant(monkeypatch, look_at_each)
    small, large = counted(one_window(1_000, 200)), counted(one_window(20_000, 1_000))
    with pytest.raises(AssertionError):
        check_one_window(small, large, 20_000)


def test_it_notices_a_loop_over_activities(monkeypatch):
    plant(monkeypatch, look_at_each)
    with pytest.raises(AssertionError):
        check_sequences(*(counted(sequences(length, many)) for length, many in ((3, 1_000), (3, 20_000), (6, 1_000))))


def test_it_notices_a_loop_over_rows_that_are_read(monkeypatch, tmp_path):
    take_in = rtec_csv.collect

    def slow(parsed, *rest):
        look_at_each(np.arange(parsed.lines))
        take_in(parsed, *rest)

    monkeypatch.setattr(rtec_csv, "collect", slow)
    small, large = (counted(reading(tmp_path, rows)) for rows in (20_000, 100_000))
    with pytest.raises(AssertionError):
        check_reading(small, large)


def test_it_notices_sorts_too_many(monkeypatch):
    plant(monkeypatch, np.sort)
    small, large = counted(one_window(1_000, 200)), counted(one_window(20_000, 1_000))
    with pytest.raises(AssertionError, match="sorted more often"):
        check_one_window(small, large, 20_000)


def main() -> None:
    """Print what is counted now."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for title, found in (
            ("a window of 1,000 and 20,000 events", [one_window(1_000, 200), one_window(20_000, 4_000)]),
            ("NetBill, 200, 5,000, 20,000 events", [market(50, events) for events in (200, 5_000, 20_000)]),
            ("sequences of 3, of 6", [sequences(3, 1_000), sequences(6, 1_000)]),
            ("reading 20,000, 100,000 rows", [reading(folder, rows) for rows in (20_000, 100_000)]),
            ("an event in a session", [one_event(100), one_event(5_000)]),
            ("a batch in a session", [one_batch(1_000, 1_000), one_batch(1_000, 10_000)]),
        ):
            print(f"{title}: {[counted(work) for work in found]}")
        print(f"memory of a window: {peak_bytes(one_window(20_000, 4_000)) / 20_000:.0f} bytes an event")
        print(f"memory of reading: {peak_bytes(reading(folder, 20_000)) / 20_000:.0f} bytes a row")
    print(f"windows that move on: {move(1_000, 8)}, {move(4_000, 8)}")
    print(f"modules: {len(modules())}")


if __name__ == "__main__":
    main()
