"""Every setting of a full grid has the score of the setting that was tried in its place."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdsfor
from holdsfor.review.backtest import _matched
from holdsfor.review.scoring import Score, agreement, score

RULES = """\
initiatedAt(slow(V)=true, T) :- happensAt(speed(V,S), T), limit(L), S {below} L.
terminatedAt(slow(V)=true, T) :- happensAt(speed(V,S), T), bound(stop, L), L {above} S.
initiatedAt(seen(V)=true, T) :- happensAt(speed(V,_), T).
terminatedAt(seen(V)=true, T) :- happensAt(lost(V), T).
holdsFor(slowAndSeen(V)=true, I) :-
    holdsFor(slow(V)=true, I1), holdsFor(seen(V)=true, I2), intersect_all([I1,I2], J), shortest(D), intDurGreater(J, D, I).
ft(slow(_)=true, 7).
limit({limit}).
bound(start, 3).
bound(stop, {stop}).
shortest({shortest}).
"""

speeds = st.one_of(st.integers(0, 6), st.integers(0, 12).map(lambda half: half / 2))
rows = st.lists(st.tuples(st.integers(0, 40), st.sampled_from(["a", "b"]), speeds), min_size=2, max_size=12)
lost = st.lists(st.tuples(st.integers(0, 40), st.sampled_from(["a", "b"])), min_size=1, max_size=3)
labels = st.lists(
    st.tuples(st.sampled_from(["slowAndSeen(a)=true", "slowAndSeen(b)=true", "slow(a)=true"]), st.integers(0, 35)).map(
        lambda one: (one[0], one[1], one[1] + 6)
    ),
    min_size=1,
    max_size=4,
)
operators = st.sampled_from([("<", "=<"), ("=<", "<"), ("<", "<")])


def written(operators: tuple[str, str], limit: Any = 4, stop: Any = 5, shortest: Any = 2) -> str:
    below, above = operators
    return RULES.format(below=below, above=above, limit=limit, stop=stop, shortest=shortest)


def by_itself(text: str, events: Any, listed: Any, spans: list[tuple[int, int]], tolerance: int) -> list[Score]:
    found = holdsfor.backtest(holdsfor.loads(text), events, listed, tolerance=tolerance)
    _, wanted, got = _matched(*found._sides, any_order=False)
    return [score(agreement(wanted, got, span, found.line, found.rules)) for span in spans]


def check(text: Any, events: Any, listed: Any, vary: dict[str, str], tolerance: int = 0, **options: Any) -> None:
    times = [row[0] for table in events.values() for row in table]
    low, high = min(times), max(times) + 1
    if high - low < 4:
        return
    cut = low + round((high - low) * 0.7)
    spans = [(low, cut), (cut, high)]
    found = holdsfor.tune(
        holdsfor.loads(text()), events, listed, list(vary.values()), tolerance=tolerance, settings=5_000, **options
    )
    steps = {"limit": 2, "stop": 2, "shortest": 1}
    grids = []
    for name, parameter in zip(vary, found.parameters, strict=True):
        each = steps[name]
        grids.append([Fraction(one, each) for one in range(int(parameter.low * each), int(parameter.high * each) + 1)])
    for values in product(*grids):
        shown = {
            name: value.numerator if value.denominator == 1 else float(value)
            for name, value in zip(vary, values, strict=True)
        }
        setting = found.setting_of(*values)
        assert [setting.fit, setting.held] == by_itself(text(**shown), events, listed, spans, tolerance), shown
    assert (
        found.best.fit.f1
        == max((one.fit.f1 for one in found.settings if one.fit.f1 == one.fit.f1), default=found.best.fit.f1)
        or found.best.fit.f1 != found.best.fit.f1
    )


@settings(max_examples=10)
@given(rows, lost, labels, operators, st.integers(0, 2))
def test_one_threshold(speed: Any, gone: Any, listed: Any, signs: tuple[str, str], tolerance: int) -> None:
    events = {"speed": speed, "lost": gone}
    check(lambda **given: written(signs, **given), events, listed, {"limit": "limit(1..6)"}, tolerance)


@settings(max_examples=4)
@given(rows, lost, labels, operators)
def test_two_thresholds(speed: Any, gone: Any, listed: Any, signs: tuple[str, str]) -> None:
    vary = {"limit": "limit(2..4)", "stop": "bound(stop, 3..5)"}
    check(lambda **given: written(signs, **given), {"speed": speed, "lost": gone}, listed, vary)


@settings(max_examples=6)
@given(rows, lost, labels, operators)
def test_a_duration(speed: Any, gone: Any, listed: Any, signs: tuple[str, str]) -> None:
    check(
        lambda **given: written(signs, **given), {"speed": speed, "lost": gone}, listed, {"shortest": "shortest(0..9)"}
    )


@settings(max_examples=4)
@given(rows, lost, labels, operators)
def test_a_threshold_and_a_duration(speed: Any, gone: Any, listed: Any, signs: tuple[str, str]) -> None:
    vary = {"limit": "limit(2..4)", "shortest": "shortest(0..6)"}
    check(lambda **given: written(signs, **given), {"speed": speed, "lost": gone}, listed, vary)


@pytest.mark.slow
@settings(max_examples=400)
@given(rows, lost, labels, operators, st.integers(0, 2))
def test_one_threshold_at_length(speed: Any, gone: Any, listed: Any, signs: tuple[str, str], tolerance: int) -> None:
    events = {"speed": speed, "lost": gone}
    check(lambda **given: written(signs, **given), events, listed, {"limit": "limit(1..6)"}, tolerance)
