"""Query times at which nothing is due are not asked, and times far ahead are put aside: no other answers, no cost."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings

from holdsfor import loads
from holdsfor.diagnostics import HoldsforError
from holdsfor.reference import Record
from holdsfor.reference.history import Occurrence
from holdsfor.spark.streaming import bucket
from holdsfor.spark.streaming.clock import Windows
from tests.spark.stream_runs import SimulatedStream
from tests.spark.test_stream_faults import RULES, event, stream_of
from tests.spark.test_stream_keyed import Keeping
from tests.spark.test_stream_keyed import check as check_changelog
from tests.spark.test_stream_simulated import LATE, Feeding, check, feedings
from tests.strategies.engine_runs import Scenario, scenarios
from tests.strategies.scenarios import INTERVALS, WINDOWED

pytestmark = pytest.mark.filterwarnings("ignore")


def stretched(scenario: Scenario, rng: random.Random) -> Scenario:
    """The same records with a long silence in between."""
    assert scenario.span is not None
    moments = sorted({record.arrival for record in scenario.records})
    after = rng.choice(moments) if moments else 0
    gap = scenario.span.step * rng.randint(12, 30)

    def moved(record: Record) -> Record:
        def at(time: float) -> float:
            return time + gap if after < time < math.inf else time

        if isinstance(record, Occurrence):
            return replace(record, time=int(at(record.time)), arrival=int(at(record.arrival)))
        return replace(record, start=int(at(record.start)), end=at(record.end), arrival=int(at(record.arrival)))

    return replace(scenario, records=[moved(record) for record in scenario.records])


def check_silence(scenario: Scenario, feeding: Feeding) -> None:
    check(stretched(scenario, random.Random(feeding.seed)), feeding)


@settings(max_examples=20)
@given(scenarios(WINDOWED, windowed=True, late=LATE), feedings())
def test_silence_changes_nothing(scenario: Scenario, feeding: Feeding) -> None:
    check_silence(scenario, feeding)


@settings(max_examples=10)
@given(scenarios(INTERVALS, windowed=True, late=LATE), feedings())
def test_silence_and_whole_intervals(scenario: Scenario, feeding: Feeding) -> None:
    check_silence(scenario, feeding)


def check_silence_and_retractions(scenario: Scenario, feeding: Feeding) -> None:
    """Rows are taken back before and after a silence, some when no window sees them any more."""
    check_changelog(stretched(scenario, random.Random(feeding.seed)), feeding, Keeping(1, 12, 0), retracting=True)


@settings(max_examples=8)
@given(scenarios(WINDOWED, windowed=True), feedings())
def test_silence_and_retractions(scenario: Scenario, feeding: Feeding) -> None:
    check_silence_and_retractions(scenario, feeding)


@pytest.mark.slow
@settings(max_examples=500)
@given(scenarios(WINDOWED, windowed=True), feedings())
def test_silence_and_retractions_at_length(scenario: Scenario, feeding: Feeding) -> None:
    check_silence_and_retractions(scenario, feeding)


@pytest.mark.slow
@settings(max_examples=1_000)
@given(scenarios(WINDOWED, windowed=True, late=LATE), feedings())
def test_silence_at_length(scenario: Scenario, feeding: Feeding) -> None:
    check_silence(scenario, feeding)


DELAYED = RULES + "fi(on(X)=true, on(X)=tired, 500).\nterminatedAt(on(X)=tired,T) :- happensAt(stop(X),T).\n"


@pytest.mark.parametrize("window", [20, 5])
def test_a_time_of_zero_and_all_others_in_this_century(tmp_path: Path, window: int) -> None:
    now = 1_700_000_000
    sent = [event("go", 1), event("go", now, "b"), event("stop", now + 40, "b"), event("go", now + 60, "c")]
    stream = SimulatedStream(loads(DELAYED), sent, Windows(window, 5), tmp_path, buckets=2)
    report = stream.run(sent, 0)
    assert report.queries == (now + 60) // 5
    found = {(row["fluent"], row["value"], row["start"], row["end"]) for row in stream.changes.to_pylist()}
    assert ("on(a)", "tired", 502, None) in found
    assert ("on(b)", "true", now + 1, now + 41) in found
    assert {row["query_time"] for row in stream.changes.to_pylist() if row["value"] == "tired"} == {505}
    stream.run([event("stop", now + 61), event("go", now + 70, "d")], 1)
    later = [(row["fluent"], row["op"], row["end"]) for row in stream.delivered[1].to_pylist()]
    assert sorted(later) == [("on(a)", "close", now + 62), ("on(d)", "open", None)]


def test_rules_that_may_always_have_something_to_say(tmp_path: Path) -> None:
    swinging = RULES + "fi(on(X)=true, on(X)=false, 5).\nfi(on(X)=false, on(X)=true, 5).\n"
    sent = [event("go", 1), event("go", 10**12)]
    stream = SimulatedStream(loads(swinging), sent, Windows(20, 5), tmp_path, buckets=2)
    refused = pytest.raises(
        HoldsforError, match=r"query times from 0 to 1000000000000 would have to be evaluated for . rows"
    )
    with patch.object(bucket, "MOST_QUERIES", 2_000), refused:
        stream.run(sent, 0)


@pytest.mark.parametrize("given_", [None, 300])
def test_a_time_in_milliseconds_is_put_aside(tmp_path: Path, given_: int | None) -> None:
    stream = stream_of(tmp_path)
    stream.driver = replace(stream.driver, max_ahead=given_)
    first = stream.run([event("go", time) for time in (3, 7, 11)], 0)
    assert (first.ahead, first.events) == (0, 3)
    sent = [event("go", time) for time in (13, 17, 22, 1_700_000_000_000)]
    report = stream.run(sent, 1)
    assert (report.ahead, report.events, report.late, report.query_time) == (1, 3, 0, 20)
    assert f"1 too far ahead (up to 1700000000000, later than {317 if given_ else 217})" in str(report)
    assert stream.run([event("stop", 24), event("go", 31)], 2).late == 0
    stream.driver = replace(stream.driver, max_ahead=math.inf)
    assert stream.run(sent[:3] + [event("go", 10_000)], 3).query_time == 10_000


def test_a_long_history_in_one_batch_is_not_ahead_of_itself(tmp_path: Path) -> None:
    stream = stream_of(tmp_path)
    stream.driver = replace(stream.driver, max_ahead=None)
    report = stream.run([event("go", time) for time in range(1, 4_000, 97)], 0)
    assert (report.ahead, report.events) == (0, 42)
