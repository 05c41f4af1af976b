"""Streams of files for tests: rules about meetings, batches of rows, and what a local run makes of them."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from holdsfor import loads
from tests.strategies.changelog import snapshot

RULES = """
initiatedAt(moving(V)=true,T) :- happensAt(go(V),T).
terminatedAt(moving(V)=true,T) :- happensAt(stop(V),T).
initiatedAt(close(A,B)=true,T) :- happensAt(meet(A,B),T).
terminatedAt(close(A,B)=true,T) :- happensAt(part(A,B),T).
holdsFor(together(A,B)=true,I) :-
    holdsFor(moving(A)=true,I1), holdsFor(moving(B)=true,I2), holdsFor(close(A,B)=true,I3),
    intersect_all([I1,I2,I3],I).
"""
DELAYED = """
initiatedAt(moving(V)=true,T) :- happensAt(go(V),T).
terminatedAt(moving(V)=true,T) :- happensAt(stop(V),T).
fi(moving(V)=true, moving(V)=tired, 7).
p(moving(V)=true).
initiatedAt(alone(V)=true,T) :- happensAt(start(moving(V)=tired),T).
terminatedAt(alone(V)=true,T) :- happensAt(meet(V,_),T).
terminatedAt(alone(V)=true,T) :- happensAt(meet(_,V),T).
"""
COUNTED = """
initiatedAt(moving(V)=true,T) :- happensAt(go(V),T).
terminatedAt(moving(V)=true,T) :- happensAt(stop(V),T).
initiatedAt(busy(V)=true,T) :- happensAt(meet(V,_),T), holdsAt(moving(V)=true,T).
terminatedAt(busy(V)=true,T) :- happensAt(part(V,_),T).
holdsFor(idle(V)=true,I) :- holdsFor(moving(V)=true,I1), holdsFor(busy(V)=true,I2), relative_complement_all(I1,[I2],I).
"""
RULE_SETS = {"meetings": RULES, "delayed": DELAYED, "counted": COUNTED}
MAPPING = {
    "name": "name",
    "time": "time",
    "event": {
        "go": {"args": ["a"]},
        "stop": {"args": ["a"]},
        "meet": {"args": ["a", "b"]},
        "part": {"args": ["a", "b"]},
    },
}
COLUMNS = "name string, time bigint, a string, b string"
WINDOW, STEP = 30, 10

Row = tuple[str, int, str, str]


def some_rows(seed: int, first: int, last: int, each: int = 3) -> list[Row]:
    """Random events at every time-point."""
    rng = random.Random(seed)
    found = []
    for time in range(first, last):
        for _ in range(each):
            one, other = rng.sample("abcdefgh", 2)
            found.append((rng.choice(["go", "stop", "meet", "part"]), time, one, other))
    return found


def write_file(folder: Path, number: int, rows: Sequence[tuple[Any, ...]], schema: str = COLUMNS) -> None:
    """The rows of one micro-batch."""
    folder.mkdir(exist_ok=True)
    named = [part.split() for part in schema.split(", ")]
    kinds = {"string": pa.string(), "bigint": pa.int64()}
    columns = [pa.array([row[place] for row in rows], kinds[kind]) for place, (_, kind) in enumerate(named)]
    path = folder / f".{number:04}.parquet"
    pq.write_table(pa.table(columns, names=[name for name, _ in named]), path)
    os.utime(path, (1_000_000 + number, 1_000_000 + number))
    path.rename(folder / f"{number:04}.parquet")


def file_stream(spark: Any, folder: Path) -> Any:
    """The files as a stream, one for each micro-batch."""
    return spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 1).parquet(str(folder))


def local_rows(rows: Sequence[Row], end: int, start: int = 0, rules: str = RULES) -> list[tuple[Any, ...]]:
    """What a local run reports."""
    events = {
        name: [
            (time, one) if name in ("go", "stop") else (time, one, other) for n, time, one, other in rows if n == name
        ]
        for name in ("go", "stop", "meet", "part")
    }
    found = loads(rules).recognise(events, window=WINDOW, step=STEP, start=start, end=end).to_arrow()
    return sorted(map(_key, found.to_pylist()))


def stream_rows(changes: pa.Table, end: int, start: int = 0) -> list[tuple[Any, ...]]:
    """What a changelog says was reported at every query time."""
    found = []
    for query in range(start + STEP, end + 1, STEP):
        found += [_key({"query_time": query, **row}) for row in snapshot(changes, query, WINDOW).to_pylist()]
    return sorted(found)


def _key(row: dict[str, Any]) -> tuple[Any, ...]:
    end = row["end"]
    return row["query_time"], row["fluent"], row["value"], row["start"], 10**18 if end is None else end
