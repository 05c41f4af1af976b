"""Inputs that are read by a part of the key go where they are needed, and the answer is that of one place."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.stream import from_records
from holdsfor.core.program import encoded
from holdsfor.core.run import RecordedRun
from holdsfor.diagnostics import HoldsforError
from holdsfor.physical.model import FOREVER
from holdsfor.reference import Occurrence, Record
from holdsfor.reference.history import event_term
from holdsfor.spark.describe import stages_data, stages_text
from holdsfor.spark.job import Span
from holdsfor.spark.stages import physical_stages
from tests.spark.on_spark import on_spark
from tests.spark.simulated import conflicts_on_buckets, on_buckets
from tests.strategies.engine_runs import differences, on_engine

FLYING = """
initiatedAt(flying(A)=true, T) :- happensAt(takeoff(A), T).
terminatedAt(flying(A)=true, T) :- happensAt(landing(A), T).
"""
# What reads `flying` and `cough` by a part of the key; each program by itself, so that nothing else decides the plan.
RELATIONAL = [
    """
    initiatedAt(linked(A,B)=true, T) :- happensAt(ping(A,B), T), holdsAt(flying(A)=true, T), holdsAt(flying(B)=true, T).
    terminatedAt(linked(A,B)=true, T) :- happensAt(end(flying(A)=true), T).
    """,
    """
    initiatedAt(linked(A,B)=true, T) :- happensAt(ping(A,B), T), \\+ holdsAt(flying(A)=true, T).
    initiatedAt(linked(A,B)=true, T) :- happensAt(ping(B,A), T), holdsAt(flying(A)=true, T).
    terminatedAt(linked(A,B)=true, T) :- happensAt(cough(A), T), holdsAt(flying(B)=true, T).
    """,
    """
    initiatedAt(linked(A,B)=true, T) :- happensAt(ping(A,B), T), holdsAt(flying(A)=true, T).
    terminatedAt(linked(A,B)=true, T) :- happensAt(cough(B), T).
    terminatedAt(linked(A,B)=true, T) :- happensAt(cough(A), T).
    happensAt(alarm(A,B), T) :- happensAt(start(linked(A,B)=true), T), happensAt(cough(B), T).
    initiatedAt(both(A,B)=true, T) :- happensAt(alarm(A,B), T), holdsAt(flying(B)=true, T).
    terminatedAt(both(A,B)=true, T) :- happensAt(end(linked(A,B)=true), T).
    """,
]
# One of the rules makes instances whose key no input has.
EVERYWHERE = """
initiatedAt(linked(A,B)=true, T) :- happensAt(ping(A,B), T), holdsAt(flying(A)=true, T), holdsAt(flying(B)=true, T).
initially(linked(a0,a1)=true).
terminatedAt(linked(A,B)=true, T) :- happensAt(end(flying(A)=true), T).
"""
PLANES = [f"a{number}" for number in range(7)]


@st.composite
def records(draw: Any) -> list[Record]:
    found: list[Record] = []
    for _ in range(draw(st.integers(0, 40))):
        name = draw(st.sampled_from(["ping", "ping", "ping", "takeoff", "takeoff", "landing", "cough"]))
        args = [draw(st.sampled_from(PLANES)) for _ in range(2 if name == "ping" else 1)]
        time = draw(st.integers(0, 20))
        found.append(Occurrence(event_term(name, args), time, time))
    return found


def _ways(rules: str) -> set[tuple[str, str]]:
    """What stages read, and where it goes."""
    lines = [line.split(maxsplit=1) for line in stages_text(physical_stages(loads(rules).plan, 6)).splitlines()]
    read = [line[1] for line in lines if line and line[0] in ("gets", "reads")]
    return {(text.split("/")[0], text.partition(", ")[2]) for text in read}


@pytest.mark.parametrize(("rules", "name"), list(zip(RELATIONAL, ("flying", "flying", "cough"), strict=True)))
def test_the_plan_shows_it(rules: str, name: str) -> None:
    ways = [way for symbol, way in _ways(FLYING + rules) if symbol == name]
    assert any(way.startswith("to the buckets of keys that have its first argument at their first") for way in ways)
    listed: Any = stages_data(physical_stages(loads(FLYING + rules).plan, 6))["stages"]
    assert [2, 3] in [stage["grid"] for stage in listed] or [6, 1] in [stage["grid"] for stage in listed]


@settings(max_examples=60)
@given(st.sampled_from([*RELATIONAL, EVERYWHERE]), records(), st.integers(1, 6), st.sampled_from([None, 1, 6]))
def test_in_buckets(rules: str, found: list[Record], count: int, rows_at_once: int | None) -> None:
    reasoner = loads(FLYING + rules)
    engine = on_engine(reasoner, found, None)
    # Where results are never final, pieces are refused.
    assume(rows_at_once is None or encoded(reasoner.plan).lowered.plan.settle != FOREVER)
    assert differences(on_buckets(reasoner, found, Span(), count, rows_at_once), engine) == []


BRINGS = [
    "happensAt(ping(A,B), T)",
    "happensAt(ping(A,B), T)",
    "happensAt(ping(B,A), T)",
    "happensAt(start(first(A,B)=true), T)",
    "happensAt(takeoff(A), T), happensAt(cough(B), T)",
]
ASKS = [
    "holdsAt(flying(A)=true, T)",
    "holdsAt(flying(B)=true, T)",
    "\\+ holdsAt(flying(A)=true, T)",
    "\\+ holdsAt(flying(B)=true, T)",
    "happensAt(cough(A), T)",
    "\\+ happensAt(cough(B), T)",
]
ENDS = ["happensAt(end(flying(A)=true), T)", "happensAt(end(flying(B)=true), T)", "happensAt(cough(B), T)"]
LISTS = ["first(A,B)", "first(B,A)", "second(A,B)", "flying(A)", "flying(B)"]


@st.composite
def programs(draw: Any) -> str:
    """Two fluents of pairs and what follows from them, with keys that come from the stream or from elsewhere."""
    text = FLYING
    for name, brings in (("first", [line for line in BRINGS if "first" not in line]), ("second", BRINGS)):
        for _ in range(draw(st.integers(1, 2))):
            body = [draw(st.sampled_from(brings)), *draw(st.lists(st.sampled_from(ASKS), max_size=2, unique=True))]
            text += f"initiatedAt({name}(A,B)=true, T) :- {', '.join(body)}.\n"
        text += f"terminatedAt({name}(A,B)=true, T) :- {draw(st.sampled_from(ENDS))}.\n"
    one, two = draw(st.sampled_from(LISTS)), draw(st.sampled_from(LISTS))
    how = draw(
        st.sampled_from(["intersect_all([I1,I2], I)", "union_all([I1,I2], I)", "relative_complement_all(I1, [I2], I)"])
    )
    return f"{text}holdsFor(third(A,B)=true, I) :- holdsFor({one}=true, I1), holdsFor({two}=true, I2), {how}.\n"


def _check(rules: str, found: list[Record], count: int, rows_at_once: int | None) -> None:
    try:
        reasoner = loads(rules)
        engine = on_engine(reasoner, found, None)
    except HoldsforError:
        assume(False)
        raise
    # Where results are never final, pieces are refused.
    assume(rows_at_once is None or encoded(reasoner.plan).lowered.plan.settle != FOREVER)
    assert differences(on_buckets(reasoner, found, Span(), count, rows_at_once), engine) == []


@settings(max_examples=40)
@given(programs(), records(), st.integers(1, 6), st.sampled_from([None, 6]))
def test_random_programs(rules: str, found: list[Record], count: int, rows_at_once: int | None) -> None:
    _check(rules, found, count, rows_at_once)


@pytest.mark.slow
@settings(max_examples=2_000)
@given(programs(), records(), st.integers(1, 6), st.sampled_from([None, 1, 6]))
def test_random_programs_at_length(rules: str, found: list[Record], count: int, rows_at_once: int | None) -> None:
    _check(rules, found, count, rows_at_once)


@settings(max_examples=40)
@given(st.sampled_from([*RELATIONAL, EVERYWHERE]), records(), st.integers(1, 6))
def test_conflicts_are_counted_once(rules: str, found: list[Record], count: int) -> None:
    reasoner = loads(FLYING + rules)
    dictionary = Dictionary()
    stream = from_records(found, reasoner.analysis.entities, dictionary)
    alone = sum(answer.conflicts for answer in RecordedRun(reasoner.plan, dictionary, stream))
    assert conflicts_on_buckets(reasoner, found, count) == alone


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("pings", [True, False])
def test_on_spark(spark: Any, pings: bool) -> None:
    happened = [("takeoff", ["a1"], 1), ("takeoff", ["a2"], 2), ("takeoff", ["a3"], 2), ("cough", ["a2"], 6)]
    happened += [("ping", ["a1", "a2"], 4), ("ping", ["a3", "a1"], 5), ("ping", ["a3", "a0"], 7)] if pings else []
    happened += [("landing", ["a1"], 9)]
    found: list[Record] = [Occurrence(event_term(name, args), time, time) for name, args, time in happened]
    reasoner = loads(FLYING + RELATIONAL[0])
    engine = on_engine(reasoner, found, None)
    assert len(engine.intervals) == (5 if pings else 3)
    assert differences(on_spark(spark, reasoner, found, Span(), 3), engine) == []
