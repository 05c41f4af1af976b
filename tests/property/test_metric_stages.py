"""Metric programs cut into stages over buckets of keys find what they find in one place."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, note, reject, settings
from hypothesis import strategies as st

from holdsfor.compiler.metric.plan import MetricPlan, make_metric_plan
from holdsfor.compiler.metric.stages import metric_stages
from holdsfor.diagnostics import HoldsforError
from holdsfor.frontend.dmtl import metric_text
from holdsfor.metric.goals import Goals
from tests.property.test_metric_goals import answering, drawn
from tests.spark.metric_simulated import by_stages
from tests.strategies.metric_engine import by_batch
from tests.strategies.metric_programs import BACKWARD, EVERYTHING, STREAMABLE, MetricFeatures, Scenario, scenarios

FEW = settings(max_examples=max(25, settings.default.max_examples // 8))
MANY = settings(max_examples=max(500, settings.default.max_examples))
PROGRAMS = pytest.mark.parametrize("features", [EVERYTHING, BACKWARD, STREAMABLE], ids="all backward stream".split())


def check(scenario: Scenario, buckets: int, data: st.DataObject) -> None:
    note(metric_text(scenario.program) + "\n".join(map(metric_text, scenario.facts)))
    note(f"from {scenario.start} to {scenario.end} in {buckets} buckets")
    run = scenario.facts, scenario.start, scenario.end
    plan = _plan(scenario)
    goals = drawn(scenario, data) if data.draw(st.booleans()) else ()
    found = by_stages(plan, *run, buckets, Goals.of(plan, goals, is_stream=False) if goals else None)
    wanted = by_batch(scenario.program, *run)
    wanted = answering(wanted, goals) if goals else wanted
    assert Counter(found) == Counter((row.predicate, "|".join(map(str, row.args)), *row[2:]) for row in wanted)


def _plan(scenario: Scenario) -> MetricPlan:
    try:
        return make_metric_plan(scenario.program)
    except HoldsforError:
        reject()


@PROGRAMS
@FEW
@given(data=st.data(), buckets=st.integers(1, 5))
def test_buckets_find_what_one_place_finds(features: MetricFeatures, data: st.DataObject, buckets: int) -> None:
    check(data.draw(scenarios(features)), buckets, data)


@pytest.mark.slow
@PROGRAMS
@MANY
@given(data=st.data(), buckets=st.integers(1, 5))
def test_many(features: MetricFeatures, data: st.DataObject, buckets: int) -> None:
    check(data.draw(scenarios(features)), buckets, data)


@FEW
@given(scenarios())
def test_every_stratum_has_a_stage_that_comes_after_what_it_reads(scenario: Scenario) -> None:
    plan = _plan(scenario)
    stages = metric_stages(plan).stages
    assert sorted(stratum.number for stage in stages for stratum in stage.strata) == [
        stratum.number for stratum in plan.strata
    ]
    for stage in stages:
        assert all(delivery.made_in is None or delivery.made_in < stage.number for delivery in stage.deliveries)
