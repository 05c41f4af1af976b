"""Programs about facts, groundings and domains over buckets and in simulated streams: what the engine reports."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.spark.stages import bucket_count, physical_stages
from tests.spark.test_random import check_buckets
from tests.spark.test_stream_simulated import Feeding, check, feedings
from tests.strategies.domains import domain_scenarios
from tests.strategies.engine_runs import Scenario

LATE = 12
pytestmark = pytest.mark.filterwarnings("ignore")
_WINDOWED = st.one_of(*(domain_scenarios(dynamic=dynamic, windowed=True, late=LATE) for dynamic in (False, True)))

DOMAIN = """
dynamicDomain(phone(_)).
grounding(dial(P,_)) :- phone(P).
initiatedAt(line(P)=busy, T) :- happensAt(dial(P,_), T).
terminatedAt(line(P)=busy, T) :- happensAt(hang_up(P), T).
"""


@settings(max_examples=25)
@given(_WINDOWED, st.integers(2, 4))
def test_buckets(scenario: Scenario, count: int) -> None:
    check_buckets(scenario, count)


@settings(max_examples=15)
@given(_WINDOWED, feedings())
def test_streams(scenario: Scenario, feeding: Feeding) -> None:
    check(scenario, feeding)


def test_a_grounding_that_rules_imply_keeps_the_work_spread() -> None:
    plan = loads(DOMAIN + "grounding(line(P)=busy) :- phone(P).").plan
    assert plan.domain_readers == ()
    assert not physical_stages(plan, 4).stages[0].is_single


def test_what_reads_a_domain_is_worked_out_in_one_place() -> None:
    rules = "holdsFor(free(P)=true, I) :- holdsFor(line(P)=busy, I1), complement_all([I1], I).\n"
    plan = loads(DOMAIN + rules + "grounding(free(P)=true) :- phone(P).").plan
    assert bucket_count(plan, 4) == 1
    stages = physical_stages(plan, 1)
    assert stages.stages[-1].is_single
    assert stages.warnings == ("free/1: a dynamicDomain has values from records of all keys: all work is in one place",)
