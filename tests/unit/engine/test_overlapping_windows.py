"""Which way windows that overlap are gone, and that a run can be gone on with from its state."""

from __future__ import annotations

import numpy as np
import pytest

from holdsfor import loads
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.diagnostics import HoldsforError, Source
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.report import interval_rows
from holdsfor.engine.run import Run
from holdsfor.engine.stream import EventColumns, Stream
from holdsfor.engine.windows import WindowPlan
from holdsfor.incremental.run import Choice, IncrementalRun
from holdsfor.loading import from_sources

RULES = """
initiatedAt(on(X)=true, T) :- happensAt(up(X), T).
terminatedAt(on(X)=true, T) :- happensAt(down(X), T).
holdsFor(lit(X)=true, I) :- holdsFor(on(X)=true, I1), union_all([I1], I).
"""
STEP = 1_000


def stream(dictionary: Dictionary, rows: int, keys: int, delayed: float) -> Stream:
    random = np.random.default_rng(5)
    codes, found = dictionary.encode(range(keys)), Stream()
    for name in ("up", "down"):
        time = random.integers(1, 16 * STEP, rows)
        arrival = time + np.where(random.random(rows) < delayed, random.integers(0, 2 * STEP, rows), 0)
        found.events[Symbol(EntityKind.EVENT, name, 1)] = EventColumns(
            (codes[random.integers(0, keys, rows)],), time, arrival
        )
    return found


def test_a_wide_window_with_few_late_events_goes_by_what_changed() -> None:
    dictionary, plan = Dictionary(), loads(RULES).plan
    found = stream(dictionary, 150_000, 20_000, 0.02)
    run = IncrementalRun(plan, dictionary, found, WindowPlan(10 * STEP, STEP, 0, 14 * STEP))
    conflicts = [answer.conflicts for answer in run]
    assert run.work.incremental > 4
    assert run.work.occurrences < 4 * 300_000
    assert conflicts == [answer.conflicts for answer in Run(plan, dictionary, found, run.windows)]


def test_many_late_events_go_from_scratch() -> None:
    dictionary, plan = Dictionary(), loads(RULES).plan
    found = stream(dictionary, 30_000, 500, 0.8)
    run = IncrementalRun(plan, dictionary, found, WindowPlan(10 * STEP, STEP, 0, 14 * STEP))
    assert len(list(run)) == run.work.from_scratch


def test_going_on_from_a_state() -> None:
    dictionary, plan = Dictionary(), loads(RULES).plan
    found = stream(dictionary, 2_000, 50, 0.3)
    wanted = list(Run(plan, dictionary, found, WindowPlan(4 * STEP, STEP, 0, 16 * STEP)))
    first = IncrementalRun(plan, dictionary, found, WindowPlan(4 * STEP, STEP, 0, 8 * STEP), choice=Choice.ALWAYS)
    answers = list(first)
    answers += Run(plan, dictionary, found, WindowPlan(4 * STEP, STEP, 0, 16 * STEP), first.state)
    assert [answer.query_time for answer in answers] == [answer.query_time for answer in wanted]
    assert interval_rows(answers, dictionary) == interval_rows(wanted, dictionary)


def test_metric_rules_go_from_scratch() -> None:
    sources = [Source("rules.prolog", RULES), Source("rules.dmtl", "Was(X) :- Diamondminus[0,5] On(X, true) .")]
    plan, dictionary = from_sources(sources).plan, Dictionary()
    found = stream(dictionary, 100, 5, 0.3)
    windows = WindowPlan(4 * STEP, STEP, 0, 8 * STEP)
    with pytest.raises(HoldsforError, match="metric rules"):
        IncrementalRun(plan, dictionary, found, windows, choice=Choice.ALWAYS)
    run = IncrementalRun(plan, dictionary, found, windows)
    assert len(list(run)) == run.work.from_scratch


def test_what_is_known_later_counts_from_when_it_was() -> None:
    rules = """
    initiatedAt(on(X)=true, T) :- happensAt(a(X), T).
    terminatedAt(on(X)=true, T) :- happensAt(b(X), T).
    limit(10).
    holdsFor(long(X)=true, I) :- holdsFor(on(X)=true, I1), limit(D), intDurGreater(I1, D, I).
    initiatedAt(since(X)=true, T) :- happensAt(start(long(X)=true), T).
    terminatedAt(since(X)=true, T) :- happensAt(c(X), T).
    """
    events = {"a": [(1, "k")], "b": [(25, "k")], "c": [(40, "k")]}
    for window in (5, 10, 20, 100):
        result = loads(rules).recognise(events, window=window, step=5, start=0, end=40)
        assert [(row.start, row.end) for row in result["since"] if row.query_time == 40] == [(2, 41)]
