"""Spark reports what the engine does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from holdsfor import load, loads
from holdsfor.diagnostics import HoldsforError
from holdsfor.spark.batch import recognise
from holdsfor.spark.job import Span
from tests.conformance.rtec_cases import CASES, load_case, parameters
from tests.spark.on_spark import on_spark
from tests.strategies.recorded import RowReader

# One case for each thing that can go wrong on the way: several stages, initial values, late arrivals of input fluents.
QUICK = ("26-", "28-", "57-")
pytestmark = pytest.mark.filterwarnings("ignore")


def _check(spark: Any, folder: Path, partitions: int) -> None:
    case = load_case(folder)
    reasoner = load(case.rules)
    records = RowReader(reasoner.analysis).read([case.stream]).records
    found = on_spark(spark, reasoner, records, Span(case.window, case.step, case.start, case.end), partitions)
    rows = [(r.query_time, r.fluent, r.value, r.start, r.end) for r in found.intervals]
    assert len(rows) == len(set(rows))
    assert set(rows) == case.intervals
    if case.events is not None:
        assert {(r.query_time, r.event, r.time) for r in found.events} == case.events


@pytest.mark.parametrize("folder", [c for c in CASES if c.name.startswith(QUICK)], ids=lambda path: path.name)
def test_case(spark: Any, folder: Path) -> None:
    _check(spark, folder, 3)


@pytest.mark.slow
@pytest.mark.parametrize("partitions", [1, 4])
@pytest.mark.parametrize("folder", parameters("spark"))
def test_every_case(spark: Any, folder: Path, partitions: int) -> None:
    _check(spark, folder, partitions)


def test_clock_tick(spark: Any) -> None:
    rules = """
    initiatedAt(seen(P)=T, T) :- happensAt(start(walking(P)=true), T).
    initiatedAt(again(P)=true, T) :- happensAt(gone(P), T), happensAt(gone(P), T0), T0 < T, T - T0 =< 200.
    holdsFor(long(P)=true, I) :- holdsFor(walking(P)=true, I0), intDurGreater(I0, 80, I).
    """
    columns = ["start", "end", "value", "P"]
    walking = pa.table(
        dict(zip(columns, [[40, 200, 410], [121, 281, None], ["true"] * 3, ["ann", "bob", "ann"]], strict=True))
    )
    gone = pa.table({"time": [85, 250, 600], "P": ["ann", "ann", "bob"]})
    given: dict[str, Any] = {"window": 400, "step": 200, "start": 0, "end": 600, "clock_tick": 40}
    found = recognise(
        loads(rules), {"walking": spark.createDataFrame(walking), "gone": spark.createDataFrame(gone)}, **given
    )
    expected = loads(rules).recognise({"walking": walking, "gone": gone}, **given).to_arrow()
    assert sorted(map(str, found.toArrow().to_pylist())) == sorted(map(str, expected.to_pylist()))
    assert len(expected) > 5


RULES = """
initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T), door(D, _).
terminatedAt(open(D)=true, T) :- happensAt(lock(D), T).
initiatedAt(warm(R)=true, T) :- happensAt(degrees(R, N), T), N > 20.
terminatedAt(warm(R)=true, T) :- happensAt(degrees(R, N), T), N =< 20.
holdsFor(waste(R)=true, I) :- holdsFor(warm(R)=true, I1), holdsFor(open(R)=true, I2), intersect_all([I1,I2], I).
"""
MAPPING = {
    "time": "at",
    "name": "what",
    "event": {"unlock": {"args": ["room"]}, "lock": {"args": ["room"]}, "degrees": {"args": ["room", "n"]}},
}
TABLE = pa.table(
    {
        "what": ["unlock", "degrees", "degrees", "lock", "unlock", "degrees", "cough", "lock"],
        "room": ["a", "a", "b", "a", "b", "a", "a", None],
        "n": [None, 21.5, 25.0, None, None, 18.0, None, None],
        "at": [1, 3, 4, 9, 10, 12, 13, 14],
    }
)
WANTED = {
    ("open(a)", "true", 2, 10),
    ("open(b)", "true", 11, None),
    ("warm(a)", "true", 4, 13),
    ("warm(b)", "true", 5, None),
    ("waste(a)", "true", 4, 10),
    ("waste(b)", "true", 11, None),
}


def _rows(found: Any) -> set[tuple[Any, ...]]:
    return {(row.fluent, row.value, row.start, row.end) for row in found.collect()}


@pytest.mark.parametrize("rows_at_once", [None, 2])
def test_one_frame_with_a_mapping(spark: Any, rows_at_once: int | None, tmp_path: Path) -> None:
    from pyspark.sql import Observation

    from holdsfor.spark import recognise

    events = spark.createDataFrame(TABLE)
    doors = spark.createDataFrame([("a", 1), ("b", 2)], "name string, floor int")
    seen = Observation()
    rules = tmp_path / "rules.prolog"
    rules.write_text(RULES)
    found = events.transform(
        lambda frame: recognise(
            rules,
            frame,
            mapping=MAPPING,
            background={"door": doors},
            rows_at_once=rows_at_once,
            observation=seen,
        )
    )
    assert found.columns == ["query_time", "fluent", "value", "start", "end"]
    assert _rows(found) == WANTED
    assert seen.get == {
        "read": 6,
        "malformed": 1,
        "conflicts": 0,
        "intervals": 6,
        "without_value": 0,
        "first_without_value": None,
    }


def test_a_field_that_no_json_line_has_is_null(spark: Any, tmp_path: Path) -> None:
    from holdsfor.io.mapping import make_mapping
    from holdsfor.spark import recognise
    from holdsfor.spark.files import read_table

    quiet = tmp_path / "quiet.jsonl"
    quiet.write_text('{"what": "unlock", "room": "a", "at": 1}\n{"what": "lock", "room": "a", "at": 9}\n')
    reasoner = loads(RULES, background={"door": [("a", 1)]})
    frame = read_table(spark, "jsonl", [str(quiet)], make_mapping(MAPPING))
    found = _rows(recognise(reasoner, frame, mapping=MAPPING))
    local = reasoner.recognise(quiet, mapping=MAPPING).to_arrow().to_pylist()
    assert found == {(row["fluent"], row["value"], row["start"], row["end"]) for row in local} != set()


def test_durations_in_pieces(spark: Any) -> None:
    from holdsfor.spark import recognise

    rules = RULES + "holdsFor(long(R)=true, I) :- holdsFor(warm(R)=true, I1), intDurGreater(I1, 5, I)."
    reasoner = loads(rules, background={"door": [("a", 1)]})
    frame = spark.createDataFrame(TABLE)
    whole = _rows(recognise(reasoner, frame, mapping=MAPPING))
    assert _rows(recognise(reasoner, frame, mapping=MAPPING, rows_at_once=2)) == whole != set()


def test_what_pieces_cannot_do(spark: Any) -> None:
    from holdsfor.spark import recognise

    reasoner = loads(RULES, background={"door": [("a", 1)]})
    with pytest.raises(HoldsforError, match="rows_at_once is for one query over everything"):
        recognise(reasoner, spark.createDataFrame(TABLE), mapping=MAPPING, rows_at_once=2, window=5, step=5)


@pytest.mark.slow
def test_on_connect() -> None:
    """A session of its own in a process of its own: one process cannot have a classic and a remote session."""
    script = f"""
import pyarrow as pa
from pyspark.sql import SparkSession
from holdsfor import loads
from holdsfor.spark import recognise
from holdsfor.spark.session import worker_python
worker_python()
spark = SparkSession.builder.remote("local[2]").getOrCreate()
table = pa.table({TABLE.to_pydict()!r})
rules = loads({RULES!r}, background={{"door": [("a", 1), ("b", 2)]}})
found = recognise(rules, spark.createDataFrame(table), mapping={MAPPING!r}, partitions=2)
assert {{(r.fluent, r.value, r.start, r.end) for r in found.collect()}} == {WANTED!r}
print("equal")
spark.stop()
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout.strip().endswith("equal"), done.stderr[-3000:]
