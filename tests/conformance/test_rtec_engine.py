"""Every RTEC conformance case on the engine, at its own window setting, with one thread and with two."""

from pathlib import Path

import pytest

from holdsfor import load
from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.report import event_rows, interval_rows
from holdsfor.columns.stream import from_records
from holdsfor.columns.windows import WindowPlan
from holdsfor.core.run import RecordedRun
from tests.conformance.rtec_cases import load_case, parameters
from tests.strategies.recorded import RowReader


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("folder", parameters("engine"))
def test_case(folder: Path, threads: int) -> None:
    case = load_case(folder)
    reasoner = load(case.rules)
    stream = RowReader(reasoner.analysis).read([case.stream])
    assert len(stream.malformed) == case.malformed
    dictionary = Dictionary()
    columns = from_records(stream.records, reasoner.analysis.entities, dictionary)
    windows = WindowPlan(case.window, case.step, case.start, case.end)
    answers = list(RecordedRun(reasoner.plan, dictionary, columns, windows, threads=threads))
    rows = interval_rows(answers, dictionary)
    assert len(rows) == len(set(rows))
    assert {(r.query_time, r.fluent, r.value, r.start, r.end) for r in rows} == case.intervals
    if case.events is not None:
        events = event_rows(answers, dictionary)
        assert {(r.query_time, r.event, r.time) for r in events} == case.events
