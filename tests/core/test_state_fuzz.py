"""Bytes that are no state, or that of another program: refused with a reason; never a crash, never a wrong answer."""

from __future__ import annotations

import random

import pytest

from holdsfor import loads
from holdsfor.diagnostics import HoldsforError
from tests.core.histories import Advance, History, Push, Retract
from tests.core.law import FAMILIES, history_of
from tests.core.law_core import OnCore
from tests.strategies.engine_runs import Scenario


def _filled(one: History) -> OnCore:
    """A core in the middle of a history."""
    driver = OnCore(one)
    for step in one.steps[: len(one.steps) * 2 // 3]:
        if isinstance(step, Push):
            driver.push(step.records)
        elif isinstance(step, Retract):
            driver.retract(step.records)
        elif isinstance(step, Advance):
            driver.advance(step.query, step.threads)
    return driver


def _spoiled(choices: random.Random, data: bytes, other: bytes) -> bytes:
    """A state that was cut, mixed with another, or of which some bytes have changed."""
    what = choices.randrange(7)
    place = choices.randrange(len(data))
    if what == 0:
        return data[:place]
    if what == 1:
        return data[:place] + other[choices.randrange(len(other)) :]
    if what == 2:
        return data + bytes(choices.randrange(1, 40))
    if what == 3:
        return choices.randbytes(choices.randrange(200))
    if what == 4:
        start = place // 8 * 8
        word = choices.choice((0, 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1, choices.getrandbits(64)))
        return data[:start] + word.to_bytes(8, "little")[: len(data) - start] + data[start + 8 :]
    changed = bytearray(data)
    for _ in range(choices.randrange(1, 6)):
        changed[choices.randrange(len(changed))] ^= 1 << choices.randrange(8)
    return bytes(changed)


def _check(family: str, seed: int, count: int) -> int:
    """Load spoiled states; says how many there were. What is taken as a state answers like the one that it is."""
    one, other = history_of(family, seed), history_of(family, seed + 1)
    if one is None or other is None:
        return 0
    driver = _filled(one)
    try:
        data, strange = driver.saved(), _filled(other).saved()
    except ArithmeticError:
        return 0
    choices = random.Random(seed)
    for number in range(count):
        spoiled = strange if number == 0 and strange != data else _spoiled(choices, data, strange)
        fresh = OnCore(one)
        try:
            fresh.load(spoiled)
        except HoldsforError as reason:
            assert str(reason)
            # A core that has refused a state is still a new one.
            assert fresh.answers().intervals == ()
            continue
        assert spoiled == data, (family, seed, number)
    return count


@pytest.mark.parametrize("family", FAMILIES)
def test_spoiled_states_are_refused(family: str) -> None:
    assert sum(_check(family, seed, 60) for seed in range(500, 504)) > 0


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_spoiled_states_are_refused_at_length(family: str) -> None:
    assert sum(_check(family, seed, 200) for seed in range(600, 640)) > 0


RULES = "initiatedAt(on(X)=true, T) :- happensAt(up(X), T).\nterminatedAt(on(X)=true, T) :- happensAt(down(X), T).\n"


def test_a_state_of_other_rules_is_refused() -> None:
    def made(text: str) -> OnCore:
        return OnCore(History(Scenario(text, [], None, loads(text)), None, []))

    first = made(RULES)
    first.advance(5, 1)
    with pytest.raises(HoldsforError, match="other rules"):
        made(RULES.replace("down", "off")).load(first.saved())


@pytest.mark.parametrize("family", FAMILIES)
def test_states_with_a_right_checksum_and_wrong_words_are_no_crash(family: str) -> None:
    """Even whoever knows the checksum cannot bring the core down."""
    one = next(found for seed in range(700, 720) if (found := history_of(family, seed)) is not None)
    data = _filled(one).saved()
    choices = random.Random(1)
    for _ in range(150):
        changed = bytearray(data)
        place = choices.randrange(HEADER, len(changed) - 7) // 8 * 8
        changed[place : place + 8] = choices.getrandbits(choices.choice((3, 16, 33, 64))).to_bytes(8, "little")
        fresh = OnCore(one)
        try:
            fresh.load(_sealed(bytes(changed)))
            fresh.advance(10**15, 1)
            fresh.answers()
        except (HoldsforError, ValueError, ArithmeticError):
            continue


HEADER = 40
"""Bytes before those that the checksum, the last eight of these, is about."""


def _sealed(data: bytes) -> bytes:
    """With the right checksum."""
    mask, found = 2**64 - 1, 0
    words = [len(data) - HEADER]
    words += [int.from_bytes(data[place : place + 8], "little") for place in range(HEADER, len(data), 8)]
    for word in words:
        found = ((found ^ word) * 0x9E3779B97F4A7C15) & mask
        found ^= found >> 32
    return data[: HEADER - 8] + found.to_bytes(8, "little") + data[HEADER:]
