"""The law of the driver on keys with many rows: whatever was done, the answers are those of a core that knows the rows at once.

The reference evaluator takes too long for these; that a core which has just been made is right is tested elsewhere. Such
keys are evaluated again from a checkpoint inside them, and only until nothing changes any more.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from holdsfor import loads
from holdsfor.diagnostics import ProgramError
from holdsfor.reference import InputInterval, Occurrence, Record
from holdsfor.reference.history import event_term
from holdsfor.syntax.terms import Const
from tests.core.histories import Advance, History, Push, Reload, Retract, Split, history
from tests.core.law_core import OnCore
from tests.core.law_model import Model
from tests.strategies.engine_runs import Rows, Scenario, differences
from tests.strategies.scenario_words import SIGNATURES, Pen
from tests.strategies.scenarios import WINDOWED, written
from tests.strategies.streams import _record
from tests.strategies.value_programs import value_program

VESSELS = """
initiatedAt(within(V,A)=true, T) :- happensAt(enters(V,A), T).
terminatedAt(within(V,A)=true, T) :- happensAt(leaves(V,A), T).
terminatedAt(within(V,_)=true, T) :- happensAt(gap(V), T).
initiatedAt(pace(V)=slow, T) :- happensAt(speed(V,S), T), S >= 1, S < 5.
initiatedAt(pace(V)=fast, T) :- happensAt(speed(V,S), T), S >= 5.
terminatedAt(pace(V)=_, T) :- happensAt(speed(V,S), T), S < 1.
terminatedAt(pace(V)=_, T) :- happensAt(gap(V), T).
initiatedAt(turning(V)=true, T) :- happensAt(turns(V), T), holdsAt(within(V,a)=true, T).
terminatedAt(turning(V)=true, T) :- happensAt(gap(V), T).
fi(turning(V)=true, turning(V)=false, 40).
p(turning(_)=true).
initiatedAt(count(V)=N, T) :- happensAt(turns(V), T), holdsAt(count(V)=M, T), N is (M+1) mod 7.
initiatedAt(count(V)=0, T) :- happensAt(enters(V,a), T), \\+ holdsAt(count(V)=_, T).
happensAt(alarm(V), T) :- happensAt(start(pace(V)=fast), T), holdsAt(turning(V)=true, T).
initiatedAt(watched(V)=true, T) :- happensAt(alarm(V), T).
terminatedAt(watched(V)=true, T) :- happensAt(end(within(V,b)=true), T).
holdsFor(odd(V)=true, I) :- holdsFor(pace(V)=fast, I1), holdsFor(within(V,b)=true, I2), holdsFor(beside(V)=true, I3),
    union_all([I2,I3], I4), intersect_all([I1,I4], I).
"""


def _vessels(pen: Pen, count: int) -> Scenario:
    records: list[Record] = []
    kinds = [("enters", "ab"), ("leaves", "ab"), ("speed", (0, 2, 3, 6, 9)), ("turns", None), ("gap", None)]
    for _ in range(count):
        time, vessel = pen.number(0, 4 * count), pen.pick(("v", "w"))
        if pen.chance(4):
            end = time + pen.number(1, 60)
            records.append(InputInterval(event_term("beside", [vessel]), Const("true"), time, end, time))
            continue
        name, more = kinds[pen.weighted([(3, 0), (3, 1), (8, 2), (6, 3), (1, 4)])]
        records.append(Occurrence(event_term(name, [vessel, *([pen.pick(more)] if more else [])]), time, time))
    return Scenario(VESSELS, records, None, loads(VESSELS))


def _any(pen: Pen, count: int) -> Scenario | None:
    """A random program, with many records of few things."""
    text = value_program(pen) if pen.chance(30) else written(pen, WINDOWED)
    try:
        reasoner = loads(text)
    except ProgramError:
        return None
    inputs = [SIGNATURES[symbol.name] for symbol in reasoner.plan.inputs if symbol.name in SIGNATURES]
    if not inputs:
        return None
    records = []
    for _ in range(count):
        time = pen.number(0, 3 * count)
        records.append(_record(pen, pen.pick(inputs), time, time, time + 30))
    return Scenario(text, records, None, reasoner)


def long_history(seed: int, count: int, *, any_program: bool) -> History | None:
    """A history of many rows: most come in time, some late, some are taken back."""
    pen = Pen(random.Random(seed).randint)
    one = _any(pen, count) if any_program else _vessels(pen, count)
    if one is None:
        return None
    # Rows that come too late, and intervals that are cut, are in the small histories.
    found = history(pen, one)
    return replace(found, window=None, start=None)


def check_long(one: History) -> None:
    """After each advance the answers are those of a core that is given all rows that count at once."""
    driver, rows = OnCore(one), Model(one)
    for step in one.steps:
        if isinstance(step, Push):
            driver.push(step.records)
            rows.push(step.records)
        elif isinstance(step, Retract):
            driver.retract(step.records)
            rows.retract(step.records)
        elif isinstance(step, Reload):
            driver = driver.reloaded()
        elif isinstance(step, Split):
            driver = driver.split(step.parts)
        elif isinstance(step, Advance):
            driver.advance(step.query, step.threads)
            found, wanted = driver.answers(), _at_once(one, rows, step.query)
            assert found == wanted or differences(found, wanted)[:10] == [], step


def _at_once(one: History, rows: Model, query: int) -> Rows:
    fresh = OnCore(one)
    rows.known_at(query)
    fresh.push(rows.records())
    fresh.advance(query, 1)
    return fresh.answers()


@pytest.mark.parametrize("seed", range(3))
def test_long_histories_of_vessels(seed: int) -> None:
    one = long_history(seed, 6_000, any_program=False)
    assert one is not None
    check_long(one)


@pytest.mark.parametrize("seed", range(8))
def test_long_histories(seed: int) -> None:
    one = long_history(seed, 1_500, any_program=True)
    if one is not None:
        check_long(one)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 300))
def test_long_histories_at_length(seed: int) -> None:
    one = long_history(seed, 6_000, any_program=seed % 2 == 0)
    if one is not None:
        check_long(one)
