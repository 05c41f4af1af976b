"""Tables in memory."""

import math
from typing import Any

import pyarrow as pa
import pytest

from holdsfor import HoldsforError, loads
from holdsfor.io.frames import read_frames
from holdsfor.io.records import records
from holdsfor.reference.history import InputInterval, Occurrence
from holdsfor.syntax.terms import Compound, Const

RULES = """
initiatedAt(a(X)=true, T) :- happensAt(e(X,_), T), happensAt(tick, T).
holdsFor(b(X)=true, I) :- holdsFor(f(X)=low, I).
"""
ENTITIES = loads(RULES).analysis.entities
E = {"time": [1, 2], "arrival": [3, 4], "x": ["a", "b"], "y": [5, 6]}
EXPECTED = [Occurrence(Compound("e", (Const(x), Const(y))), t, s) for t, s, x, y in zip(*E.values(), strict=True)]


def rows(frames: dict[str, Any]) -> list[object]:
    reading = read_frames(frames, ENTITIES)
    assert reading.rejects.count == 0
    return records(reading.stream, reading.dictionary)


def test_arrow_tables_and_columns() -> None:
    table = pa.table(E)
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    for frame in (E, table, table.to_batches()[0], reader):
        assert rows({"e": frame}) == EXPECTED


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_data_frames(library: str) -> None:
    module = pytest.importorskip(library)
    assert rows({"e": module.DataFrame(E)}) == EXPECTED


def test_a_pandas_index_is_no_argument() -> None:
    pandas = pytest.importorskip("pandas")
    assert rows({"e": pandas.DataFrame(E, index=["p", "q"])}) == EXPECTED


def test_categories_are_text() -> None:
    pandas = pytest.importorskip("pandas")
    assert rows({"e": pandas.DataFrame({**E, "x": pandas.Categorical(E["x"])})}) == EXPECTED
    polars = pytest.importorskip("polars")
    assert rows({"e": polars.DataFrame(E).with_columns(polars.col("x").cast(polars.Categorical))}) == EXPECTED


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    assert rows({"e": duckdb.from_arrow(pa.table(E))}) == EXPECTED


def test_lists_of_tuples_and_dicts() -> None:
    assert rows({"e": [(1, "a", 5), (2, "b", 6)]}) == [
        Occurrence(Compound("e", (Const("a"), Const(5))), 1, 1),
        Occurrence(Compound("e", (Const("b"), Const(6))), 2, 2),
    ]
    assert rows({"e": [dict(zip(E, row, strict=True)) for row in zip(*E.values(), strict=True)]}) == EXPECTED
    assert rows({"tick": [(5,)]}) == [Occurrence(Const("tick"), 5, 5)]
    assert rows({"e": []}) == []


def test_columns_that_mix_text_and_numbers() -> None:
    assert rows({"e": [(1, "a", 5), (2, 7, 6)]})[1] == Occurrence(Compound("e", (Const(7), Const(6))), 2, 2)


def test_input_fluents() -> None:
    fluent = Compound("f", (Const("p"),))
    expected = [InputInterval(fluent, Const("low"), 1, 5, 1), InputInterval(fluent, Const("low"), 7, math.inf, 7)]
    assert rows({"f": [(1, 5, "low", "p"), (7, None, "low", "p")]}) == expected
    assert rows({"f": {"start": [1, 7], "end": [5, None], "value": ["low"] * 2, "x": ["p"] * 2}}) == expected
    points = rows({"f": {"time": [3], "value": ["low"], "x": ["p"]}})
    assert points == [InputInterval(fluent, Const("low"), 3, 4, 3, is_point=True)]
    always_true = rows({"f": {"start": [1], "end": [2], "x": ["p"]}})
    assert always_true == [InputInterval(fluent, Const("true"), 1, 2, 1)]


def test_bad_rows_are_counted() -> None:
    reading = read_frames({"e": [(1, "a", 5), (None, "b", 6), (3, None, 7)], "zz": [(1,)]}, ENTITIES)
    assert (reading.rows, reading.rejects.count, reading.unknown) == (4, 2, {"zz": 1})
    assert str(reading.rejects.first[0]).startswith("events['e']:2: time is no whole number or timestamp")


class Lazy:
    def collect(self) -> None: ...


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (5, r"events\['e'\] is a int; give a pandas, polars or Arrow table"),
        ("text", r"events\['e'\] is a str"),
        (Lazy(), r"has not been computed yet; call \.collect\(\) on it"),
        ([(1, "a")], r"events\['e'\]: e takes 2 arguments in the rules; here it has 1"),
        ([(1, "a", 2), (1, "a")], "its rows have 2 or 3 members"),
        ([()], r"its rows are \(time, arguments…\)"),
        ([1, 2], "is not a table"),
        ({"when": [1], "x": [1], "y": [1]}, "needs a column `time`; it has when, x, y"),
        ({"time": [1], "x": [1, 2]}, "is not a table"),
    ],
)
def test_mistakes_are_explained(frame: object, message: str) -> None:
    with pytest.raises(HoldsforError, match=message):
        read_frames({"e": frame}, ENTITIES)
