"""Times that lie too far ahead of the others of their batch."""

import numpy as np
import pytest

from holdsfor.columns.kernels import Ints
from holdsfor.io.ahead import WINDOWS, quantile, too_far_ahead, usual_distance


def test_what_lies_beyond_the_median_and_max_ahead() -> None:
    times = np.array([100, 300, 200, 301, 1_700_000_000_000])
    assert too_far_ahead(times, 1).tolist() == [False, False, False, False, True]
    assert too_far_ahead(times, 0).tolist() == [False, False, False, True, True]
    assert not too_far_ahead(times, None).any()
    assert not too_far_ahead(times[:0], 5).any()


def test_of_two_times_the_earlier_is_believed() -> None:
    assert too_far_ahead(np.array([2**60, 7]), 100).tolist() == [True, False]


def test_no_overflow() -> None:
    assert not too_far_ahead(np.array([2**62, 2**62 + 5]), 2**62).any()


def usual_max_ahead(times: Ints, window: int) -> int:
    return usual_distance(quantile(times, 1, 2) - quantile(times, 1, 4), window)


def test_usual_distance_grows_with_the_spread_of_a_batch() -> None:
    """A year of data in one batch, and windows of a minute: nothing of it is too far ahead."""
    year = np.arange(0, 365 * 86_400, 600)
    assert not too_far_ahead(year, usual_max_ahead(year, 60)).any()
    hour = np.append(np.arange(0, 3_600, 10), 86_400 * 365)
    found = too_far_ahead(hour, usual_max_ahead(hour, 60))
    assert np.flatnonzero(found).tolist() == [len(hour) - 1]
    assert usual_max_ahead(hour[:1], 60) == WINDOWS * 60


@pytest.mark.parametrize("seed", range(20))
def test_weights_count_a_time_several_times(seed: int) -> None:
    random = np.random.default_rng(seed)
    times, weights = random.integers(0, 50, 9), random.integers(1, 5, 9)
    repeated = np.repeat(times, weights)
    for part, parts in ((1, 2), (1, 4)):
        assert quantile(times, part, parts, weights) == quantile(repeated, part, parts)
        assert quantile(repeated, part, parts) == np.sort(repeated)[-(-len(repeated) * part // parts) - 1]
