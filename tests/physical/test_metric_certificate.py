"""What a stream of metric facts keeps, as the plan says it, and as the engine does it."""

from __future__ import annotations

from fractions import Fraction

import pytest

from holdsfor import loads_metric
from holdsfor.physical.metric import MetricComponent
from holdsfor.physical.metric_certificate import granularity, looks_ahead, reach, stream_bounds
from holdsfor.physical.metric_program import Arrival, lower_program
from holdsfor.physical.show_metric import recursion, stream_keeps


def component_of(rules: str) -> MetricComponent:
    stage, *others = lower_program(loads_metric(rules).plan, 1, Arrival.FINAL).plan.stages
    found = stage.components[0].metric
    assert found is not None
    assert not others
    return found


@pytest.mark.parametrize(
    ("rules", "keeps"),
    [
        ("P(X) :- Diamondminus[1,4] Q(X)", ["P/1: at most 2 intervals to come, for 4"]),
        ("P(X) :- Diamondminus[0,1/2] Q(X)", ["P/1: at most 2 intervals to come, for 1/2"]),
        ("P(X) :- Diamondminus[3,inf) Q(X)", ["P/1: 1 interval to come, without end"]),
        (
            "P(X) :- Boxminus[2,4] Q(X)",
            ["Q/1: 1 interval that goes on, for 2", "P/1: at most 2 intervals to come, for 2"],
        ),
        ("P(X) :- Boxminus[0,4] Q(X)", ["Q/1: 1 interval that goes on, for 4"]),
        (
            "P(X) :- Q(X) Since[1,3] R(X)",
            [
                "Q/1: 1 interval that goes on",
                "R/1: 1 interval that goes on",
                "since R #1/1: at most 2 intervals to come while its left side holds, for 3",
            ],
        ),
        (
            "P(X) :- Diamondminus[5] Q(X)",
            ["P/1: all intervals to come, for 5, because of the punctual interval at <rules>:1"],
        ),
        ("P(X) :- Q(X), R(X)", []),
        ("P(X) :- Diamondplus[1,2] Q(X)", []),
    ],
)
def test_keeps(rules: str, keeps: list[str]) -> None:
    assert [line.replace("<text>", "<rules>") for line in stream_keeps(component_of(rules))] == keeps


def test_of_the_whole_program() -> None:
    found = component_of("P(X) :- Diamondminus[1,4] Q(X), Boxminus[1/2,3/4] Q(X)")
    assert (reach(found), granularity(found), looks_ahead(found)) == (4, Fraction(1, 4), False)
    assert granularity(component_of("P(X) :- Diamondminus[1,inf) Q(X)")) is None
    assert looks_ahead(component_of("P(X) :- Q(X) Until[0,2] R(X)"))
    assert list(recursion(component_of("Boxplus[5] P(X) :- P(X)"))) == ["recursive forward by 5"]
    assert list(recursion(component_of("P(X) :- P(X), Q(X)"))) == ["recursive"]


@pytest.mark.parametrize(
    ("rules", "facts", "now", "kept"),
    [
        ("P(X) :- Diamondminus[1,4] Q(X)", {"Q": [(0, "a"), (3.5, "a")]}, 3.5, 2),
        ("P(X) :- Diamondminus[3,inf) Q(X)", {"Q": [(0, "a"), (1, "a")]}, 1, 1),
        ("P(X) :- Boxminus[0,4] Q(X)", {"Q": [{"start": 0, "end": 9, "x": "a"}]}, 9, 1),
    ],
)
def test_bounds_that_are_reached(rules: str, facts: dict[str, object], now: float, kept: int) -> None:
    stream = loads_metric(rules).stream()
    stream.push(facts)
    stream.advance(now)
    bounds = [one.intervals for stratum in component_of(rules).part.strata for one in stream_bounds(stratum)]
    assert None not in bounds
    assert stream.facts_held == kept == sum(filter(None, bounds))
