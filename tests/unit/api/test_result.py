"""What can be done with a result."""

from unittest.mock import patch

import pyarrow as pa
import pytest

from holdsfor import HoldsforError, Result, loads

RULES = """
initiatedAt(open(D,F)=true, T) :- happensAt(unlock(D,F), T).
terminatedAt(open(D,F)=true, T) :- happensAt(lock(D,F), T).
initiatedAt(level(D)=N, T) :- happensAt(set(D,N), T).
happensAt(opened(D), T) :- happensAt(start(open(D,_)=true), T).
holdsFor(quiet(D)=true, I) :- holdsFor(level(D)=1, I1), complement_all([I1], I).
"""
EVENTS = {"unlock": [(1, "front", 0), (9, "b<ck", 2)], "lock": [(5, "front", 0)], "set": [(3, 7, 2.5), (4, 7, 1)]}


@pytest.fixture(scope="module")
def result() -> Result:
    return loads(RULES).recognise(EVENTS)


def test_arrow(result: Result) -> None:
    table = result.to_arrow()
    assert table.column_names == ["query_time", "fluent", "value", "start", "end"]
    assert table.to_pylist()[-3:] == [
        {"query_time": 9, "fluent": "open('b<ck',2)", "value": "true", "start": 10, "end": None},
        {"query_time": 9, "fluent": "open(front,0)", "value": "true", "start": 2, "end": 6},
        {"query_time": 9, "fluent": "quiet(7)", "value": "true", "start": None, "end": 5},
    ]
    assert len(table) == len(result) == len(list(result)) == 5
    assert pa.table(result) == table


def test_rows_have_infinite_ends(result: Result) -> None:
    row = next(iter(result["open"]))
    assert (row.query_time, row.fluent, row.value, row.start, row.end) == (
        9,
        "open('b<ck',2)",
        "true",
        10,
        float("inf"),
    )


def test_one_fluent(result: Result) -> None:
    assert [row.fluent for row in result["open"]] == ["open('b<ck',2)", "open(front,0)"]
    assert result.fluents == ["level", "open", "quiet"]
    with pytest.raises(HoldsforError, match="no fluent is called 'opne'; did you mean open"):
        result["opne"]


def test_arguments_in_columns_of_their_own(result: Result) -> None:
    table = result["open"].to_arrow(split=True)
    assert table.column_names == ["query_time", "d", "f", "value", "start", "end"]
    assert sorted(table.to_pylist(), key=lambda row: row["start"]) == [
        {"query_time": 9, "d": "front", "f": 0, "value": "true", "start": 2, "end": 6},
        {"query_time": 9, "d": "b<ck", "f": 2, "value": "true", "start": 10, "end": None},
    ]
    levels = result["level"].to_arrow(split=True)
    assert (levels.schema.field("d").type, levels.schema.field("value").type) == (pa.int64(), pa.float64())
    with pytest.raises(HoldsforError, match=r"choose one: result\[name\]"):
        result.to_arrow(split=True)
    assert len(result.holds_at(-99)["open"].to_arrow(split=True)) == 0


def test_what_holds_at_a_time_point(result: Result) -> None:
    def holding(time: int) -> list[str]:
        return [f"{row.fluent}={row.value}" for row in result.holds_at(time)]

    assert holding(1) == ["quiet(7)=true"]
    assert holding(4) == ["level(7)=2.5", "open(front,0)=true", "quiet(7)=true"]
    assert holding(100) == ["level(7)=1", "open('b<ck',2)=true"]


def test_the_last_window_that_has_a_time_point_is_asked() -> None:
    late = {"unlock": {"time": [1, 8], "arrival": [1, 12], "door": ["a", "b"], "floor": [0, 0]}}
    result = loads(RULES).recognise({**late, "lock": [(2, "a", 0)]}, window=10, step=5, start=0, end=20)
    assert [row.fluent for row in result.holds_at(9)["open"]] == ["open(b,0)"]
    assert [row.fluent for row in result.holds_at(2)["open"]] == ["open(a,0)"]


def test_derived_events(result: Result) -> None:
    assert result.derived_events.to_pylist() == [
        {"query_time": 9, "event": "opened('b<ck')", "time": 9},
        {"query_time": 9, "event": "opened(front)", "time": 1},
    ]


def test_repr(result: Result) -> None:
    assert repr(result["level"]) == (
        "2 intervals at 1 query time\n"
        "query_time  fluent    value  start  end\n"
        "         9  level(7)  1          5  inf\n"
        "         9  level(7)  2.5        4    5"
    )
    many = loads(RULES).recognise({"unlock": [(1, f"d{number}", 0) for number in range(12)]})["open"]
    assert repr(many).endswith("\n… and 2 more")
    assert repr(loads(RULES).recognise({})) == "0 intervals at 1 query time"


def test_html_is_escaped(result: Result) -> None:
    html = result._repr_html_()
    assert "<td>open(&#x27;b&lt;ck&#x27;,2)</td>" in html
    assert "<th>query time</th>" in html
    assert html.count("<tr>") == 6


def test_skipped_rows_are_mentioned() -> None:
    with pytest.warns(UserWarning, match=r"1 malformed row skipped, first events\['set'\]:1: time is no"):
        result = loads(RULES).recognise({"set": [(None, 1, 1)]})
    assert repr(result) == "0 intervals at 1 query time (1 malformed row skipped)"


def test_pandas_and_polars(result: Result) -> None:
    pandas = pytest.importorskip("pandas")
    frame = result["open"].to_pandas()
    assert frame["end"].isna().tolist() == [True, False]
    assert frame["start"].dtype == pandas.Int64Dtype()
    polars = pytest.importorskip("polars")
    assert result["open"].to_polars()["end"].to_list() == [None, 6]
    assert polars.DataFrame(result).shape == (5, 5)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_missing_library_is_named(result: Result, library: str) -> None:
    with (
        patch.dict("sys.modules", {library: None}),
        pytest.raises(HoldsforError, match=rf"to_{library}\(\) needs {library}.*pip install 'holdsfor\[{library}\]'"),
    ):
        getattr(result, f"to_{library}")()
