"""Every RTEC conformance case in a live session: rows are pushed as they arrive, and every query time is asked."""

from pathlib import Path

import pytest

from holdsfor import load
from holdsfor.columns.stream import from_records
from holdsfor.columns.windows import WindowPlan
from holdsfor.session import Session
from tests.conformance.rtec_cases import load_case, parameters
from tests.strategies.batches import NEVER, Batches
from tests.strategies.recorded import RowReader


@pytest.mark.parametrize("folder", parameters("session"))
def test_case(folder: Path) -> None:
    case = load_case(folder)
    reasoner = load(case.rules)
    session = Session(reasoner.plan, case.window, case.start)
    stream = from_records(
        RowReader(reasoner.analysis).read([case.stream]).records, reasoner.analysis.entities, session.dictionary
    )
    windows = WindowPlan(case.window, case.step, case.start, case.end)
    batches = Batches(stream, windows, windows.query_times, NEVER)
    for place, query in enumerate(windows.query_times.tolist()):
        session.push(batches.of(place))
        answer = session.query(query)
        wanted = {row for row in case.intervals if row[0] == query}
        assert {(r.query_time, r.fluent, r.value, r.start, r.end) for r in answer} == wanted
