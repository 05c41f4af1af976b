"""Every RTEC conformance case on the columnar engine, at its own window setting: from scratch, and by what changes."""

from pathlib import Path

import pytest

from holdsfor import HoldsforError, load
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.report import event_rows, interval_rows
from holdsfor.engine.retention import retention
from holdsfor.engine.stream import from_records
from holdsfor.engine.windows import WindowPlan
from holdsfor.incremental.run import Choice, IncrementalRun
from tests.conformance.rtec_cases import load_case, parameters
from tests.strategies.recorded import RowReader


@pytest.mark.parametrize("choice", [Choice.NEVER, Choice.ALWAYS])
@pytest.mark.parametrize("folder", parameters("engine"))
def test_case(folder: Path, choice: Choice) -> None:
    case = load_case(folder)
    reasoner = load(case.rules)
    stream = RowReader(reasoner.analysis).read([case.stream])
    assert len(stream.malformed) == case.malformed
    dictionary = Dictionary()
    columns = from_records(stream.records, reasoner.analysis.entities, dictionary)
    windows = WindowPlan(case.window, case.step, case.start, case.end)
    if choice is Choice.ALWAYS and retention(reasoner.plan).back:
        # Such rules need hindsight: there is one way only, and whoever asks for the other is told.
        with pytest.raises(HoldsforError, match="always worked out from scratch"):
            list(IncrementalRun(reasoner.plan, dictionary, columns, windows, choice=choice))
        return
    answers = list(IncrementalRun(reasoner.plan, dictionary, columns, windows, choice=choice))
    rows = interval_rows(answers, dictionary)
    assert len(rows) == len(set(rows))
    assert {(r.query_time, r.fluent, r.value, r.start, r.end) for r in rows} == case.intervals
    if case.events is not None:
        events = event_rows(answers, dictionary)
        assert {(r.query_time, r.event, r.time) for r in events} == case.events
