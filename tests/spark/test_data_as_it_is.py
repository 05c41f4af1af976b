"""Nested data, several files, compressed files and tables of facts, on Spark as in a local run."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from holdsfor import HoldsforError, load, loads, loads_metric
from holdsfor.cli import app

RULES = "initiatedAt(bought(U, S)=true, T) :- happensAt(order(U, S), T).\n"
METRIC = "Bought(U, S) :- Diamondminus[0,5] Order(U, S).\n"
MAPPING = """\
time = "meta.at"
[event.NAME]
args = ["user.id", "items[0].sku"]
where = { shop.country = "gr" }
"""
ORDERS: list[dict[str, Any]] = [
    {"meta": {"at": 1}, "user": {"id": "ann"}, "items": [{"sku": "hat"}, {"sku": "bag"}], "shop": {"country": "gr"}},
    {"meta": {"at": 2}, "user": {"id": "bob"}, "items": [{"sku": "mug"}], "shop": {"country": "gr"}},
    {"meta": {"at": 3}, "user": {"id": "cyd"}, "items": [], "shop": {"country": "gr"}},
    {"meta": {"at": 4}, "user": {"id": "dee"}, "items": [{"sku": "pen"}], "shop": {"country": "de"}},
]
SCHEMA = "meta struct<at: long>, user struct<id: string>, items array<struct<sku: string>>, shop map<string, string>"
FOUND = ["bought(ann,hat)", "bought(bob,mug)"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.prolog").write_text(RULES)
    (tmp_path / "rules.dmtl").write_text(METRIC)
    (tmp_path / "map.toml").write_text(MAPPING.replace("NAME", "order"))
    (tmp_path / "metric.toml").write_text(MAPPING.replace("NAME", "Order"))
    return tmp_path


def write(folder: Path, kind: str) -> str:
    lines = "\n".join(map(json.dumps, ORDERS))
    match kind:
        case "parquet":
            pq.write_table(pa.Table.from_pylist(ORDERS), folder / "x.parquet")
            return "x.parquet"
        case "directory":
            (folder / "days").mkdir()
            for place, line in enumerate(lines.splitlines()):
                (folder / "days" / f"{place}.jsonl.gz").write_bytes(gzip.compress(line.encode()))
            (folder / "days" / "_SUCCESS").write_text("")
            return "days"
        case "jsonl.bz2":
            (folder / "x.jsonl.bz2").write_bytes(bz2.compress(lines.encode()))
        case "json":
            (folder / "x.json").write_text(json.dumps(ORDERS, indent=2))
        case _:
            (folder / f"x.{kind}").write_text(lines)
    return f"x.{kind}"


def run(rules: str, *options: str, engine: str = "spark") -> Result:
    return CliRunner().invoke(app, ["run", rules, "--engine", engine, *options])


@pytest.mark.parametrize("kind", ["parquet", "jsonl", "json", "jsonl.bz2", "directory"])
def test_the_command_reads_what_a_local_run_reads(one_session: Any, folder: Path, kind: str) -> None:
    del one_session
    name = write(folder, kind)
    for rules, mapping in (("rules.prolog", "map.toml"), ("rules.dmtl", "metric.toml")):
        found = run(rules, "--events", name, "--mapping", mapping)
        assert found.exit_code == 0, found.output
        assert found.stdout == run(rules, "--events", name, "--mapping", mapping, engine="local").stdout
        assert found.stdout.count("\n") == 3


def test_rows_inside_of_a_document_and_absent_members(one_session: Any, folder: Path) -> None:
    del one_session
    (folder / "x.json").write_text(json.dumps({"data": {"orders": ORDERS}}))
    text = MAPPING.replace("NAME", "order").replace("[event.order]", 'arrival = "meta.at"\n[event.order]')
    (folder / "map.toml").write_text('rows = "data.orders"\n' + text)
    options = ["--events", "x.json", "--mapping", "map.toml"]
    assert run("rules.prolog", *options).stdout == run("rules.prolog", *options, engine="local").stdout
    (folder / "map.toml").write_text(MAPPING.replace("NAME", "order") + '[event.refund]\nargs = ["user.refund"]\n')
    (folder / "refund.prolog").write_text(
        RULES + "terminatedAt(bought(U, S)=true, T) :- happensAt(refund(U), T), happensAt(order(U, S), T).\n"
    )
    options = ["--events", write(folder, "jsonl"), "--mapping", "map.toml"]
    found = run("refund.prolog", *options)
    assert found.stdout == run("refund.prolog", *options, engine="local").stdout
    assert found.stdout.count("bought") == 2


def test_objects_one_behind_the_other(one_session: Any, folder: Path) -> None:
    del one_session
    (folder / "x.json").write_text("\n".join(json.dumps(order, indent=2) for order in ORDERS))
    result = run("rules.prolog", "--events", "x.json", "--mapping", "map.toml")
    assert (result.exit_code, "write them as an array or as JSON lines" in result.stderr) == (1, True)


def test_data_frames(spark: Any) -> None:
    from holdsfor.spark import materialise, recognise

    frame = spark.createDataFrame([tuple(order.values()) for order in ORDERS], SCHEMA).selectExpr("*", "1 as `a.b`")
    mapping = {
        "time": "meta.at",
        "event": {"order": {"args": ["user.id", "items[0].sku"], "where": {"shop.country": "gr"}}},
    }
    found = recognise(loads(RULES), frame, mapping=mapping, partitions=2)
    assert sorted(row.fluent for row in found.collect()) == FOUND
    metric = {"time": "meta.at", "event": {"Order": mapping["event"]["order"]}}  # type: ignore[index]
    answers = materialise(loads_metric(METRIC), frame, mapping=metric, partitions=2)
    assert sorted(row.args for row in answers.collect()) == [["ann", "hat"], ["bob", "mug"]]
    wrong = {"time": "meta.att", "event": {"order": {"args": ["user.id", "items[0].sku"]}}}
    with pytest.raises(HoldsforError, match=r"event\.order has no column 'meta\.att'; did you mean meta\.at\?"):
        recognise(loads(RULES), frame, mapping=wrong)


def test_a_stream(spark: Any, folder: Path) -> None:
    from holdsfor.spark import materialise_stream, recognise_stream

    write(folder, "directory")
    schema = SCHEMA.replace("map<string, string>", "struct<country: string>")

    def rows() -> Any:
        return spark.readStream.schema(schema).json(str(folder / "days"))

    made = recognise_stream(loads(RULES), rows(), mapping="map.toml", window=100, step=1, start=0, buckets=2)
    made.start(str(folder / "out"), checkpoint=str(folder / "c"), trigger={"availableNow": True}).awaitTermination()
    found = spark.read.parquet(f"{folder / 'out'}/*")
    assert sorted({row.fluent for row in found.collect()}) == FOUND
    stream = materialise_stream(loads_metric(METRIC), rows(), mapping="metric.toml", lateness=5, buckets=2)
    stream.start(str(folder / "m"), checkpoint=str(folder / "mc"), trigger={"availableNow": True}).awaitTermination()


@pytest.mark.parametrize(
    ("name", "contents", "says"),
    [
        (
            "x.jsonl.xz",
            lzma.compress(b"{}\n"),
            "Spark cannot read x.jsonl.xz, a xz file; unpack it, or use --engine local",
        ),
        (
            "x.jsonl",
            gzip.compress(b"{}\n", mtime=0),
            "x.jsonl is a gzip file, which Spark only sees by its name; let it end in .gz",
        ),
    ],
)
def test_files_that_spark_cannot_read(one_session: Any, folder: Path, name: str, contents: bytes, says: str) -> None:
    del one_session
    (folder / name).write_bytes(contents)
    for rules, mapping in (("rules.prolog", "map.toml"), ("rules.dmtl", "metric.toml")):
        result = run(rules, "--events", name, "--mapping", mapping)
        assert (result.exit_code, result.stderr) == (1, f"error: {says}\n")


def test_facts_of_which_nothing_can_be_read(one_session: Any, folder: Path) -> None:
    del one_session
    (folder / "x.csv").write_text("time,door\n1,front\n")
    result = run("rules.dmtl", "--events", "x.csv")
    assert result.exit_code == 1
    assert result.stderr == (
        "error: nothing in x.csv could be read: it looks like CSV with a header (columns time, door); write a mapping "
        "with `holdsfor map x.csv --rules rules.dmtl -o mapping.toml`, and give it with --mapping\n"
    )
    assert result.stdout == ""
    (folder / "x.csv").write_text("Other(a)@3\n")
    assert run("rules.dmtl", "--events", "x.csv").exit_code == 0


def test_facts_from_tables(spark: Any, folder: Path) -> None:
    from holdsfor.spark import derived_events, explain, recognise, recognise_stream

    (folder / "vip.prolog").write_text("initiatedAt(vip(U)=true, T) :- happensAt(order(U), T), tier(U, gold, _).\n")
    tiers = spark.createDataFrame([("ann", "gold", 3), ("bob", "tin", 4)], "customer string, level string, since long")
    spark.sql("drop table if exists customers")
    tiers.createOrReplaceTempView("customers")
    events = spark.createDataFrame([(1, "ann"), (2, "bob")], "time long, user string")
    for table in (tiers, spark.table("customers"), tiers.toPandas(), tiers.toArrow()):
        background = {"tier": table}
        found = recognise("vip.prolog", {"order": events}, background=background, partitions=2)
        assert [row.fluent for row in found.collect()] == ["vip(ann)"]
    assert derived_events("vip.prolog", {"order": events}, background={"tier": tiers}, partitions=2).collect() == []
    assert explain("vip.prolog", {"order": events}, "vip(ann)=true", 5, background={"tier": tiers}).holds
    local = load("vip.prolog", background={"tier": tiers})
    assert len(local.recognise({"order": [(1, "ann"), (2, "bob")]})) == 1
    session = local.session()
    session.push_one("order", 1, "ann")
    assert len(session.query()) == 1
    (folder / "in").mkdir()
    events.write.parquet(str(folder / "in" / "a"))
    rows = spark.readStream.schema(events.schema).parquet(str(folder / "in" / "*"))
    made = recognise_stream("vip.prolog", {"order": rows}, background={"tier": tiers}, window=9, start=0, buckets=2)
    made.start(str(folder / "out"), checkpoint=str(folder / "c"), trigger={"availableNow": True}).awaitTermination()
