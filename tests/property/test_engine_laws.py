"""Laws of the engine that need no yardstick: order, names and windows do not matter."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.reference import EventRow, InputInterval, IntervalRow, Record
from tests.strategies.engine_runs import Rows, Scenario, differences, on_engine, scenarios
from tests.strategies.scenario_bodies import Allowed
from tests.strategies.scenario_statics import ANY_KIND
from tests.strategies.scenarios import EVERYTHING, WINDOWED
from tests.strategies.streams import Span, complete_windows, renamed

UNORDERED = replace(EVERYTHING, allowed=Allowed(order=False), statics=replace(ANY_KIND, order=False))
LATE = 5
NAMES = {"ann": "zoe", "bob": "adam", "cy": "'Mr X'"}


def lengths(short: int, long: int) -> Callable[[Callable[[st.DataObject], None]], list[object]]:
    """Parameters that run a law on a few examples, and on many when slow tests are asked for."""

    def parameters(law: Callable[[st.DataObject], None]) -> list[object]:
        return [
            pytest.param(settings(max_examples=short)(given(st.data())(law)), id="briefly"),
            pytest.param(settings(max_examples=long)(given(st.data())(law)), id="at length", marks=pytest.mark.slow),
        ]

    return parameters


def rows(scenario: Scenario, records: list[Record], span: Span | None) -> Rows:
    """What the engine reports; what it refuses says nothing."""
    return on_engine(scenario.reasoner, records, span)


def order_of_input(data: st.DataObject) -> None:
    scenario = data.draw(scenarios(windowed=True, late=LATE))
    shuffled = data.draw(st.permutations(scenario.records))
    first = rows(scenario, scenario.records, scenario.span)
    assert differences(rows(scenario, shuffled, scenario.span), first) == []


def names_of_entities(data: st.DataObject) -> None:
    scenario = data.draw(scenarios(UNORDERED, windowed=True, late=LATE))
    before = rows(scenario, scenario.records, scenario.span)
    text = re.sub(r"\b(ann|bob|cy)\b", lambda found: NAMES[found[0]], scenario.text)
    plain = {name: other.strip("'") for name, other in NAMES.items()}
    other = replace(scenario, text=text, reasoner=loads(text))
    after = rows(other, renamed(scenario.records, plain), scenario.span)
    assert differences(after, _renamed_rows(before)) == []


def _renamed_rows(found: Rows) -> Rows:
    def change(text: str) -> str:
        return re.sub(r"\b(ann|bob|cy)\b", lambda name: NAMES[name[0]], text)

    intervals = [IntervalRow(r.query_time, change(r.fluent), change(r.value), r.start, r.end) for r in found.intervals]
    events = [EventRow(r.query_time, change(r.event), r.time) for r in found.events]
    return Rows(tuple(sorted(intervals)), tuple(sorted(events)))


def _last_moment(scenario: Scenario) -> int:
    return max(
        (record.start if isinstance(record, InputInterval) else record.time for record in scenario.records), default=1
    )


def windows_see_the_whole_history(data: st.DataObject) -> None:
    """Windows that reach back over their step and the lateness report what one window over everything does."""
    late = data.draw(st.sampled_from([0, LATE]))
    scenario = data.draw(scenarios(WINDOWED, windowed=False, late=late))
    span = data.draw(complete_windows(scenario.records, late=late))
    query = span.start + span.step * -(-(span.end - span.start) // span.step)
    # Before the first window lies nothing but the initial values, and one window alone does not reach back to them.
    border = max(query - span.size, span.start)
    windowed = rows(scenario, scenario.records, span).at(query, border)
    width = query - span.start
    whole = rows(scenario, scenario.records, Span(width, width, span.start, span.end)).at(query, border)
    assert differences(windowed, whole) == []


def any_split(data: st.DataObject) -> None:
    """Two ways to cut a history into windows agree on what both of them see at the end."""
    late = data.draw(st.sampled_from([0, LATE]))
    scenario = data.draw(scenarios(WINDOWED, windowed=False, late=late))
    end = _last_moment(scenario) + late + data.draw(st.integers(0, 3))
    one = data.draw(complete_windows(scenario.records, late=late, end=end))
    other = data.draw(complete_windows(scenario.records, late=late, end=end))
    border = max(end - min(one.size, other.size), one.start)
    first = rows(scenario, scenario.records, one).at(end, border)
    assert differences(rows(scenario, scenario.records, other).at(end, border), first) == []


@pytest.mark.parametrize("law", lengths(60, 500)(order_of_input))
def test_the_order_of_the_input_does_not_matter(law: Callable[[], None]) -> None:
    law()


@pytest.mark.parametrize("law", lengths(60, 500)(names_of_entities))
def test_the_names_of_entities_do_not_matter(law: Callable[[], None]) -> None:
    law()


@pytest.mark.parametrize("law", lengths(60, 500)(windows_see_the_whole_history))
def test_windows_see_the_whole_history(law: Callable[[], None]) -> None:
    law()


@pytest.mark.parametrize("law", lengths(60, 500)(any_split))
def test_any_split_into_windows_gives_the_same(law: Callable[[], None]) -> None:
    law()
