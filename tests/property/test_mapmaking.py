"""Any table that has a time: the mapping that is guessed for it reads all of its rows."""

from __future__ import annotations

import csv
import io
import json
import math
import tempfile
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor import HoldsforError, loads
from holdsfor.columns.dictionary import Dictionary
from holdsfor.io.formats import parts
from holdsfor.io.mapmaking import made_mapping
from holdsfor.io.mapping import TableMapping, make_mapping
from holdsfor.io.metric_frames import read_metric_tables
from holdsfor.io.rejects import Rejects
from holdsfor.io.tables import read_tables
from holdsfor.io.typed import missing
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Const

NAMES = st.sampled_from(
    "time ts at timestamp event_time type kind event name user user_id id amount price day updated_at sku x y Größe".split()
) | st.text("ab.[]\"\\ #'é\n=,;|{", min_size=1, max_size=5).filter(lambda name: name.strip() == name)
WORDS = st.sampled_from(["login", "Log out", "add-to-cart", "7up", "é", "a", "b"])
TEXTS = st.text("ab1 é\"'#\\", max_size=4)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MOMENTS = st.integers(0, 10**6).map(lambda seconds: NOON + timedelta(seconds=seconds))
FINE = st.integers(0, 10**9).map(lambda micros: NOON + timedelta(microseconds=micros))
NUMBERS = st.integers(-(2**70), 2**70) | st.floats(allow_nan=True) | st.integers(-5, 5)


TIMES = [
    MOMENTS.map(lambda moment: moment.isoformat()),
    FINE.map(lambda moment: moment.isoformat().replace("+00:00", "Z")),
    MOMENTS.map(lambda moment: moment.date().isoformat()),
    MOMENTS.map(lambda moment: int(moment.timestamp())),
    MOMENTS.map(lambda moment: int(moment.timestamp()) * 1000),
    st.integers(0, 50),
    MOMENTS.map(lambda moment: moment.isoformat()) | st.integers(0, 50).map(str),
]
TIME_NAMES = st.sampled_from(["time", "ts", "at", "timestamp", "eventTime", "created_at", "when"])
OTHERS = [WORDS, WORDS, TEXTS, NUMBERS, st.integers(0, 9), st.booleans(), *TIMES]


@st.composite
def tables(draw: st.DrawFn, *, is_nested: bool) -> list[dict[str, Any]]:
    """Rows with a time, some with an object or a list in them."""
    rows = draw(st.integers(1, 12))
    found: list[dict[str, Any]] = [{} for _ in range(rows)]
    times = draw(TIME_NAMES)
    others = st.lists(NAMES.filter(lambda name: name != times), max_size=4, unique=True)
    for name in draw(st.permutations([times, *draw(others)])):
        values = draw(st.sampled_from(TIMES if name == times else OTHERS))
        shape = draw(st.sampled_from(["flat", "flat", "object", "list"])) if is_nested and name != times else "flat"
        has_gaps = draw(st.sampled_from([False, False, False, True]))
        column = [draw(values)]
        column += draw(st.lists(st.none() | values if has_gaps else values, min_size=rows - 1, max_size=rows - 1))
        inner = draw(NAMES)
        for row, value in zip(found, column, strict=True):
            row[name] = {"flat": value, "object": {inner: value}, "list": [] if value is None else [value]}[shape]
    return found


def read_with(path: Path, text: str) -> tuple[TableMapping, Any, Any]:
    """What a run reads by a mapping, of both languages."""
    mapping = make_mapping(tomllib.loads(text))
    heads = []
    for entry in mapping.entries:
        args = ", ".join(f"A{place}" for place in range(len(entry.args)))
        name = print_term(Const(entry.name))
        heads.append(
            f"initiatedAt(x=true, T) :- happensAt({name}({args}), T)."
            if args
            else f"initiatedAt(x=true, T) :- happensAt({name}, T)."
        )
    reading = read_tables([path], mapping, loads("\n".join(heads)).analysis.entities)
    rejects = Rejects()
    read_metric_tables([path], mapping, Dictionary(), rejects)
    return mapping, reading, rejects


def check(path: Path, given: str | None = None) -> bool:
    """Whether there is a mapping for a file; it reads all rows that have a time."""
    try:
        made = made_mapping(path, given or path)
    except HoldsforError as problem:
        assert "looks like a time" in str(problem) or "no header" in str(problem), problem
        return False
    mapping, reading, rejects = read_with(path, made.text)
    column = mapping.entries[0].start
    untimed = 0
    for part in parts(path, [column], mapping.format, mapping.delimiter, rows=mapping.rows):
        untimed += int(missing(part.column(column), is_text=column in part.untyped).sum())
    assert reading.rejects.count == untimed, (made.text, reading.rejects.first)
    assert rejects.count == untimed, (made.text, rejects.first)
    assert not reading.unknown, made.text
    return True


MADE = [0, 0]


def tally(*, made: bool) -> None:
    MADE[0] += made
    MADE[1] += 1


@given(tables(is_nested=True), st.sampled_from(["lines", "array", "pretty", "inside"]))
@settings(max_examples=60, deadline=None)
def test_json(rows: list[dict[str, Any]], style: str) -> None:
    rows = [{name: _finite(value) for name, value in row.items()} for row in rows]
    texts = {
        "lines": "\n".join(map(json.dumps, rows)),
        "array": json.dumps(rows, ensure_ascii=False),
        "pretty": json.dumps(rows, indent=2),
        "inside": json.dumps({"data": {"rows": rows}}, indent=1),
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.json"
        path.write_text(texts[style], encoding="utf-8")
        tally(made=check(path))


@given(tables(is_nested=False), st.sampled_from(",;\t|"))
@settings(max_examples=60, deadline=None)
def test_csv(rows: list[dict[str, Any]], delimiter: str) -> None:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow([name.replace("\n", " ") for name in rows[0]])
    for row in rows:
        writer.writerow(["" if value is None else value for value in row.values()])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.csv"
        path.write_text(text.getvalue(), encoding="utf-8")
        tally(made=check(path))


@given(tables(is_nested=True))
@settings(max_examples=60, deadline=None)
def test_parquet(rows: list[dict[str, Any]]) -> None:
    try:
        table = pa.Table.from_pylist(rows)
    except (pa.ArrowException, OverflowError):
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.parquet"
        pq.write_table(table, path)
        tally(made=check(path))


def test_most_tables_get_a_mapping() -> None:
    """The tests above have run, in this process, and nearly all of their tables got one."""
    assert MADE[0] >= 0.95 * MADE[1], MADE


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
