"""Saved state: a run that is interrupted and taken up again elsewhere reports what one run does."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.analysis.variants import NotSupported
from holdsfor.diagnostics import HoldsforError
from holdsfor.engine.dictionary import Dictionary, Value
from holdsfor.engine.frames import Codes, Numbers
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.report import event_rows, interval_rows
from holdsfor.engine.run import Run, run
from holdsfor.engine.saved import from_bytes, from_table, merged, split, to_bytes, to_table
from holdsfor.engine.state import Border, Holding, Reports, State
from holdsfor.engine.stream import from_records
from holdsfor.engine.tables import FOREVER, Events
from holdsfor.engine.windows import WindowPlan
from holdsfor.reference import InputInterval
from holdsfor.syntax.terms import Compound, Const, ListTerm
from tests.strategies.engine_runs import Rows, Scenario, differences, scenarios
from tests.strategies.scenarios import WINDOWED

RULES = """
    initiatedAt(open(D)=V, T) :- happensAt(unlock(D,V), T).
    terminatedAt(open(D)=_, T) :- happensAt(lock(D), T).
    holdsFor(busy(D)=true, I) :- holdsFor(open(D)=true, I1), holdsFor(near(D)=true, I2), union_all([I1,I2], I).
"""
OPEN, BUSY, NEAR = (Symbol(EntityKind.FLUENT, name, 1) for name in ("open", "busy", "near"))
UNLOCK = Symbol(EntityKind.EVENT, "unlock", 2)


def in_one_go(scenario: Scenario, windows: WindowPlan) -> Rows:
    dictionary = Dictionary()
    stream = from_records(scenario.records, scenario.reasoner.analysis.entities, dictionary)
    answers = list(run(scenario.reasoner.plan, dictionary, stream, windows))
    return Rows(tuple(interval_rows(answers, dictionary)), tuple(event_rows(answers, dictionary)))


def in_two_halves(scenario: Scenario, windows: WindowPlan, queries: int) -> Rows:
    """The first so many query times, then the rest in a place that has nothing but the state and later arrivals."""
    plan, entities = scenario.reasoner.plan, scenario.reasoner.analysis.entities
    first = Dictionary()
    begun = Run(plan, first, from_records(scenario.records, entities, first), windows)
    before = list(islice(begun, queries))
    saved = to_bytes(begun.state, Prepared(plan, first))

    second = Dictionary()
    second.code("something else")
    later = [record for record in scenario.records if record.arrival > begun.state.query]
    state = from_bytes(saved, Prepared(plan, second))
    after = list(run(plan, second, from_records(later, entities, second), windows, state))
    intervals = (*interval_rows(before, first), *interval_rows(after, second))
    return Rows(intervals, (*event_rows(before, first), *event_rows(after, second)))


def check_halves(scenario: Scenario, queries: int) -> None:
    """Assert that a run that is stopped, saved and taken up again says what one run does."""
    assert scenario.span is not None
    windows = WindowPlan(scenario.span.size, scenario.span.step, scenario.span.start, scenario.span.end)
    try:
        whole = in_one_go(scenario, windows)
    except NotSupported:
        assume(False)
        raise
    halves = in_two_halves(scenario, windows, min(queries, len(windows.query_times)))
    assert differences(halves, whole) == []


@settings(max_examples=60)
@given(scenarios(WINDOWED, windowed=True, late=12), st.integers(1, 6))
def test_two_halves_are_one_run(scenario: Scenario, queries: int) -> None:
    check_halves(scenario, queries)


@pytest.mark.slow
@settings(max_examples=3_000)
@given(scenarios(WINDOWED, windowed=True, late=12), st.integers(1, 6))
def test_two_halves_are_one_run_at_length(scenario: Scenario, queries: int) -> None:
    check_halves(scenario, queries)


def a_state(values: list[Value], dictionary: Dictionary) -> State:
    """Each value as argument and value of a holding pair, of an event and of a cut report."""
    codes = dictionary.encode(values)
    times = np.arange(len(codes)) - 2
    nothing = np.zeros(len(codes), np.bool_)
    border = Border()
    border.holding[OPEN] = Holding((codes,), codes, np.where(times == 0, -FOREVER, times))
    border.events[UNLOCK] = Events((Codes(codes), Numbers(times / 4)), times)
    border.reports[NEAR] = Reports((codes,), codes, times, np.where(times == 1, FOREVER, times + 3), ~nothing, nothing)
    return State(origin=-7, border=-3, query=12, kept=border)


def spelled(state: State, dictionary: Dictionary) -> set[object]:
    """Everything a state says, in terms."""
    held, events, reports = state.kept.holding[OPEN], state.kept.events[UNLOCK], state.kept.reports[NEAR]
    place, amount = events.args
    assert isinstance(place, Codes)
    numbers = amount.data if isinstance(amount, Numbers) else dictionary.numbers(amount.data)  # type: ignore[union-attr]
    terms = dictionary.terms
    found: set[object] = {("clock", state.origin, state.border, state.query)}
    found |= set(zip(terms(held.args[0].tolist()), terms(held.value.tolist()), held.since.tolist(), strict=True))
    found |= set(zip(terms(place.data.tolist()), numbers.tolist(), events.time.tolist(), strict=True))
    columns = (reports.start, reports.end, reports.is_cut, reports.is_point)
    found |= set(zip(terms(reports.args[0].tolist()), *(column.tolist() for column in columns), strict=True))
    return found


constants = st.one_of(
    st.text(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, allow_infinity=False).filter(lambda number: not number.is_integer()),
    st.sampled_from(
        ["é", "two words", "it's", "Åse", "不", "a\nb", "\\", "=", "[]", "x(1)", "1", "-1", "1.5", "_", ""]
    ),
)
values = st.one_of(
    constants,
    st.builds(
        lambda name, arg: Compound(name, (Const(arg),)), st.sampled_from(["f", "G h", "-", ":-", ","]), constants
    ),
    st.builds(lambda one, two: ListTerm((Const(one), Const(two))), constants, constants),
)


@given(st.lists(values, min_size=4, max_size=12, unique=True))
def test_every_constant_survives(listed: list[Value]) -> None:
    plan = loads(RULES).plan
    first, second = Prepared(plan, Dictionary()), Prepared(plan, Dictionary())
    state = a_state(listed, first.dictionary)
    restored = from_bytes(to_bytes(state, first), second)
    assert spelled(restored, second.dictionary) == spelled(state, first.dictionary)


def test_infinite_times_are_null() -> None:
    prepared = Prepared(loads(RULES).plan, Dictionary())
    rows = to_table(a_state(["a", "b", "c", "d"], prepared.dictionary), prepared).to_pylist()
    held = [row for row in rows if row["section"] == "holding"]
    assert [row["start"] for row in held] == [-2, -1, None, 1]
    assert {
        "section": "cut report",
        "symbol": "fluent near/1",
        "args": ["d"],
        "value": "d",
        "start": 1,
        "end": None,
    } in (rows)


def test_state_is_cut_apart_and_put_together_by_instance() -> None:
    plan = loads(RULES).plan
    prepared = Prepared(plan, Dictionary())
    state = a_state(["a", "b", "c", "d"], prepared.dictionary)
    table = to_table(state, prepared)
    first = table["args"].combine_chunks().flatten()[::1]
    assert len(first) > len(table)  # `unlock` has two arguments
    place = np.array([{"a": 0, "b": 1, "c": 0, "d": 2}[row[0]] for row in table["args"].to_pylist()])
    parts = split(table, place)
    assert {number: len(part) for number, part in parts.items()} == {0: 6, 1: 3, 2: 3}
    other = Prepared(plan, Dictionary())
    again = from_table(merged([parts[2], parts[0], parts[1], parts[1]]), other)
    assert spelled(again, other.dictionary) == spelled(state, prepared.dictionary)
    assert again.kept.rows() == state.kept.rows()


def test_an_empty_state() -> None:
    prepared = Prepared(loads(RULES).plan, Dictionary())
    state = State.beginning(-4)
    assert from_bytes(to_bytes(state, prepared), prepared) == state


def test_state_of_other_rules_is_refused() -> None:
    prepared = Prepared(loads(RULES).plan, Dictionary())
    saved = to_bytes(State.beginning(0), prepared)
    other = loads(RULES.replace("lock(D)", "bolt(D)")).plan
    with pytest.raises(HoldsforError, match="belongs to other rules"):
        from_bytes(saved, Prepared(other, Dictionary()))


def test_layout_and_background_do_not_make_other_rules() -> None:
    saved = to_bytes(State.beginning(0), Prepared(loads(RULES).plan, Dictionary()))
    spaced = loads("% doors\n\n" + RULES.replace(":-", ":-\n   ") + "door(front).").plan
    assert from_bytes(saved, Prepared(spaced, Dictionary())) == State.beginning(0)


def test_what_is_no_state_is_refused() -> None:
    prepared = Prepared(loads(RULES).plan, Dictionary())
    with pytest.raises(HoldsforError, match="no saved state"):
        from_bytes(b"something", prepared)
    with pytest.raises(HoldsforError, match="no saved state"):
        from_table(to_table(State.beginning(0), prepared).replace_schema_metadata(None), prepared)
    late, later = (to_table(State(0, 3, query, Border()), prepared) for query in (5, 6))
    with pytest.raises(HoldsforError, match="query is 5 in one and 6 in another"):
        merged([late, later])


def test_a_window_that_reaches_behind_the_state_is_refused() -> None:
    reasoner = loads(RULES)
    dictionary = Dictionary()
    stream = from_records([], reasoner.analysis.entities, dictionary)
    begun = Run(reasoner.plan, dictionary, stream, WindowPlan(10, 10, 0, 100))
    assert len(list(begun)) == 10
    assert len(list(run(reasoner.plan, dictionary, stream, WindowPlan(10, 20, 0, 200), begun.state))) == 5
    with pytest.raises(HoldsforError, match="reaches back"):
        list(run(reasoner.plan, dictionary, stream, WindowPlan(50, 10, 0, 200), begun.state))


def test_reports_that_go_on_are_joined() -> None:
    """Input fluents given point by point do not pile up in the state."""
    reasoner = loads("initiatedAt(f(X)=true, T) :- happensAt(start(speed(X)=N), T).")
    dictionary = Dictionary()
    records = [
        InputInterval(Compound("speed", (Const("x"),)), Const(1), time, time + 1, time, is_point=True)
        for time in range(200)
    ]
    stream = from_records(records, reasoner.analysis.entities, dictionary)
    begun = Run(reasoner.plan, dictionary, stream, WindowPlan(50, 10, -1, 199))
    sizes = [begun.state.kept.rows() for _ in begun]
    assert max(sizes) <= 4
