"""CSV, JSON lines and Parquet through a mapping."""

import gzip
import io
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from holdsfor import HoldsforError, loads
from holdsfor.io.builder import Reading
from holdsfor.io.formats import csv_files, json_files
from holdsfor.io.mapping import make_mapping
from holdsfor.io.records import records
from holdsfor.io.rejects import Rejects
from holdsfor.io.sources import blocks
from holdsfor.io.tables import UNMAPPED, read_tables
from holdsfor.reference.history import InputInterval, Occurrence
from holdsfor.syntax.terms import Compound, Const

RULES = """
initiatedAt(a(X)=true, T) :- happensAt(e(X,_), T), happensAt(s(X), T).
holdsFor(b(X)=true, I) :- holdsFor(f(X)=true, I1), holdsFor(g(X)=low, I2), union_all([I1,I2], I).
"""
ENTITIES = loads(RULES).analysis.entities
E = {"time": "t", "event": {"e": {"args": ["x", "y"]}}}


def read(path: Path, mapping: dict[str, Any], rejects: Rejects | None = None, size: int = 1 << 20) -> Reading:
    def pieces(source: Path) -> Iterator[bytes]:
        return blocks(source, size)

    with patch.object(csv_files, "blocks", pieces), patch.object(json_files, "blocks", pieces):
        return read_tables([path], make_mapping(mapping, "m.toml"), ENTITIES, rejects=rejects)


def rows(reading: Reading) -> list[object]:
    return records(reading.stream, reading.dictionary)


def e(x: str | float, y: str | float, time: int, arrival: int | None = None) -> Occurrence:
    return Occurrence(Compound("e", (Const(x), Const(y))), time, time if arrival is None else arrival)


def file(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


@pytest.mark.parametrize("size", [1, 12, 1000])
def test_csv(tmp_path: Path, size: int) -> None:
    path = file(tmp_path, "x.csv.gz", 'y,ignored,t,x\n5,?,1,"a, ""b"""\n2.5,?,3,c\n\n7,?,4,007\n')
    reading = read(path, E, size=size)
    assert sorted(map(repr, rows(reading))) == sorted(map(repr, [e('a, "b"', 5, 1), e("c", 2.5, 3), e(7, 7, 4)]))
    assert (reading.rows, reading.rejects.count) == (3, 0)


def test_other_delimiters(tmp_path: Path) -> None:
    tabs = file(tmp_path, "x.tsv", "t\tx\ty\n1\ta\tb\n")
    assert rows(read(tabs, E)) == [e("a", "b", 1)]
    semicolons = file(tmp_path, "x.data", "t;x;y\n1;a;b\n")
    assert rows(read(semicolons, {**E, "delimiter": ";", "format": "csv"})) == [e("a", "b", 1)]


def test_json_lines_keep_their_types(tmp_path: Path) -> None:
    path = file(tmp_path, "x.jsonl", '{"t":1,"x":"5","y":5}\n\n{"t":2,"x":"a","y":6.5,"z":[1]}\n')
    assert rows(read(path, E)) == [e("5", 5, 1), e("a", 6.5, 2)]


def test_json_lines_with_mistakes_and_several_types(tmp_path: Path) -> None:
    text = '{"t":1,"x":"a","y":5}\nnope\n[1]\n{"t":2,"x":7,"y":true}\n{"t":3,"x":"b"}\n'
    reading = read(file(tmp_path, "x.jsonl", text), E)
    assert rows(reading) == [e("a", 5, 1), e(7, "true", 2)]
    assert [(problem.line, problem.reason) for problem in reading.rejects.first] == [
        (2, "not JSON: Expecting value"),
        (3, "not a JSON object"),
        (5, "y is missing"),
    ]


def test_parquet(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"t": [1, 2, None], "x": ["a", "b", "c"], "y": [True, False, True], "z": [0, 0, 0]}), path)
    reading = read(path, E)
    assert rows(reading) == [e("a", "true", 1), e("b", "false", 2)]
    assert reading.rejects.first[0].reason == "t is no whole number or timestamp such as 2026-03-01T12:00Z"
    assert reading.rejects.first[0].text == '{"t": null, "x": "c", "y": true}'


def test_timestamps_become_whole_numbers_of_the_unit(tmp_path: Path) -> None:
    path = file(tmp_path, "x.csv", "t,x,y\n1970-01-01T00:00:01.750Z,a,1\n1970-01-01T02:00:02+02:00,b,2\n")
    assert rows(read(path, E)) == [e("a", 1, 1), e("b", 2, 2)]
    assert rows(read(path, {**E, "unit": "ms"})) == [e("a", 1, 1750), e("b", 2, 2000)]


def test_timestamps_with_mistakes_among_them(tmp_path: Path) -> None:
    path = file(tmp_path, "x.csv", "t,x,y\n1970-01-02,a,1\nyesterday,b,2\n1970-01-01 00:00:05,c,3\n7,d,4\n")
    reading = read(path, E)
    assert rows(reading) == [e("a", 1, 86400), e("c", 3, 5), e("d", 4, 7)]
    assert reading.rejects.first[0].line == 3


def test_one_column_names_the_event(tmp_path: Path) -> None:
    path = file(tmp_path, "x.csv", "kind,t,seen,x,y\ne,1,2,a,b\ns,3,4,c,\nother,5,6,,\nother,5,6,,\n")
    shared = {"name": "kind", "time": "t", "arrival": "seen"}
    reading = read(path, {**shared, "event": {"e": {"args": ["x", "y"]}, "s": {"args": ["x"]}}})
    assert rows(reading) == [e("a", "b", 1, 2), Occurrence(Compound("s", (Const("c"),)), 3, 4)]
    assert (reading.unknown, reading.rejects.count) == ({"other": 2}, 0)


