"""Metric facts from tables."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from holdsfor.columns.dictionary import Dictionary
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.mapping import make_mapping
from holdsfor.io.metric_frames import facts_from_frames, read_metric_tables
from holdsfor.io.rejects import Rejects
from tests.unit.io.test_metric_text import fact_texts


def frames(**tables: Any) -> tuple[list[str], list[str]]:
    dictionary, rejects = Dictionary(), Rejects()
    found = facts_from_frames(tables, dictionary, rejects)
    return fact_texts(found, dictionary), [row.reason for row in rejects.first]


def test_tuples_and_dicts() -> None:
    rows = [(1, "a", 2), (0.5, "b", 3), (Fraction(1, 3), "c d", 2)]
    assert frames(P=rows)[0] == ["P('c d',2)@1/3", "P(a,2)@1", "P(b,3)@0.5"]
    assert frames(P=[{"start": 1, "end": 2, "x": "a"}, {"start": 2, "end": None, "x": 7}])[0] == [
        "P(7)@[2,inf)",
        "P(a)@[1,2]",
    ]
    assert frames(P=[(1,), (2,)], Q=[])[0] == ["P@1", "P@2"]


@pytest.mark.parametrize(
    "column",
    [
        [0.1, 2.0, 0.25],
        ["0.1", " 2", "1/4"],
        [Decimal("0.10"), Decimal(2), Decimal("0.25")],
        pa.array([0.1, 2.0, 0.25], pa.float64()).dictionary_encode(),
    ],
)
def test_kinds_of_times(column: Any) -> None:
    assert frames(P=pa.table({"time": column}))[0] == ["P@0.1", "P@0.25", "P@2"]


def test_timestamps_and_other_libraries() -> None:
    table = pl.DataFrame({"who": ["a"], "time": ["2020-01-01"]}).with_columns(pl.col("time").str.to_datetime())
    assert frames(P=table)[0] == ["P(a)@1577836800"]


def test_whether_the_ends_belong_to_the_interval() -> None:
    table = pa.table(
        {
            "start": [1, 1, None, 1.5],
            "end": [2, 2, 3, math.inf],
            "start_closed": [True, False, True, None],
            "end_closed": [False, True, True, True],
        }
    )
    assert frames(P=table)[0] == ["P@(-inf,3]", "P@(1,2]", "P@[1,2)", "P@[1.5,inf)"]


def test_arguments_keep_their_types() -> None:
    table = pa.table({"time": [1, 1], "a": ["7", "x"], "b": [7.0, 1.5], "c": [True, False]})
    assert frames(P=table)[0] == ["P('7',7,true)@1", "P(x,1.5,false)@1"]


def test_rows_that_are_no_facts() -> None:
    table = pa.table({"start": [3, 1, 1, 1], "end": ["2", "x", "2", "2"], "who": ["a", "b", None, "d"]})
    shown, reasons = frames(P=table)
    assert shown == ["P(d)@[1,2]"]
    assert sorted(reasons) == ["end is no number or date in range", "the interval is empty", "who is missing"]
    assert frames(P=pa.table({"time": [1.5, math.nan, math.inf, None]})) == (
        ["P@1.5"],
        ["time is no number or date in range", "time is infinite", "time is no number or date in range"],
    )


def test_tables_that_cannot_be_read() -> None:
    with pytest.raises(HoldsforError, match="needs a column `time`"):
        frames(P=pa.table({"when": [1]}))
    with pytest.raises(HoldsforError, match="has the type"):
        frames(P=pa.table({"time": [1], "x": [[1]]}))
    with pytest.raises(HoldsforError, match="true or false"):
        frames(P=pa.table({"start": [1], "end": [2], "end_closed": [1]}))


def test_files_by_a_mapping(tmp_path: Path) -> None:
    mapping = make_mapping(
        {
            "event": {"Ping": {"file": "*.csv", "time": "ts", "args": ["who"], "where": {"kind": "ping"}}},
            "fluent": {"Up": {"file": "*.parquet", "start": "since", "end": "until", "args": ["who"]}},
        }
    )
    (tmp_path / "a.csv").write_text("ts,who,kind\n0.5,007,ping\n1,b,pong\nx,c,ping\n")
    pq.write_table(pa.table({"since": [1.5], "until": [2.0], "who": ["b"]}), tmp_path / "b.parquet")
    dictionary, rejects = Dictionary(), Rejects()
    found = read_metric_tables(sorted(tmp_path.iterdir()), mapping, dictionary, rejects)
    assert fact_texts(found, dictionary) == ["Ping(007)@0.5", "Up(b)@[1.5,2]"]
    assert [(row.line, row.reason) for row in rejects.first] == [(4, "ts is no number or date in range")]
    only = read_metric_tables([tmp_path / "a.csv"], mapping, Dictionary(), wanted={("Up", 1)})
    assert only.tables == {}
