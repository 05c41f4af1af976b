"""Event descriptions with metric rules: over buckets and as streams they report what the engine does."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor import load
from holdsfor.spark import recognise
from holdsfor.spark.job import Span
from holdsfor.spark.stages import SparkStage, physical_stages
from tests.spark.on_spark import on_spark
from tests.spark.test_random import check_buckets
from tests.spark.test_stream_random import check as check_stream
from tests.spark.test_stream_simulated import Feeding, check, feedings
from tests.strategies.engine_runs import Scenario, differences, loaded, on_engine, sampled, scenarios
from tests.strategies.scenarios import MIXED, MIXED_WINDOWED

LATE = 12
pytestmark = pytest.mark.filterwarnings("ignore")


@settings(max_examples=30)
@given(scenarios(MIXED, windowed=False), st.integers(1, 4))
def test_whole_history(scenario: Scenario, count: int) -> None:
    check_buckets(scenario, count)


@settings(max_examples=30)
@given(scenarios(MIXED_WINDOWED, windowed=True, late=LATE), st.integers(1, 4))
def test_at_every_query_time(scenario: Scenario, count: int) -> None:
    check_buckets(scenario, count)


@settings(max_examples=40)
@given(scenarios(MIXED_WINDOWED, windowed=True, late=LATE), feedings())
def test_as_a_stream(scenario: Scenario, feeding: Feeding) -> None:
    check(scenario, feeding)


@pytest.mark.slow
@settings(max_examples=3_000)
@given(scenarios(MIXED_WINDOWED, windowed=True, late=LATE), st.integers(2, 6))
def test_at_every_query_time_at_length(scenario: Scenario, count: int) -> None:
    check_buckets(scenario, count)


@pytest.mark.slow
@settings(max_examples=2_000)
@given(scenarios(MIXED_WINDOWED, windowed=True, late=LATE), feedings())
def test_as_a_stream_at_length(scenario: Scenario, feeding: Feeding) -> None:
    check(scenario, feeding)


def on_a_cluster(seed: int) -> Scenario:
    """The scenario of a seed, or of the next one with metric rules."""
    found = (sampled(at, MIXED_WINDOWED, windowed=True, late=LATE) for at in itertools.count(seed, 1_000))
    return next(one for one in found if one is not None and one.reasoner.program.metric.rules)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200, 230))
def test_on_spark(spark: Any, tmp_path: Path, seed: int) -> None:
    scenario = on_a_cluster(seed)
    engine = on_engine(scenario.reasoner, scenario.records, scenario.span)
    span = scenario.span
    assert span is not None
    found = on_spark(spark, scenario.reasoner, scenario.records, Span(span.size, span.step, span.start, span.end), 3)
    assert differences(found, engine) == []
    check_stream(spark, scenario, tmp_path)


EXAMPLE = Path(__file__).parents[2] / "examples" / "mixed_languages"


def test_the_example_on_spark(spark: Any) -> None:
    reasoner = load(EXAMPLE / "rules.prolog", EXAMPLE / "rules.dmtl")
    rows = [line.split("|") for line in (EXAMPLE / "events.csv").read_text("utf-8").splitlines()]
    events: dict[str, list[tuple[object, ...]]] = {}
    for name, _, time, *args in rows:
        events.setdefault(name, []).append((int(time), *(int(arg) if arg.isdigit() else arg for arg in args)))
    frames = {
        name: spark.createDataFrame(found, ["time", "truck", "degrees"][: len(found[0])])
        for name, found in events.items()
    }
    on_cluster = recognise(reasoner, frames, window=20, step=10, start=0, end=70).collect()
    here = reasoner.recognise(events, window=20, step=10, start=0, end=70)
    assert sorted((row.query_time, row.fluent, row.start) for row in on_cluster) == sorted(
        (row.query_time, row.fluent, row.start) for row in here
    )
    assert any(row.fluent == "'Trouble'" for row in on_cluster)


RULES = """
    initiatedAt(moving(V)=true, T) :- happensAt(go(V), T).
    terminatedAt(moving(V)=true, T) :- happensAt(stop(V), T).
    initiatedAt(alarm(V)=true, T) :- happensAt(start('Long'(V)=true), T).
"""


def metric_stage(metric: str) -> SparkStage:
    """The stage with the metric rules of a program."""
    return stage_of("Long", metric)


def stage_of(name: str, metric: str) -> SparkStage:
    """The stage that makes a predicate."""
    stages = physical_stages(loaded(RULES, metric).plan, 4).stages
    return next(stage for stage in stages if any(symbol.name == name for symbol, _ in stage.members))


def test_metric_rules_run_beside_the_others_of_their_key() -> None:
    stage = metric_stage("Long(V) :- Boxminus[0,5] Near(V)\nNear(V) :- Diamondminus[0,2] moving(V), not off(V)")
    assert {symbol.name for symbol, _ in stage.members} == {"moving", "Long", "Near", "alarm"}
    assert {places for _, places in stage.members} == {(0,)}
    assert all(delivery.spreading == ((0,),) for delivery in stage.deliveries)


def test_what_is_read_without_the_key_goes_everywhere() -> None:
    stage = metric_stage("Long(V) :- moving(V), N = count(W : Diamondminus[0,5] ping(W)), N > 2")
    spread = {delivery.symbol.name: delivery.spreading for delivery in stage.deliveries}
    assert spread["ping"] is None
    assert spread["moving"] == ((0,),) if "moving" in spread else stage.members


def test_a_predicate_worked_out_twice_is_read_by_its_own_inputs() -> None:
    last = stage_of(
        "Back",
        "Half(V) :- Diamondminus[1/2,1/2] stop(V)\n"
        "Long(V) :- Boxminus[0,5] moving(V), not Half(V)\n"
        "Back(W) :- alarm(W), Half(V), pair(V,W)",
    )
    spread = {delivery.symbol.name: delivery.spreading for delivery in last.deliveries}
    assert spread["stop"] is None
    assert spread["pair"] == ((1,),)
