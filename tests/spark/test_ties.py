"""Cycles that tie keys together: who occurs together shares a bucket, and the answer is that of one place."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.reference import Occurrence, Record
from holdsfor.reference.history import event_term
from holdsfor.spark.job import Span
from holdsfor.spark.stages import physical_stages
from tests.spark.on_spark import on_spark
from tests.spark.simulated import on_buckets
from tests.strategies.engine_runs import differences, on_engine
from tests.strategies.scenario_words import Pen
from tests.strategies.tie_programs import tie_scenario

RULES = loads(
    """
initiatedAt(ill(X)=true, T) :- happensAt(meet(X,Y), T), holdsAt(ill(Y)=true, T).
initiatedAt(ill(X)=true, T) :- happensAt(infect(X), T).
initiatedAt(ill(X)=true, T) :- happensAt(cough(Y), T), sibling(Y, X), holdsAt(ill(Y)=true, T).
terminatedAt(ill(X)=true, T) :- happensAt(cure(X), T).
initially(ill(p9)=true).
initiatedAt(outbreak(X)=true, T) :- happensAt(cough(X), T), holdsAt(ill(X)=true, T).
sibling(p0, p5). sibling(p5, p6). sibling(p9, p8).
"""
)
PEOPLE = [f"p{number}" for number in range(10)]


@st.composite
def records(draw: Any) -> list[Record]:
    found: list[Record] = []
    for _ in range(draw(st.integers(0, 30))):
        name = draw(st.sampled_from(["meet", "meet", "meet", "infect", "cough", "cure"]))
        args = [draw(st.sampled_from(PEOPLE)) for _ in range(2 if name == "meet" else 1)]
        time = draw(st.integers(0, 20))
        found.append(Occurrence(event_term(name, args), time, time))
    return found


def test_the_plan_says_so() -> None:
    stages = physical_stages(RULES.plan, 4)
    (tied,) = [stage for stage in stages.stages if stage.links]
    assert {str(link) for link in tied.links} == {"meet/2", "sibling/2"}
    (warning,) = stages.warnings
    assert warning.startswith("ill/1: the rules at <rules>:2, <rules>:4 read their own cycle for other keys; all that")


@settings(max_examples=40)
@given(records(), st.integers(1, 5), st.sampled_from([None, 1, 4]))
def test_in_buckets(found: list[Record], count: int, rows_at_once: int | None) -> None:
    engine = on_engine(RULES, found, None)
    assert differences(on_buckets(RULES, found, Span(), count, rows_at_once), engine) == []


@pytest.mark.filterwarnings("ignore")
def test_on_spark(spark: Any) -> None:
    happened = [("infect", ["p1"], 1), ("meet", ["p2", "p1"], 3), ("meet", ["p3", "p2"], 5), ("meet", ["p4", "p7"], 6)]
    happened += [("cough", ["p9"], 7), ("cough", ["p3"], 8), ("cure", ["p2"], 9)]
    found: list[Record] = [Occurrence(event_term(name, args), time, time) for name, args, time in happened]
    engine = on_engine(RULES, found, None)
    assert len(engine.intervals) > 5
    assert differences(on_spark(spark, RULES, found, Span(), 3), engine) == []


def test_no_components_in_a_stream() -> None:
    plan = loads(
        "initiatedAt(ill(X)=true, T) :- happensAt(meet(X,Y), T), holdsAt(ill(Y)=true, T). "
        "initiatedAt(ill(X)=true, T) :- happensAt(cough(X), T)."
    ).plan
    (stage,) = physical_stages(plan, 4, tied=False).stages
    assert stage.is_single
    assert not stage.links
    assert physical_stages(plan, 4).stages[0].links


def test_results_that_tie_are_not_known_before() -> None:
    plan = loads(
        "initiatedAt(ill(X)=true, T) :- happensAt(cough(X), T), holdsAt(bond(X,Y)=true, T), holdsAt(ill(Y)=true, T). "
        "initiatedAt(ill(X)=true, T) :- happensAt(infect(X), T). "
        "initiatedAt(bond(X,Y)=true, T) :- happensAt(meet(X,Y), T). "
    ).plan
    bonds, ill = physical_stages(plan, 4).stages
    assert not bonds.is_single
    assert ill.is_single


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(1, 5))
def test_random_programs_in_buckets(seed: int, count: int) -> None:
    one = tie_scenario(Pen(random.Random(seed).randint))
    assume(one is not None)
    assert one is not None
    wanted = on_engine(one.reasoner, one.records, None)
    assert differences(on_buckets(one.reasoner, one.records, Span(), count), wanted) == []
