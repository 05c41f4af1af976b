"""Scores are what counting time-points one by one gives."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.review.scoring import ScoringRules, agreement, score
from holdsfor.review.timeline_scale import FAR, TimeLine

Triple = tuple[int, int, int]
SPAN = (-3, 25)

times = st.integers(-6, 30)
triples = st.lists(
    st.tuples(st.integers(0, 2), times, st.one_of(st.integers(1, 12), st.just(FAR))).map(
        lambda one: (one[0], one[1], FAR if one[2] == FAR else one[1] + one[2])
    ),
    max_size=7,
)


def points(listed: Sequence[Triple], key: int, widened: int = 0) -> set[int]:
    """The time-points of a key that count, with intervals that are widened after they are cut to the span."""
    cut = [(max(low, SPAN[0]), min(high, SPAN[1])) for one, low, high in listed if one == key]
    return {
        time
        for low, high in cut
        if low < high
        for time in range(max(low - widened, SPAN[0]), min(high + widened, SPAN[1]))
    }


def episodes(held: set[int]) -> list[list[int]]:
    found: list[list[int]] = []
    for time in sorted(held):
        if found and found[-1][-1] == time - 1:
            found[-1].append(time)
        else:
            found.append([time])
    return found


def columns(listed: Sequence[Triple]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    key, start, end = np.array(listed, np.int64).reshape(-1, 3).T
    return key, start, end


def part(some: int, of: int) -> float:
    return some / of if of else math.nan


@settings(max_examples=300)
@given(triples, triples, st.integers(0, 4), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
def test_every_time_point_is_counted(labels: list[Triple], found: list[Triple], tolerance: int, overlap: float) -> None:
    rules = ScoringRules(tolerance, overlap)
    whole = agreement(columns(labels), columns(found), SPAN, TimeLine(), rules)
    got = score(whole)
    counts = {"labels": [0, 0, 0, 0], "found": [0, 0, 0, 0]}
    lags: list[tuple[int, int]] = []
    for key in range(3):
        sides = {"labels": labels, "found": found}
        for name, other in (("labels", "found"), ("found", "labels")):
            wide = points(sides[other], key, tolerance)
            held = points(sides[name], key)
            for episode in episodes(held):
                shared = len(wide & set(episode))
                agrees = shared > 0 and shared >= overlap * len(episode)
                for place, number in enumerate((1, agrees, len(episode), shared)):
                    counts[name][place] += int(number)
        of_found = episodes(points(found, key))
        for episode in episodes(points(labels, key)):
            near = set(range(episode[0] - tolerance, episode[-1] + 1 + tolerance))
            touching = [one for one in of_found if near & set(one)]
            if touching:
                lags.append((touching[0][0] - episode[0], touching[-1][-1] - episode[-1]))
    assert [got.labelled, got.labelled_agreed, got.labelled_time, got.labelled_shared] == counts["labels"]
    assert [got.found, got.found_agreed, got.found_time, got.found_shared] == counts["found"]
    assert list(zip(whole.start_lag.tolist(), whole.end_lag.tolist(), strict=True)) == lags
    wanted = part(counts["found"][1], counts["found"][0])
    assert got.precision == wanted or (math.isnan(got.precision) and math.isnan(wanted))


@given(triples, triples)
def test_a_score_by_key_is_the_score_of_the_key_alone(labels: list[Triple], found: list[Triple]) -> None:
    whole = agreement(columns(labels), columns(found), SPAN, TimeLine(), ScoringRules())
    for key in range(3):
        alone = [[one for one in side if one[0] == key] for side in (labels, found)]
        mine = score(agreement(columns(alone[0]), columns(alone[1]), SPAN, TimeLine(), ScoringRules()))
        assert score(whole, np.arange(3) == key) == mine
