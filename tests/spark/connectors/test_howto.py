"""The pages about sources, sinks and clusters, with real servers: what they say is what happens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.docs.catalogue import never_run
from tests.docs.on_spark import finish, followed_in, own_checkpoints
from tests.docs.pages import DOCS, Page
from tests.spark.connectors.test_nats import with_jetstream


@pytest.fixture(autouse=True)
def folder(spark: Any, tmp_path: Path) -> Iterator[None]:
    with followed_in(spark, tmp_path):
        yield


def test_a_cluster() -> None:
    Page(DOCS / "howto/spark-cluster.md").follow()


def test_kafka(kafka_servers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAFKA_SERVERS", kafka_servers)
    Page(DOCS / "howto/kafka.md").follow()


def test_postgresql(postgres_url: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POSTGRES_URL", postgres_url)
    Page(DOCS / "howto/postgresql.md").follow()


CHANGES = "id string, op string, fluent string, value string, start bigint, end bigint, query_time bigint"


def test_all_sources_and_sinks(connected: Any, nats_url: str, kafka_servers: str, postgres_url: str) -> None:
    import psycopg

    Path("landing").mkdir()
    Path("log.csv").write_text("vessel,area,at\ntern,bay,10\n")
    with_jetstream(nats_url, _streams)
    with psycopg.connect(postgres_url) as connection:
        connection.execute("drop table if exists ais, intervals")
        connection.execute("create table ais (id bigint primary key, vessel text)")
    row = ("a1", "open", "inArea(tern,bay)", "true", 11, None, 20)
    connected.createDataFrame([row], CHANGES).write.parquet("changelog")
    payload = b'{"vessel": "tern", "area": "bay", "at": 10}'
    frame = connected.createDataFrame([(payload, 0), (b"?", 1)], "value binary, timestamp bigint")
    frame.write.parquet("messages")
    names = {
        "spark": connected,
        "messages": connected.readStream.schema("value binary, timestamp bigint").parquet("messages"),
        "changelog": connected.readStream.schema(CHANGES).parquet("changelog"),
    }
    checkpointed = own_checkpoints()

    def here(text: str) -> str:
        text = text.replace("nats://127.0.0.1:4222", nats_url).replace("127.0.0.1:9092", kafka_servers)
        for user in ("reader", "writer"):
            text = text.replace(f"postgresql://{user}@db.example:5432/ships", postgres_url)
        return checkpointed(text)

    Page(DOCS / "connectors.md", names, never_run("connectors.md"), here).follow()
    finish(connected)
    assert connected.read.parquet("events").count() == connected.read.parquet("malformed").count() == 1
    assert names["history"].count() == 1
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("select id, fluent from intervals").fetchall() == [("a1", "inArea(tern,bay)")]


async def _streams(jetstream: Any) -> None:
    for name in ("ais", "intervals"):
        await jetstream.add_stream(name=name, subjects=[f"{name}.>"])
