"""Windows worked out by what changes = worked out from scratch, at every query time, whichever way each one is gone."""

from __future__ import annotations

from itertools import cycle

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.plan import Method
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.report import event_rows, interval_rows
from holdsfor.engine.run import Run
from holdsfor.engine.step import Answer
from holdsfor.engine.stream import EventColumns, FluentColumns, Stream, from_records
from holdsfor.engine.variants import NotSupported
from holdsfor.engine.windows import WindowPlan
from holdsfor.incremental import parts, windowed
from holdsfor.incremental.calm import is_calm
from holdsfor.incremental.run import Choice, IncrementalRun
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.spreading.stages import stage_plan
from tests.strategies.as_read import as_read
from tests.strategies.engine_runs import Scenario, scenarios
from tests.strategies.scenarios import WINDOWED

LATE = 12
WAYS = st.lists(st.booleans(), min_size=1, max_size=6)
"""Which query times are worked out by what changes, over and over."""
BORDERS = st.booleans()
"""Whether old panes become one."""


def told(answers: list[Answer], dictionary: Dictionary) -> list[tuple[object, ...]]:
    """Everything that answers say."""
    return [
        (one.query_time, one.conflicts, interval_rows([one], dictionary), event_rows([one], dictionary))
        for one in answers
    ]


def check(one: Scenario, ways: list[bool], *, is_merging: bool) -> None:
    plan, span = one.reasoner.plan, one.span
    assume(not any(stratum.method is Method.METRIC for stratum in plan.strata))
    windows = None if span is None else WindowPlan(int(span.size), span.step, span.start, span.end)
    dictionary = Dictionary()
    coded = from_records(one.records, one.reasoner.analysis.entities, dictionary)
    stream = as_read(coded, one.reasoner, dictionary)
    try:
        wanted = told(list(Run(plan, dictionary, stream, windows)), dictionary)
    except (NotSupported, EvaluationError):
        assume(False)
        raise
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windowed, "PANE_COST", 1e9 if is_merging else 0)
        patch.setattr(parts, "SPARSE", 32 if is_merging else 0)
        way = cycle(ways)
        patch.setattr(IncrementalRun, "_is_incremental", lambda *_: next(way))
        run = IncrementalRun(plan, dictionary, stream, windows, choice=Choice.ALWAYS)
        assert told(list(run), dictionary) == wanted


@settings(max_examples=40)
@given(scenarios(WINDOWED, windowed=True, late=LATE), WAYS, BORDERS)
def test_either_way(one: Scenario, ways: list[bool], is_merging: bool) -> None:
    check(one, ways, is_merging=is_merging)


@pytest.mark.slow
@settings(max_examples=6_000)
@given(scenarios(WINDOWED, windowed=True, late=LATE), WAYS, BORDERS)
def test_either_way_at_length(one: Scenario, ways: list[bool], is_merging: bool) -> None:
    check(one, ways, is_merging=is_merging)


CALM = """
initiatedAt(on(V)=true, T) :- happensAt(up(V), T).
terminatedAt(on(V)=true, T) :- happensAt(down(V), T).
initiatedAt(slow(V)=true, T) :- happensAt(brakes(V), T), holdsAt(on(V)=true, T).
terminatedAt(slow(V)=true, T) :- happensAt(down(V), T).
fi(slow(V)=true, slow(V)=false, 7).
p(slow(_V)=true).
initiatedAt(seen(V)=true, T) :- happensAt(start(on(V)=true), T).
terminatedAt(seen(V)=true, T) :- happensAt(end(slow(V)=true), T).
holdsFor(quick(V)=true, I) :- holdsFor(on(V)=true, I1), holdsFor(slow(V)=true, I2), relative_complement_all(I1, [I2], I).
holdsFor(meeting(V,W)=true, I) :-
    holdsFor(near(V,W)=true, I0), holdsFor(quick(V)=true, I1), holdsFor(slow(W)=true, I2), intersect_all([I0,I1,I2], I).
happensAt(called(V,W), T) :- happensAt(calls(V,W), T), holdsAt(seen(V)=true, T).
initiatedAt(known(V,W)=true, T) :- happensAt(called(V,W), T).
terminatedAt(known(V,W)=true, T) :- happensAt(end(meeting(V,W)=true), T).
"""
"""Several stages, by one vessel and by two of them, of which nothing has to be known but what holds and is under way."""
ROWS = st.lists(
    st.tuples(
        st.sampled_from(("up", "up", "down", "brakes", "brakes", "calls", "near")),
        st.integers(0, 2),
        st.integers(0, 2),
        st.integers(1, 60),
        st.one_of(st.just(0), st.integers(0, 30)),
        st.integers(1, 12),
    ),
    max_size=60,
)


def calm_stream(rows: list[tuple[str, int, int, int, int, int]], dictionary: Dictionary) -> Stream:
    found, codes = Stream(), dictionary.encode(range(3))
    for name, arity in (("up", 1), ("down", 1), ("brakes", 1), ("calls", 2), ("near", 2)):
        mine = np.array([row[1:] for row in rows if row[0] == name], np.int64).reshape(-1, 5)
        if not len(mine):
            continue
        mine = mine[np.argsort(mine[:, 2] + mine[:, 3], kind="stable")]
        args, time = tuple(codes[mine[:, place]] for place in range(arity)), mine[:, 2]
        if name == "near":
            true, is_point = np.full(len(mine), dictionary.code("true")), np.zeros(len(mine), np.bool_)
            table = FluentColumns(args, true, time, time + mine[:, 4], time + mine[:, 3], is_point)
            found.fluents[Symbol(EntityKind.FLUENT, name, 2)] = table
        else:
            found.events[Symbol(EntityKind.EVENT, name, arity)] = EventColumns(args, time, time + mine[:, 3])
    return found


def check_calm(rows: list[tuple[str, int, int, int, int, int]], span: tuple[int, int], ways: list[bool]) -> None:
    plan, dictionary = loads(CALM).plan, Dictionary()
    assert is_calm(plan, stage_plan(plan, tied=False).stages)
    stream, windows = calm_stream(rows, dictionary), WindowPlan(max(span), min(span), 0, 64)
    wanted = told(list(Run(plan, dictionary, stream, windows)), dictionary)
    with pytest.MonkeyPatch.context() as patch:
        way = cycle(ways)
        patch.setattr(IncrementalRun, "_is_incremental", lambda *_: next(way))
        run = IncrementalRun(plan, dictionary, stream, windows, choice=Choice.ALWAYS)
        assert told(list(run), dictionary) == wanted


SPANS = st.tuples(st.integers(1, 40), st.integers(1, 40))


@settings(max_examples=50)
@given(ROWS, SPANS, WAYS)
def test_calm(rows: list[tuple[str, int, int, int, int, int]], span: tuple[int, int], ways: list[bool]) -> None:
    check_calm(rows, span, ways)


@pytest.mark.slow
@settings(max_examples=10_000)
@given(ROWS, SPANS, WAYS)
def test_calm_at_length(
    rows: list[tuple[str, int, int, int, int, int]], span: tuple[int, int], ways: list[bool]
) -> None:
    check_calm(rows, span, ways)
