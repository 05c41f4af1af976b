"""Conflicts are counted once, however many windows see them."""

from __future__ import annotations

import pytest

from holdsfor import loads
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.stream import from_records
from holdsfor.columns.windows import WindowPlan
from holdsfor.core.run import RecordedRun
from holdsfor.reference import Occurrence, Record, recognise
from holdsfor.syntax.terms import Compound, Const

PLAIN = """
    initiatedAt(light(L)=C, T) :- happensAt(turn(L,C), T).
    terminatedAt(light(L)=red, T) :- happensAt(stop(L), T).
"""
RULES = {
    "columnar": PLAIN,
    "all values": PLAIN.replace("light(L)=red, T", "light(L)=_, T"),
    "sweep": PLAIN + "fi(light(L)=red, light(L)=green, 50).",
}


def turn(colour: str, time: int, late: int = 0) -> Record:
    return Occurrence(Compound("turn", (Const("a"), Const(colour))), time, time + late)


def stop(time: int, late: int = 0) -> Record:
    return Occurrence(Compound("stop", (Const("a"),)), time, time + late)


STREAM = [
    turn("red", 3),
    turn("green", 3),
    turn("red", 8),
    stop(8),
    turn("red", 14),
    stop(14, late=9),
    turn("blue", 30),
]


@pytest.mark.parametrize("kind", RULES)
@pytest.mark.parametrize("windows", [WindowPlan(40, 5, -1, 39), WindowPlan(10, 10, -1, 39), WindowPlan(25, 4, -1, 39)])
def test_once_over_overlapping_windows(kind: str, windows: WindowPlan) -> None:
    reasoner, dictionary = loads(RULES[kind]), Dictionary()
    stream = from_records(STREAM, reasoner.analysis.entities, dictionary)
    found = [answer.conflicts for answer in RecordedRun(reasoner.plan, dictionary, stream, windows)]
    in_time = windows.size is not None and windows.size > 10  # else the late one is dropped
    assert sum(found) == (3 if in_time else 2)
    assert all(count >= 0 for count in found)


@pytest.mark.parametrize("kind", RULES)
def test_as_many_as_the_reference_evaluator_finds(kind: str) -> None:
    reasoner, dictionary = loads(RULES[kind]), Dictionary()
    stream = from_records(STREAM, reasoner.analysis.entities, dictionary)
    (answer,) = RecordedRun(reasoner.plan, dictionary, stream)
    assert answer.conflicts == recognise(reasoner.analysis, STREAM, None).conflicts == 3
