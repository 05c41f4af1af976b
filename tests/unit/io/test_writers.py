"""Intervals in files of several formats."""

import csv
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor import HoldsforError
from holdsfor.columns.report import INTERVALS
from holdsfor.io.lines import csv_lines, csv_text, json_lines, json_text
from holdsfor.io.writers import text_table, writing

ROWS = [
    {"query_time": 9, "fluent": "a(x,y)", "value": "true", "start": 1, "end": None},
    {"query_time": 9, "fluent": "'it''s'", "value": "'say \"hi\"'", "start": None, "end": 7},
]
TABLE = pa.Table.from_pylist(ROWS, INTERVALS)


def written(style: str, folder: Path, *tables: pa.Table) -> bytes:
    path = folder / "out"
    with writing(style, path, INTERVALS) as writer:
        for table in tables:
            writer.write(table)
    return path.read_bytes()


def test_csv(tmp_path: Path) -> None:
    lines = written("csv", tmp_path, TABLE, INTERVALS.empty_table(), TABLE.slice(0, 1)).decode().splitlines()
    assert lines[0] == "query_time,fluent,value,start,end"
    assert list(csv.reader(lines[1:])) == [
        ["9", "a(x,y)", "true", "1", "inf"],
        ["9", "'it''s'", "'say \"hi\"'", "-inf", "7"],
        ["9", "a(x,y)", "true", "1", "inf"],
    ]


def test_json_lines(tmp_path: Path) -> None:
    lines = written("jsonl", tmp_path, TABLE).decode().splitlines()
    assert [json.loads(line) for line in lines] == ROWS


def test_parquet(tmp_path: Path) -> None:
    written("parquet", tmp_path, TABLE, TABLE)
    assert pq.read_table(tmp_path / "out").to_pylist() == ROWS * 2


def test_nothing_is_a_file_too(tmp_path: Path) -> None:
    assert written("csv", tmp_path) == b"query_time,fluent,value,start,end\n"
    assert written("jsonl", tmp_path) == b""
    assert written("table", tmp_path) == b"query_time  fluent  value  start  end\n"
    written("parquet", tmp_path)
    assert pq.read_table(tmp_path / "out").schema == INTERVALS


def test_table() -> None:
    assert text_table(TABLE.slice(0, 1)) == (
        "query_time  fluent  value  start  end\n         9  a(x,y)  true       1  inf\n"
    )


def test_places_that_cannot_be_written_to(tmp_path: Path) -> None:
    with (
        pytest.raises(HoldsforError, match="cannot write .*: there is no folder .*; create it first"),
        writing("csv", tmp_path / "no" / "where", INTERVALS),
    ):
        pass
    with pytest.raises(HoldsforError, match="--output"), writing("parquet", None, INTERVALS):
        pass


TEXTS = st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=5)


@given(TEXTS)
def test_any_text_survives_csv(texts: list[str]) -> None:
    column = pa.array([text.replace("\0", "") for text in texts])
    written_text = b"".join(csv_lines([csv_text(column), csv_text(column)])).decode()
    assert list(csv.reader(_lines(written_text))) == [[text, text] for text in column.to_pylist()]


def _lines(text: str) -> list[str]:
    """Lines as Python's reader wants them: cut behind line breaks, other separators left alone."""
    return [f"{line}\n" for line in text.split("\n")[:-1]]


@given(TEXTS)
def test_any_text_survives_json(texts: list[str]) -> None:
    lines = b"".join(json_lines(["a", "b"], [json_text(pa.array(texts))] * 2)).decode().split("\n")[:-1]
    assert [json.loads(line) for line in lines] == [{"a": text, "b": text} for text in texts]
