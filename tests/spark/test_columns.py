"""Argument columns on Spark: the names of a local run, types that follow from input and rules, the same values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from holdsfor import HoldsforError, loads, loads_metric
from holdsfor.spark import derived_events, materialise, materialise_stream, recognise, recognise_stream
from holdsfor.spark.arguments import ArgumentColumns
from holdsfor.spark.streaming.sinks import Memory
from tests.unit.api.test_argument_columns import EVENTS, RULES

pytestmark = pytest.mark.filterwarnings("ignore")
STREAMED = """
initiatedAt(cart(User,Shop)=true, T) :- happensAt(adds(User,Shop), T).
terminatedAt(cart(User,Shop)=true, T) :- happensAt(pays(User,Shop), T).
initiatedAt(rich(Twice)=true, T) :- happensAt(pays(User,_), T), Twice is User * 2.
happensAt(paid(Op), T) :- happensAt(pays(Op,_), T).
"""
MAPPING = {"name": "kind", "time": "at", "event": {name: {"args": ["user", "shop"]} for name in ("adds", "pays")}}
METRIC = "Stop(Vehicle,N) :- Boxminus[0,1] Slow(Vehicle,N)\nStop(V,7) :- Halt(V)\nQuick(V) :- Halt(V)"


def _as_typed(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [(*row[:3], *map(float, row[3:])) for row in rows]


def by_text(rows: Any) -> list[dict[str, Any]]:
    return sorted((row.asDict() for row in rows.collect()), key=str)


def test_batch(spark: Any) -> None:
    schemas = {"adds": "time long, user int, item string, price double", "pays": "time long, user int, shop string"}
    events = {name: spark.createDataFrame(_as_typed(EVENTS[name]), schema) for name, schema in schemas.items()}
    local = loads(RULES).recognise(EVENTS)
    found = recognise(loads(RULES), events, columns="cart", partitions=2)
    assert dict(found.dtypes[5:]) == {"user_id": "bigint", "shop": "string"}
    assert by_text(found) == sorted(local["cart"].to_arrow().to_pylist(), key=str)
    for fluent, kinds in (("price", ["double", "string", "string"]), ("mixed", ["double"]), ("at", ["string"] * 2)):
        frame = recognise(loads(RULES), events, columns=fluent)
        expected = local[fluent].to_arrow().column_names[5:]
        assert frame.dtypes[5:] == list(zip(expected, kinds, strict=True))
    paid = derived_events(loads(RULES), events, columns="paid", column_types={"time_2": "string"}, partitions=2)
    assert by_text(paid) == [{"query_time": 5, "event": "paid(7,10)", "time": 5, "user_id": 7, "time_2": "10"}]
    for wrong, message in (
        ({"columns": "crat"}, "no rule defines a fluent crat; did you mean cart"),
        (
            {"columns": "cart", "column_types": {"user": "bigint"}},
            "no argument has a column 'user'; did you mean user_id",
        ),
        ({"columns": "cart", "column_types": {"shop": "date"}}, "shop can be bigint, double, string, not 'date'"),
        ({"column_types": {"shop": "string"}}, "name it with columns="),
        ({"columns": "cart", "fluents": ["cart", "at"]}, "is a result of one fluent; leave out fluents"),
    ):
        with pytest.raises(HoldsforError, match=message):
            recognise(loads(RULES), events, **wrong)


def test_what_does_not_fit_is_an_error() -> None:
    columns = ArgumentColumns("f", "fluent", ("x", "y"), ("bigint", "double"))
    rows = pa.RecordBatch.from_pydict({"fluent": ["f(1,inf)", "f(-2,2.5)", "g(1)"]})
    assert pa.Table.from_batches(columns([rows])).drop_columns("fluent").to_pydict() == {
        "x": [1, -2],
        "y": [float("inf"), 2.5],
    }
    for text in ("f(a,1)", "f(1.5,1)", "f(1,a)", f"f({2**63},1)", f"f(1,{2**60})"):
        with pytest.raises(HoldsforError, match=r'does not fit .*; give the column another type: column_types=\{"'):
            list(columns([pa.RecordBatch.from_pydict({"fluent": [text]})]))


def test_streams_with_a_sink_for_each(spark: Any, tmp_path: Path) -> None:
    rows = [("adds", 1, 7, "a"), ("adds", 2, 8, "B b"), ("pays", 5, 7, "a"), ("adds", 21, 9, "c")]
    schema = "kind string, at bigint, user int, shop string"
    spark.createDataFrame(rows, schema).coalesce(1).write.parquet(str(tmp_path / "in"))
    stream = spark.readStream.schema(schema).parquet(str(tmp_path / "in"))
    made = recognise_stream(loads(STREAMED), stream, mapping=MAPPING, window=20, step=10, start=0, buckets=2)
    with pytest.raises(HoldsforError, match="no rule defines a fluent crat"):
        made.start({"crat": "x"}, checkpoint=str(tmp_path / "check"))
    few = recognise_stream(loads(STREAMED), stream, mapping=MAPPING, window=20, fluents=["rich"], buckets=2)
    with pytest.raises(HoldsforError, match="there is a sink for cart, which fluents= leaves out"):
        few.start({"cart": "x"}, checkpoint=str(tmp_path / "check"))
    carts, paid = Memory(), Memory()
    query = made.start(
        {"cart": carts, "rich": str(tmp_path / "rich")},
        events={"paid": paid},
        checkpoint=str(tmp_path / "check"),
        trigger={"availableNow": True},
        column_types={"twice": "double"},
    )
    assert query.awaitTermination(300)
    table = carts.table()
    assert table.column_names[-2:] == ["user", "shop"]
    assert table.schema.field("user").type == pa.int64()
    shown = {(row["op"], row["fluent"], row["user"], row["shop"]) for row in table.to_pylist()}
    assert shown == {("open", "cart(7,a)", 7, "a"), ("open", "cart(8,'B b')", 8, "B b")}
    rich = spark.read.parquet(str(tmp_path / "rich"))
    assert (dict(rich.dtypes)["twice"], [row.twice for row in rich.collect()]) == ("double", [14.0])
    # `op` is a column of the changelog.
    assert [row["op_2"] for row in paid.table().to_pylist()] == [7]


def test_metric_programs(spark: Any, tmp_path: Path) -> None:
    slow = [(0, 5, "tram", 3), (1, 9, "B us", 4)]
    schema = "start long, end long, vehicle string, n int"
    frames = {
        "Slow": spark.createDataFrame(slow, schema),
        "Halt": spark.createDataFrame([(2, "cab")], "time long, v string"),
    }
    found = materialise(loads_metric(METRIC), frames, columns="Stop", partitions=2)
    assert found.dtypes[-2:] == [("vehicle", "string"), ("n", "bigint")]
    local = loads_metric(METRIC).materialise(
        {"Slow": [dict(zip(("start", "end", "v", "n"), row, strict=True)) for row in slow], "Halt": [(2, "cab")]}
    )
    expected = local["Stop"].to_arrow().drop_columns("args").to_pylist()
    assert by_text(found.drop("args")) == sorted(expected, key=str)
    # Nothing says what is in facts that are text.
    (tmp_path / "facts.txt").write_text("Slow(7,3)@[0,5]\n")
    texts = materialise(loads_metric(METRIC), tmp_path / "facts.txt", columns="Stop", column_types={"n": "bigint"})
    assert [(row.vehicle, row.n) for row in texts.collect()] == [("7", 3)]


def test_metric_streams_with_a_sink_for_each(spark: Any, tmp_path: Path) -> None:
    schema = "start long, end long, vehicle string, n int"
    spark.createDataFrame([(0, 5, "tram", 3), (9, 9, "bus", 1)], schema).write.parquet(str(tmp_path / "in"))
    stream = spark.readStream.schema(schema).parquet(str(tmp_path / "in"))
    stops = Memory()
    made = materialise_stream(loads_metric(METRIC), {"Slow": stream}, buckets=2)
    query = made.start({"Stop": stops}, checkpoint=str(tmp_path / "check"), trigger={"availableNow": True})
    assert query.awaitTermination(300)
    found = stops.table().select(["op", "predicate", "start", "vehicle", "n"]).to_pylist()
    assert found == [{"op": "open", "predicate": "Stop", "start": "1", "vehicle": "tram", "n": 3}]
