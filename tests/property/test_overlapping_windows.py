"""Windows worked out by what changes = worked out from scratch, at every query time, whichever way each one is gone."""

from __future__ import annotations

from itertools import cycle

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from holdsfor.compiler.plan import Method
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.report import event_rows, interval_rows
from holdsfor.engine.run import Run
from holdsfor.engine.step import Answer
from holdsfor.engine.stream import from_records
from holdsfor.engine.variants import NotSupported
from holdsfor.engine.windows import WindowPlan
from holdsfor.incremental import parts, windowed
from holdsfor.incremental.run import Choice, IncrementalRun
from holdsfor.logic.arithmetic import EvaluationError
from tests.strategies.engine_runs import Scenario, scenarios
from tests.strategies.scenarios import WINDOWED

LATE = 12
WAYS = st.lists(st.booleans(), min_size=1, max_size=6)
"""Which query times are worked out by what changes, over and over."""
BORDERS = st.booleans()
"""Whether old panes become one."""


def _told(answers: list[Answer], dictionary: Dictionary) -> list[tuple[object, ...]]:
    return [
        (one.query_time, one.conflicts, interval_rows([one], dictionary), event_rows([one], dictionary))
        for one in answers
    ]


def check(one: Scenario, ways: list[bool], *, is_merging: bool) -> None:
    plan, span = one.reasoner.plan, one.span
    assume(not any(stratum.method is Method.METRIC for stratum in plan.strata))
    windows = None if span is None else WindowPlan(int(span.size), span.step, span.start, span.end)
    dictionary = Dictionary()
    stream = from_records(one.records, one.reasoner.analysis.entities, dictionary)
    try:
        wanted = _told(list(Run(plan, dictionary, stream, windows)), dictionary)
    except (NotSupported, EvaluationError):
        assume(False)
        raise
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windowed, "PANE_COST", 1e9 if is_merging else 0)
        patch.setattr(parts, "SPARSE", 32 if is_merging else 0)
        way = cycle(ways)
        patch.setattr(IncrementalRun, "_is_incremental", lambda *_: next(way))
        run = IncrementalRun(plan, dictionary, stream, windows, choice=Choice.ALWAYS)
        assert _told(list(run), dictionary) == wanted


@settings(max_examples=60)
@given(scenarios(WINDOWED, windowed=True, late=LATE), WAYS, BORDERS)
def test_either_way(one: Scenario, ways: list[bool], is_merging: bool) -> None:
    check(one, ways, is_merging=is_merging)


@pytest.mark.slow
@settings(max_examples=6_000)
@given(scenarios(WINDOWED, windowed=True, late=LATE), WAYS, BORDERS)
def test_either_way_at_length(one: Scenario, ways: list[bool], is_merging: bool) -> None:
    check(one, ways, is_merging=is_merging)