def test_rows_chosen_by_a_condition(tmp_path: Path) -> None:
    path = file(tmp_path, "x.jsonl", '{"t":1,"ok":true,"x":1,"y":2}\n{"t":2,"ok":false,"x":1,"y":2}\n{"t":3}\n')
    reading = read(path, {"time": "t", "event": {"e": {"args": ["x", "y"], "where": {"ok": True}}}})
    assert rows(reading) == [e(1, 2, 1)]
    assert reading.unknown == {UNMAPPED: 2}
    with pytest.raises(HoldsforError, match=r"event\.e: where ok = 'maybe', but that column has the type bool"):
        read(path, {"time": "t", "event": {"e": {"args": ["x", "y"], "where": {"ok": "maybe"}}}})


def test_input_fluents(tmp_path: Path) -> None:
    path = file(tmp_path, "x.csv", "a,b,v,x\n1,5,low,p\n2,,low,q\n3,inf,low,r\n4,4,low,s\n")
    reading = read(path, {"fluent": {"f": {"start": "a", "end": "b", "args": ["x"]}}})
    assert rows(reading) == [
        InputInterval(Compound("f", (Const(x),)), Const("true"), start, end, start)
        for x, start, end in (("p", 1, 5), ("q", 2, math.inf), ("r", 3, math.inf))
    ]
    assert reading.rejects.first[0].reason == "b does not lie after a"
    points = read(path, {"fluent": {"g": {"time": "a", "value": "v", "args": ["x"]}}})
    assert rows(points)[0] == InputInterval(Compound("g", (Const("p"),)), Const("low"), 1, 2, 1, is_point=True)


def test_rows_of_another_width_and_open_quotes_take_nothing_with_them(tmp_path: Path) -> None:
    path = file(tmp_path, "x.csv", 't,x,y\n1,a,b\n2,"open,c\n3\n4,d,e,f\n5,g,h\n6,2" pipe,"i\n7,j,k\n')
    aside = io.BytesIO()
    reading = read(path, E, Rejects.to_file(aside))
    assert rows(reading) == [e("a", "b", 1), e("g", "h", 5), e("j", "k", 7)]
    assert reading.rows == 7
    assert [(problem.line, problem.reason) for problem in reading.rejects.first] == [
        (3, "a quote is not closed on its line"),
        (4, "1 fields where the header has 3"),
        (5, "4 fields where the header has 3"),
        (7, "a quote is not closed on its line"),
    ]
    assert b'x.csv,3,a quote is not closed on its line,"2,""open,c"\n' in aside.getvalue()


def test_missing_columns_and_strange_files(tmp_path: Path) -> None:
    path = file(tmp_path, "x.csv", "time,x,y\n1,a,b\n")
    with pytest.raises(HoldsforError, match=r"x\.csv has no column 't'; it has time, x, y"):
        read(path, E)
    with pytest.raises(HoldsforError, match="what format has"):
        read(file(tmp_path, "x.dat", ""), E)
    with pytest.raises(HoldsforError, match="is not a Parquet file"):
        read(file(tmp_path, "x.parquet", "nonsense"), E)
    with pytest.raises(HoldsforError, match="cannot read"):
        read(tmp_path / "none.csv", E)


def test_a_field_that_no_json_line_has_is_null(tmp_path: Path) -> None:
    mapping = {
        "time": "t",
        "event": {"e": {"args": ["x", "y"], "where": {"kind": "e"}}, "m": {"args": ["z"], "where": {"kind": "m"}}},
        "fluent": {"g": {"start": "t", "end": "until", "args": ["x"], "where": {"kind": "g"}}},
    }
    quiet = file(tmp_path, "quiet.jsonl", '{"t":1,"kind":"e","x":"a","y":"b"}\n')
    assert rows(read(quiet, mapping)) == [e("a", "b", 1)]
    # An end that is null is open.
    lasting = file(tmp_path, "lasting.jsonl", '{"t":1,"kind":"g","x":"a"}\n')
    assert rows(read(lasting, mapping)) == [InputInterval(Compound("g", (Const("a"),)), Const("true"), 1, math.inf, 1)]
    lacking = read(file(tmp_path, "lacking.jsonl", '{"t":1,"kind":"e","x":"a"}\n'), mapping)
    assert [problem.reason for problem in lacking.rejects.first] == ["y is missing"]
    assert read(file(tmp_path, "kinds.jsonl", '{"t":1,"x":"a","y":"b"}\n'), mapping).unknown == {UNMAPPED: 1}


def test_a_misspelt_field_of_json_is_named_with_the_reason(tmp_path: Path) -> None:
    mapping = {"time": "t", "event": {"s": {"args": ["user"]}}}
    reading = read(file(tmp_path, "x.jsonl", '{"t":1,"usr":"ann"}\n'), mapping)
    assert [problem.reason for problem in reading.rejects.first] == ["user is missing; did you mean usr?"]


def test_empty_files(tmp_path: Path) -> None:
    assert read(file(tmp_path, "x.csv", ""), E).rows == 0
    assert read(file(tmp_path, "y.csv", "t,x,y\n"), E).rows == 0
    assert read(file(tmp_path, "z.jsonl", "\n\n"), E).rows == 0


def test_names_no_rule_knows(tmp_path: Path) -> None:
    path = file(tmp_path, "x.csv", "t\n1\n2\n")
    assert read(path, {"time": "t", "event": {"nobody": {}}}).unknown == {"nobody": 2}
