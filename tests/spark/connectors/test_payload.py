"""Payloads as columns, rows as messages, and files; all of it Spark's own work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="needs PySpark: pip install 'holdsfor[spark]'")

from holdsfor.diagnostics import HoldsforError
from holdsfor.spark.connectors import (
    file_events,
    json_columns,
    kafka_messages,
    malformed,
    nats_messages,
    subject_of,
    well_formed,
)

SCHEMA = "vessel string, at bigint, speed double"
GOOD: list[tuple[bytes, tuple[Any, ...]]] = [
    (b'{"vessel": "tern", "at": 5, "speed": 1.5, "more": [1]}', ("tern", 5, 1.5)),
    (b'\n {"at": 5,\n "vessel": "\xc3\xa9"}', ("é", 5, None)),
    (b'{"speed": 2}', (None, None, 2.0)),
    (b"{}", (None, None, None)),
]
BAD = [
    (b"{broken", "{broken"),
    (b"", ""),
    (None, ""),
    (b"null", "null"),
    (b"17", "17"),
    (b'[{"vessel": "tern"}]', '[{"vessel": "tern"}]'),
    (b'{"vessel": "tern", "at": "soon"}', '{"vessel": "tern", "at": "soon"}'),
    (b'{"at": 1.5}', '{"at": 1.5}'),
    (b"\xff\xfe{}", "\ufffd\ufffd{}"),
]


def test_json_columns(spark: Any) -> None:
    rows = [(number, payload) for number, (payload, _) in enumerate([*GOOD, *BAD])]
    frame = spark.createDataFrame(rows, "n int, value binary").transform(json_columns(SCHEMA, keep=["n"]))
    assert frame.columns == ["vessel", "at", "speed", "n", "_malformed"]
    found = sorted(map(tuple, frame.collect()), key=lambda row: row[3])
    assert [row[:3] for row in found[: len(GOOD)]] == [values for _, values in GOOD]
    assert [row[4] for row in found] == [None] * len(GOOD) + [text for _, text in BAD]
    assert {row[:3] for row in found[len(GOOD) :]} == {(None, None, None)}
    assert well_formed(frame).columns == ["vessel", "at", "speed", "n"]
    assert malformed(frame).columns == frame.columns


def test_rows_as_messages(spark: Any) -> None:
    rows = [("i1", "open", 'in(a,"b.c")', None), ("i1", "close", 'in(a,"b.c")', 7)]
    frame = spark.createDataFrame(rows, "id string, op string, fluent string, end bigint")
    sent = frame.transform(nats_messages(subject_of("intervals", "op", "fluent")))
    again = frame.transform(nats_messages(subject_of("intervals", "op", "fluent"), identity=["id"]))
    one, two = sent.unionByName(again, allowMissingColumns=True).orderBy("subject").collect()[:2]
    assert one["subject"] == two["subject"] == 'intervals.close.in(a,"b_c")'
    assert one["message_id"] != two["message_id"] and len(one["message_id"]) == 64
    assert json.loads(one["value"]) == {"id": "i1", "op": "close", "fluent": 'in(a,"b.c")', "end": 7}
    assert frame.transform(nats_messages("all", identity=None)).columns == ["subject", "value"]
    kept = frame.transform(kafka_messages(topic="op")).filter("topic = 'open'").collect()
    assert [(row["key"], json.loads(row["value"])["end"]) for row in kept] == [("i1", None)]
    with pytest.raises(HoldsforError, match="no column 'name'; there are id, op"):
        frame.transform(kafka_messages(key="name"))
    with pytest.raises(HoldsforError, match="must not name '_malformed'"):
        json_columns("_malformed string")
    with pytest.raises(HoldsforError, match="a schema names columns"):
        json_columns("array<int>")


def test_files_as_a_stream(spark: Any, tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    for name in ("csv", "json", "parquet"):
        (tmp_path / name).mkdir()
    (tmp_path / "csv" / "a.csv").write_text('vessel,at,speed\ntern,1,0.5\ngull,soon,1\n"a,b",2,\n')
    (tmp_path / "json" / "a.jsonl").write_text('{"vessel": "tern", "at": 3}\n{"at": []}\n{"at"\n')
    table = pa.table({"vessel": ["tern"], "at": pa.array([4], pa.int64()), "speed": [1.5]})
    parquet.write_table(table, tmp_path / "parquet" / "a.parquet")
    frames = [file_events(spark, str(tmp_path / name), SCHEMA, format=name) for name in ("csv", "json", "parquet")]
    assert all(frame.isStreaming for frame in frames)
    together = frames[0].unionByName(frames[1]).unionByName(frames[2], allowMissingColumns=True)
    found: list[Any] = []
    query = together.writeStream.foreachBatch(lambda batch, _: found.extend(batch.collect())).trigger(availableNow=True)
    query.option("checkpointLocation", str(tmp_path / "checkpoint")).start().awaitTermination()
    good = sorted(tuple(row)[:3] for row in found if row["_malformed"] is None)
    assert good == [("a,b", 2, None), ("tern", 1, 0.5), ("tern", 3, None), ("tern", 4, 1.5)]
    assert sorted(row["_malformed"] for row in found if row["_malformed"]) == ["gull,soon,1", '{"at"', '{"at": []}']
    with pytest.raises(HoldsforError, match="say whether the files are csv, json or parquet"):
        file_events(spark, str(tmp_path), SCHEMA)
