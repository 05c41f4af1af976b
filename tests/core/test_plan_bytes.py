"""Plans that are not whole, and plans that the core could not run."""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest

from holdsfor.core.host import Host
from holdsfor.loading import loads
from holdsfor.physical.encode import MARK, Encoder
from holdsfor.physical.lower import lower
from holdsfor.physical.passes.rewriting import with_rules
from tests.core.building import built_core


@pytest.mark.parametrize("words", [1, 2, 2**40, 2**62])
def test_plan_that_says_it_has_more_words_than_it_has(words: int) -> None:
    # One or two words more than there are were once read from behind the plan.
    with pytest.raises(ValueError, match="too early|too large"):
        built_core().Core(MARK + bytes(32) + struct.pack("<qq", words, 0), object())


ROW = "initiatedAt(f(X)=true, T) :- happensAt(on(X, S), T), X \\= b, holdsAt(f(X)=false, T), S > 3."
HOUR = ":- time_unit(s). initiatedAt(f(X)=true, T) :- happensAt(on(X), T), hour(T, H), H > 3."
LISTED = "initiatedAt(f(X)=true, T) :- happensAt(start(g(X)=true), T), X \\= b."
ORDER = "instructions for a row are out of range, or in no order"


def _core(rules: str, tests: tuple[int, ...], rest: tuple[int, ...]) -> object:
    lowered, encoder = lower(loads(rules).plan), Encoder()
    plan = with_rules(lowered.plan, lambda rule: replace(rule, row_tests=tests, row_rest=rest))
    data = encoder.encode(plan)
    return built_core().Core(data, Host(lowered.goals, encoder.sites, {}))


def test_a_row_may_decide_less_than_it_could() -> None:
    for tests, rest in (((1, 3), (2,)), ((1,), (2, 3)), ((), (1, 2, 3)), ((1, 3), (1, 2, 3))):
        assert _core(ROW, tests, rest)


@pytest.mark.parametrize(
    ("rules", "tests", "rest", "reason"),
    [
        (ROW, (1, 4), (2, 3), ORDER),
        (ROW, (1, 2**31), (2, 3), ORDER),
        (ROW, (0, 1), (2, 3), ORDER),
        (ROW, (3, 1), (2,), ORDER),
        (ROW, (1, 3), (2, 2), ORDER),
        (ROW, (1,), (2,), "a condition is left out"),
        (ROW, (), (), "a condition is left out"),
        (ROW, (1, 2, 3), (2,), "a row cannot decide a condition"),
        (HOUR, (1,), (1, 2), "a row cannot decide a condition"),
        (LISTED, (1,), (), "a rule has no row"),
        (LISTED, (), (1,), "a rule has no row"),
    ],
)
def test_what_a_row_decides_is_checked(rules: str, tests: tuple[int, ...], rest: tuple[int, ...], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        _core(rules, tests, rest)
