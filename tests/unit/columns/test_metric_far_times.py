"""Times far from 0: exact where they are asked for, refused where they cannot be, never rounded or wrapped."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from holdsfor import loads_metric
from holdsfor.columns.metric.facts import Facts, maximal, minus
from holdsfor.compiler.metric.limits import FURTHEST
from holdsfor.diagnostics import HoldsforError, ProgramError

SEEN = "Seen(X) :- Diamondminus[0,{}] Signal(X)"
ONE = {"Signal": [(5, "a")]}


@pytest.mark.parametrize("bound", [2**62, 2**63, 3 * 10**18, 10**30, "1e40"])
def test_a_far_bound_is_exact_up_to_the_end(bound: int | str) -> None:
    found = loads_metric(SEEN.format(bound)).materialise(ONE, start=0, end=10)
    assert [(row.start, row.end, row.end_closed) for row in found] == [(5, 10, True)]
    stepped = loads_metric(SEEN.format(bound)).materialise(ONE, start=0, end=10, step=3)
    assert list(stepped) == list(found)


@pytest.mark.parametrize("bound", [2**62, 3 * 10**18])
def test_a_far_bound_is_refused_without_an_end(bound: int) -> None:
    with pytest.raises(ProgramError, match=r"HF616.*too far from 0"):
        loads_metric(SEEN.format(bound)).materialise(ONE)


def test_a_bound_that_fits_is_exact() -> None:
    (row,) = loads_metric(SEEN.format(2 * 10**18)).materialise(ONE)
    assert row.end == 5 + 2 * 10**18


def test_there_and_back() -> None:
    rules = f"Late(X) :- Diamondminus[{2**62}] Signal(X)\nBack(X) :- Diamondplus[{2**62}] Late(X)"
    with pytest.raises(HoldsforError, match="too far"):
        loads_metric(rules).materialise(ONE, start=0, end=10)
    assert len(loads_metric(rules).materialise(ONE, start=0, end=10, query="Late")) == 0


def test_a_box_over_far_times() -> None:
    rules = f"All(X) :- Boxminus[0,{2**62}] Signal(X)"
    facts = {"Signal": [{"start": 0, "end": None, "who": "a"}]}
    assert len(loads_metric(rules).materialise(facts, start=0, end=10)) == 0


@pytest.mark.parametrize("engine", ["since", "until"])
def test_since_and_until_over_far_times(engine: str) -> None:
    rules = f"On(X) :- Up(X) {engine.title()}[0,{2**62}] Signal(X)"
    facts = {"Up": [{"start": 0, "end": 9, "who": "a"}], **ONE}
    (row,) = loads_metric(rules).materialise(facts, start=-20, end=20)
    assert (row.start, row.end) == ((5, 9) if engine == "since" else (0, 5))


def test_recursion_over_far_times() -> None:
    rules = f"Due(X) :- Signal(X)\nBoxplus[{2**62}] Due(X) :- Due(X)"
    assert len(loads_metric(rules).materialise(ONE, start=0, end=10)) == 1
    with pytest.raises(ProgramError, match="HF616"):
        loads_metric(rules).materialise(ONE)


@pytest.mark.parametrize(
    "options", [{"end": 10**19}, {"start": -(10**19)}, {"start": 0, "end": 10**19, "step": 10**19}]
)
def test_a_far_span_is_refused(options: dict[str, int]) -> None:
    with pytest.raises(HoldsforError, match="is too far: times have to lie within"):
        loads_metric(SEEN.format(1)).materialise(ONE, **options)  # type: ignore[arg-type]


def test_a_far_fact_among_the_rules_is_refused() -> None:
    with pytest.raises(ProgramError, match="HF616"):
        loads_metric(SEEN.format(1) + f"\nSignal(a)@{10**19}")


def test_facts_far_apart_keep_their_arguments() -> None:
    rows = [(time, f"k{key}") for key in range(40) for time in (-FURTHEST, FURTHEST - 1)]
    found = list(loads_metric("Seen(X) :- Signal(X), Signal(X)").materialise({"Signal": rows}))
    assert {(row.start, row.args[0]) for row in found} == {(Fraction(time), key) for time, key in rows}


def test_tables_far_apart_are_packed_by_rank() -> None:
    groups = np.arange(6)
    wide = Facts((groups,), np.full(6, -(2**62) + 9), np.full(6, 2**62 - 9))
    hole = Facts((groups,), groups * 10, groups * 10 + 5)
    rest = minus(maximal([wide]), maximal([hole]))
    assert rest.rows == 12
    assert rest.end[rest.args[0] == 3].tolist() == [30, 2**62 - 9]
