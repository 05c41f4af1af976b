"""Programs are divided into what a constant reaches and what it does not: every setting has the score of a run of its own."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdsfor
from holdsfor.review.backtest import _matched
from holdsfor.review.incremental_scores import IncrementalScores, IntervalEdits
from holdsfor.review.scoring import Score, ScoringRules, agreement, score
from holdsfor.review.timeline_scale import TimeLine
from holdsfor.review.trials import Trials

FIXED = """\
initiatedAt(docked(V)=Place, T) :- happensAt(dock(V,Place), T).
terminatedAt(docked(V)=_Place, T) :- happensAt(leave(V), T).
initiatedAt(manned(V)=true, T) :- happensAt(dock(V,_), T).
terminatedAt(manned(V)=true, T) :- happensAt(end(docked(V)=north), T).
happensAt(hello(V,P), T) :- happensAt(dock(V,P), T), \\+ holdsAt(manned(V)=true, T).
initially(open(north)=true).
terminatedAt(open(P)=true, T) :- happensAt(leave(_), T), happensAt(dock(_,P), T).
holdsFor(berthed(V)=true, I) :- holdsFor(docked(V)=north, I1), holdsFor(docked(V)=south, I2), union_all([I1,I2], I).
limit(boat, 3).
bound(5).
shortest({shortest}).
kind(a, boat). kind(b, ship). kind(c, boat).
"""
# Conditions that no constant reaches, those that one reaches, and those with a constant.
PLAIN = [
    "holdsAt(docked(V)=north, T)",
    "holdsAt(docked(V)=P, T), P \\= south",
    "\\+ holdsAt(manned(V)=true, T)",
    "happensAt(hello(V,_), T)",
    "kind(V, boat)",
    "S > 1",
    "holdsAt(open(north)=true, T)",
    "(S < 2 ; holdsAt(manned(V)=true, T))",
    "holdsAt(berthed(V)=true, T)",
]
REACHED = ["holdsAt(fast(V)=true, T)", "\\+ holdsAt(near(V)=true, T)"]
VARIED = [
    "limit(boat, L), S < L",
    "limit(K, L), kind(V, K), L =< S",
    "bound(B), S >= B",
    "limit(_, L), bound(B), S >= L, S < B",
]
FILTERS = [
    "holdsFor(docked(V)=north, I1), shortest(D), intDurGreater(I1, D, I)",
    "holdsFor(berthed(V)=true, I1), holdsFor(fast(V)=true, I2), shortest(D), intDurLess(I1, D, I3), union_all([I3,I2], I)",
    (
        "holdsFor(docked(V)=_Place, I1), shortest(D), intDurAtLeast(I1, D, I2), holdsFor(near(V)=true, I3), "
        "relative_complement_all(I3, [I2], I)"
    ),
]
ENDINGS = ["", "fi(fast(V)=true, fast(V)=tired, 6).\n", "p(fast(V)=true).\nfi(fast(V)=true, fast(V)=tired, 4).\n"]


@st.composite
def rules(draw: Any) -> str:
    """A rule with a constant for each of two fluents at least, and others."""

    def body(fluent: str, first: list[str]) -> str:
        # A start is read by others only: a fluent cannot wait for its own.
        others = ["happensAt(start(fast(V)=true), T)"] if fluent.startswith("near") else []
        chosen = draw(st.lists(st.sampled_from(PLAIN + REACHED + others), max_size=2, unique=True))
        conditions = draw(st.permutations([*first, *chosen]))
        return ", ".join(["happensAt(speed(V,S), T)", *conditions])

    lines = []
    for fluent in ("fast(V)=true", "near(V)=true"):
        lines += [
            f"initiatedAt({fluent}, T) :- {body(fluent, [draw(st.sampled_from(VARIED))])}.",
            f"terminatedAt({fluent}, T) :- {body(fluent, draw(st.lists(st.sampled_from(VARIED), max_size=1)))}.",
        ]
    lines.append(f"holdsFor(both(V)=true, I) :- {draw(st.sampled_from(FILTERS))}.")
    lines.append("happensAt(gone(V), T) :- happensAt(leave(V), T), holdsAt(near(V)=true, T).")
    return FIXED.format(shortest=draw(st.integers(1, 6))) + "\n".join(lines) + "\n" + draw(st.sampled_from(ENDINGS))


times, boats = st.integers(0, 30), st.sampled_from("abc")
histories = st.fixed_dictionaries(
    {
        "speed": st.lists(st.tuples(times, boats, st.integers(0, 8)), min_size=3, max_size=14),
        "dock": st.lists(st.tuples(times, boats, st.sampled_from(["north", "south"])), min_size=1, max_size=5),
        "leave": st.lists(st.tuples(times, boats), min_size=1, max_size=4),
    }
)
labels = st.lists(
    st.tuples(
        st.sampled_from(["fast(a)=true", "near(b)=true", "both(a)=true", "both(c)=true", "berthed(a)=true"]),
        st.integers(0, 25),
    ).map(lambda one: (one[0], one[1], one[1] + 5)),
    min_size=1,
    max_size=4,
)


def check(text: str, events: Any, listed: Any, vary: list[str], tolerance: int) -> None:
    moments = [row[0] for table in events.values() for row in table]
    low, high = min(moments), max(moments) + 1
    if high - low < 4:
        return
    cut = low + round((high - low) * 0.7)
    reasoner = holdsfor.loads(text)
    # Whatever can be divided is not run setting by setting.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Trials, "_rerun", None)
        found = holdsfor.tune(reasoner, events, listed, vary, tolerance=tolerance, settings=60)
    for setting in found.settings[:: max(1, len(found.settings) // 5)]:
        edited = text
        for parameter, value in zip(found.parameters, setting.values, strict=True):
            number = str(value.numerator) if value.denominator == 1 else str(float(value))
            name = parameter.text.partition("(")[0]
            before = next(line for line in edited.split("\n") if line.startswith(f"{name}("))
            args = before.partition("(")[2].rpartition(")")[0].split(", ")
            edited = edited.replace(before, f"{name}({', '.join([*args[:-1], number])}).")
        run = holdsfor.backtest(holdsfor.loads(edited), events, listed, tolerance=tolerance)
        _, wanted, got = _matched(*run._sides, any_order=False)
        alone = [score(agreement(wanted, got, span, run.line, run.rules)) for span in ((low, cut), (cut, high))]
        assert [setting.fit, setting.held] == alone, setting.numbers


VARY = st.sampled_from(
    [
        ["limit(boat, 1..7)"],
        ["bound(2..6)"],
        ["shortest(0..9)"],
        ["limit(boat, 1..7)", "bound(2..6)"],
        ["limit(boat, 1..7)", "shortest(0..9)"],
    ]
)


@settings(max_examples=30)
@given(rules(), histories, labels, VARY, st.integers(0, 2))
def test_a_divided_program(text: str, events: Any, listed: Any, vary: list[str], tolerance: int) -> None:
    check(text, events, listed, vary, tolerance)


@pytest.mark.slow
@settings(max_examples=600)
@given(rules(), histories, labels, VARY, st.integers(0, 2))
def test_a_divided_program_at_length(text: str, events: Any, listed: Any, vary: list[str], tolerance: int) -> None:
    check(text, events, listed, vary, tolerance)


SPAN, CUT = (0, 40), 25
intervals = st.tuples(st.integers(0, 2), st.integers(-2, 38), st.integers(1, 9)).map(
    lambda one: (one[0], one[1], one[1] + one[2])
)


@settings(max_examples=60)
@given(
    st.lists(intervals, min_size=1, max_size=5),
    st.lists(st.frozensets(intervals, max_size=6), min_size=1, max_size=7),
    st.integers(0, 3),
    st.sampled_from([0.0, 0.5]),
    st.integers(1, 7),
)
def test_scores_of_settings_are_those_of_each_alone(
    labelled: Any, found: list[Any], tolerance: int, overlap: float, at_once: int
) -> None:
    """Also with several subjects of one key, which may have the same interval."""
    spans = [(SPAN[0], CUT), (CUT, SPAN[1])]
    how = ScoringRules(tolerance, overlap)

    def columns(rows: Any) -> Any:
        key, start, end = np.array(sorted(rows), np.int64).reshape(-1, 3).T
        return key, start, end

    running_scores = IncrementalScores(columns(labelled), spans, TimeLine(), how, points=False)
    scores: list[list[Score]] = []
    held: list[Any] = []
    for first in range(0, len(found), at_once):
        some = found[first : first + at_once]
        rows = []
        for setting, now in enumerate(some):
            # Every second interval is there twice.
            wanted = [one for place, one in enumerate(sorted(now)) for _ in range(1 + place % 2)]
            rows += [(setting, *one, 0) for one in held] + [(setting, *one, 1) for one in wanted]
            held = wanted
        setting, key, start, end, comes = np.array(rows, np.int64).reshape(-1, 5).T
        scores += running_scores.scores(len(some), IntervalEdits(setting, key, start, end, comes == 1))
    for now, mine in zip(found, scores, strict=True):
        assert mine == [score(agreement(columns(labelled), columns(now), span, TimeLine(), how)) for span in spans]
    assert len(scores) == len(found)


def test_a_fact_that_also_gives_a_value() -> None:
    """The constant moves; what else its fact says still counts."""
    text = """
        initiatedAt(slow(V)=true, T) :- happensAt(speed(V,K,S), T), limit(K,L), S < L.
        terminatedAt(slow(V)=true, T) :- happensAt(stop(V), T).
        limit(boat, 5).
    """
    events = {"speed": [(1, "a", "boat", 3), (2, "b", "car", 3)], "stop": [(10, "a"), (20, "b"), (40, "a")]}
    found = holdsfor.tune(holdsfor.loads(text), events, [("slow(a)=true", 2, 11)], "limit(boat, 1..9)", by="time")
    assert [(one.numbers, one.fit.found_time) for one in found.settings] == [((2,), 0), ((6,), 9)]
    assert found.best.values == (Fraction(6),)
