"""Recognising from Python."""

import subprocess
import sys
from pathlib import Path

import pytest

import holdsfor
from holdsfor import HoldsforError, ProgramError, load, loads

RULES = """
initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).
terminatedAt(open(D)=true, T) :- happensAt(lock(D), T).
happensAt(opened(D), T) :- happensAt(start(open(D)=true), T).
"""
EVENTS = {"unlock": [(1, "front"), (9, "back")], "lock": [(5, "front")]}
ROWS = [("open(back)", "true", 10, float("inf")), ("open(front)", "true", 2, 6)]


def rows(result: holdsfor.Result) -> list[tuple[str, str, float, float]]:
    return [(row.fluent, row.value, row.start, row.end) for row in result]


def test_from_tables() -> None:
    assert rows(loads(RULES).recognise(EVENTS)) == ROWS


def test_from_files(tmp_path: Path) -> None:
    rules, one, two = tmp_path / "r.prolog", tmp_path / "one.csv", tmp_path / "two.csv"
    rules.write_text(RULES)
    one.write_text("unlock|1|1|front\nlock|5|5|front\n")
    two.write_text("unlock|9|9|back\n")
    reasoner = load(rules)
    assert rows(reasoner.recognise([one, str(two)])) == ROWS
    assert rows(reasoner.recognise(str(two))) == ROWS[:1]


def test_with_a_mapping(tmp_path: Path) -> None:
    table = tmp_path / "doors.csv"
    table.write_text("what,when,door\nunlock,1,front\nlock,5,front\nunlock,9,back\n")
    mapping = {"name": "what", "time": "when", "event": {"unlock": {"args": ["door"]}, "lock": {"args": ["door"]}}}
    assert rows(loads(RULES).recognise(table, mapping=mapping)) == ROWS


def test_windows() -> None:
    result = loads(RULES).recognise(EVENTS, window=5, start=0, end=10)
    assert result.query_times == [5, 10]
    assert [row.query_time for row in result] == [5, 10]
    assert len(loads(RULES).recognise(EVENTS, step=3, start=0).query_times) == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": 0}, "the window must be at least one time-point, not 0"),
        ({"step": -1}, "the step must be at least one time-point, not -1"),
        ({"start": 5, "end": 3}, "end 3 lies before start 5"),
    ],
)
def test_impossible_windows(options: dict[str, int], message: str) -> None:
    with pytest.raises(HoldsforError, match=message):
        loads(RULES).recognise(EVENTS, **options)


def test_no_events_at_all() -> None:
    assert rows(loads(RULES).recognise({})) == []
    assert rows(loads("initially(a=true).").recognise({})) == [("a", "true", 0, float("inf"))]


def test_background_from_files_and_tables(tmp_path: Path) -> None:
    rules = "initiatedAt(in(V,K)=true, T) :- happensAt(enters(V,A), T), areaType(A,K)."
    facts = tmp_path / "facts.prolog"
    facts.write_text("areaType(bay, fishing).")
    events = {"enters": [(1, "tern", "bay"), (2, "tern", "quay")]}
    assert rows(loads(rules, background=facts).recognise(events)) == [("in(tern,fishing)", "true", 2, float("inf"))]
    with_both = loads(rules, background=[facts]).recognise(events, background={"areaType": [("quay", "port")]})
    assert [row.fluent for row in with_both] == ["in(tern,fishing)", "in(tern,port)"]
    with pytest.raises(ProgramError, match="areaType"):
        loads(rules)
    with pytest.raises(HoldsforError, match="argument 2 is missing"):
        loads(rules, background={"areaType": [("quay", None)]})


def test_the_summary_says_what_became_of_the_rows() -> None:
    events = {
        "unlock": {"time": [1, 2, 30, 99], "arrival": [1, 29, 30, 99], "door": list("abcd")},
        "lock": [(None, "a")],
        "mystery": [(1,), (2,)],
    }
    with pytest.warns(UserWarning) as said:
        summary = loads(RULES).recognise(events, window=10, start=0, end=30).summary
    assert [str(warning.message).partition(";")[0].partition(",")[0] for warning in said] == [
        "no rule reads an event or input fluent called 'mystery'",
        "1 malformed row skipped",
    ]
    assert (summary.read, summary.unknown, summary.malformed) == (4, {"mystery": 2}, 1)
    assert (summary.used, summary.late, summary.outside) == (2, 1, 1)
    assert (summary.query_times, summary.derived_events) == (3, 2)


def test_late_input_fluents_are_counted() -> None:
    rules = "holdsFor(b=true, I) :- holdsFor(f=true, I)."
    fluent = {"start": [1, 1, 25], "end": [5, 25, 40], "arrival": [22, 22, 22]}
    summary = loads(rules).recognise({"f": fluent}, window=10, start=0, end=30).summary
    assert (summary.used, summary.late, summary.outside) == (2, 1, 0)


def test_strict() -> None:
    with pytest.raises(HoldsforError, match="is no whole number or timestamp"):
        loads(RULES).recognise({"lock": [(None, "a")]}, strict=True)


def test_importing_does_not_import_the_data_libraries() -> None:
    code = "import sys, holdsfor; print([m for m in ('numpy', 'pyarrow', 'pandas', 'numba') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_public_names() -> None:
    assert all(hasattr(holdsfor, name) for name in holdsfor.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = holdsfor.nothing
