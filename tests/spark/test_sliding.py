"""Sliding aggregates on Spark: over the events of a key, which are where the key is, and over those of all keys."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from holdsfor import loads
from holdsfor.reference import Occurrence, Record
from holdsfor.reference.history import event_term
from holdsfor.spark.job import Span
from tests.spark.on_spark import on_spark
from tests.spark.test_stream_random import check as check_stream
from tests.spark.test_stream_simulated import Feeding, feedings
from tests.spark.test_stream_simulated import check as check_simulated
from tests.strategies.engine_runs import Scenario, differences, on_reference
from tests.strategies.families import family_scenarios
from tests.strategies.sliding_programs import sliding_program
from tests.strategies.streams import Span as Windows

RULES = """
initiatedAt(locked(U)=true,T) :- happensAt(failed(U,_),T), count_within(failed(U,_),10,T) >= 3.
terminatedAt(locked(U)=true,T) :- happensAt(reset(U),T).
initiatedAt(spent(U)=S,T) :- happensAt(pays(U,_),T), S is sum_within(A,pays(U,A),12,T).
initiatedAt(alarm(U)=true,T) :- happensAt(failed(U,_),T), distinct_within(V,failed(V,_),6,T) >= 3.
happensAt(leads(U,A),T) :- happensAt(reset(U),T), top(2,A,pays(U,A),20,T).
initiatedAt(again(U)=true,T) :- happensAt(start(locked(U)=true),T), count_within(start(locked(U)=true),30,T) > 1.
"""
pytestmark = pytest.mark.filterwarnings("ignore")


def _scenario(seed: int) -> Scenario:
    rng = random.Random(seed)
    records: list[Record] = []
    for _ in range(120):
        name = rng.choice(("failed", "failed", "pays", "reset"))
        user = rng.choice("abcd")
        args: list[str | float] = {
            "failed": [user, rng.choice("xy")],
            "pays": [user, rng.randint(1, 9)],
            "reset": [user],
        }[name]  # type: ignore[assignment]
        time = rng.randint(1, 60)
        records.append(Occurrence(event_term(name, args), time, time + rng.choice((0, 0, 3))))
    return Scenario(RULES, records, Windows(8, 5, 0, 65), loads(RULES))


@pytest.mark.parametrize("partitions", [1, 3])
def test_batch(spark: Any, partitions: int) -> None:
    one = _scenario(partitions)
    found = on_spark(spark, one.reasoner, one.records, Span(8, 5, 0, 65), partitions)
    wanted = on_reference(one.reasoner, one.records, one.span)
    assert len(wanted.intervals) > 50
    assert len(wanted.events) > 10
    assert differences(found, wanted) == []


def test_stream(spark: Any, tmp_path: Path) -> None:
    assert check_stream(spark, _scenario(7), tmp_path)


@settings(max_examples=15)
@given(family_scenarios(sliding_program, windowed=True, late=12), feedings())
def test_streams_of_any_shape(scenario: Scenario, feeding: Feeding) -> None:
    check_simulated(scenario, feeding)
