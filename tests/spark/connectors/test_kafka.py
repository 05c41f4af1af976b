"""Kafka, over TCP against librdkafka's mock cluster."""

from __future__ import annotations

import json
import pickle
import time
from collections.abc import Iterable
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

pytest.importorskip("pyspark.sql.streaming.datasource", reason="needs PySpark 4.2: pip install 'holdsfor[spark]'")

from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows

from holdsfor.spark.connectors import json_columns, kafka_messages, malformed, well_formed
from holdsfor.spark.connectors.common import ConnectorError, DataLost
from holdsfor.spark.connectors.kafka.cluster import Partition, Topics
from holdsfor.spark.connectors.kafka.offsets import bounded
from holdsfor.spark.connectors.kafka.reader import KafkaReader, KafkaStreamReader, OffsetRange
from holdsfor.spark.connectors.kafka.source import KafkaSource
from holdsfor.spark.connectors.kafka.writer import KafkaWriter
from holdsfor.spark.connectors.options import OptionError, Options

_NUMBERS = count()


def new_topic(servers: str, messages: Iterable[tuple[int, bytes]] = ()) -> str:
    """A topic of its own for a test, with messages in some of its four partitions."""
    topic = f"t{next(_NUMBERS)}"
    send(servers, topic, [(0, b"made"), *messages])
    return topic


def send(servers: str, topic: str, messages: Iterable[tuple[int, bytes]]) -> None:
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": servers})
    for partition, value in messages:
        producer.produce(topic, value=value, key=b"k", partition=partition, headers=[("h", b"1")])
    assert producer.flush(30) == 0


def source(servers: str, topic: str, **options: Any) -> KafkaSource:
    given = {"kafka.bootstrap.servers": servers, "subscribe": topic, "kafkaConsumer.pollTimeoutMs": "20000"}
    return KafkaSource({**given, **{name.replace("__", "."): str(value) for name, value in options.items()}})


def stream_reader(servers: str, topic: str, **options: Any) -> KafkaStreamReader:
    made = source(servers, topic, **options)
    return made.streamReader(made.schema())


def reader(servers: str, topic: str, **options: Any) -> KafkaReader:
    made = source(servers, topic, **options)
    return made.reader(made.schema())


def rows_of(reader: Any, partitions: Any) -> list[dict[str, Any]]:
    """Read as Spark does: the reader and its partitions travel to other processes."""
    sent = pickle.loads(pickle.dumps(reader))
    batches = [batch for part in partitions for batch in sent.read(pickle.loads(pickle.dumps(part)))]
    return [row for batch in batches for row in batch.to_pylist()]


def values(reader: Any, partitions: Any) -> list[bytes]:
    return [row["value"] for row in rows_of(reader, partitions)]


class TestReader:
    def test_columns_are_those_of_sparks_own_connector(self, kafka_servers: str) -> None:
        topic = new_topic(kafka_servers)
        made = reader(kafka_servers, topic, includeHeaders="true")
        [row] = rows_of(made, made.partitions())
        moment = row.pop("timestamp")
        assert abs(moment.timestamp() - time.time()) < 60
        assert row == {
            "key": b"k",
            "value": b"made",
            "topic": topic,
            "partition": 0,
            "offset": 0,
            "timestampType": 0,
            "headers": [{"key": "h", "value": b"1"}],
        }
        assert "headers" not in source(kafka_servers, topic).schema().names

    def test_batches_are_bounded_and_replayed_exactly(self, kafka_servers: str) -> None:
        messages = [(number % 2, b"%d" % number) for number in range(9)]
        topic = new_topic(kafka_servers, messages)
        made = stream_reader(kafka_servers, topic, startingOffsets="earliest", maxOffsetsPerTrigger=4)
        start, ranges = made.initialOffset(), []
        assert start == {topic: {"0": 0, "1": 0, "2": 0, "3": 0}}
        while (end := made.latestOffset(start, made.getDefaultReadLimit())) != start:
            ranges.append((start, end))
            start = end
        first_time = [sorted(values(made, made.partitions(*both))) for both in ranges]
        assert [len(batch) for batch in first_time] == [4, 4, 2]
        assert sorted(value for batch in first_time for value in batch) == sorted(
            [b"made", *(value for _, value in messages)]
        )
        send(kafka_servers, topic, [(0, b"later")])
        again = stream_reader(kafka_servers, topic)
        assert [sorted(values(again, again.partitions(*both))) for both in ranges] == first_time
        end = again.latestOffset(start, ReadAllAvailable())
        assert end == again.reportLatestOffset() == {topic: {"0": 7, "1": 4, "2": 0, "3": 0}}
        assert values(again, again.partitions(start, end)) == [b"later"]

    def test_start_positions(self, kafka_servers: str) -> None:
        topic = new_topic(kafka_servers, [(0, b""), (1, b"")])

        def start(**options: Any) -> list[int]:
            return list(stream_reader(kafka_servers, topic, **options).initialOffset()[topic].values())

        assert start() == start(startingOffsets="latest") == [2, 1, 0, 0]
        assert start(startingOffsets="earliest") == [0, 0, 0, 0]
        assert start(startingOffsets=json.dumps({topic: {"0": 1, "1": -1, "2": -2, "3": 0}})) == [1, 1, 0, 0]
        # The mock cluster has no index by time: it says that there is nothing as late as that.
        assert start(startingTimestamp="2101-01-01") == [2, 1, 0, 0]
        with pytest.raises(ConnectorError, match="must name every partition and no other"):
            start(startingOffsets=json.dumps({topic: {"0": 1}}))

    def test_available_now_stops_at_what_was_there(self, kafka_servers: str) -> None:
        topic = new_topic(kafka_servers)
        made = stream_reader(kafka_servers, topic, startingOffsets="earliest")
        made.prepareForTriggerAvailableNow()
        send(kafka_servers, topic, [(0, b""), (1, b"")])
        end = made.latestOffset(made.initialOffset(), ReadAllAvailable())
        assert end == {topic: {"0": 1, "1": 0, "2": 0, "3": 0}}
        assert made.latestOffset(end, ReadMaxRows(5)) == end

    def test_one_partition_for_several_tasks(self, kafka_servers: str) -> None:
        topic = new_topic(kafka_servers, [(0, b"%d" % number) for number in range(7)])
        made = reader(
            kafka_servers,
            topic,
            minPartitions=2,
            endingOffsets=json.dumps({topic: dict.fromkeys("0123", 6) | dict.fromkeys("123", 0)}),
        )
        parts = made.partitions()
        assert parts == [OffsetRange(topic, 0, 0, 3), OffsetRange(topic, 0, 3, 6)]
        assert values(made, parts) == [b"made", b"0", b"1", b"2", b"3", b"4"]

    def test_partitions_assigned_and_topics_by_pattern(self, kafka_servers: str) -> None:
        topic = new_topic(kafka_servers, [(1, b"one"), (2, b"two")])
        given = {"kafka.bootstrap.servers": kafka_servers}
        assigned = KafkaSource({**given, "assign": json.dumps({topic: [1, 2]})})
        made = assigned.reader(assigned.schema())
        assert values(made, made.partitions()) == [b"one", b"two"]
        fitting = KafkaSource({**given, "subscribePattern": f"{topic[:-1]}[{topic[-1]}]"})
        made = fitting.reader(fitting.schema())
        assert values(made, made.partitions()) == [b"made", b"one", b"two"]

    def test_messages_that_have_gone_are_an_error_unless_said_otherwise(self, kafka_servers: str) -> None:
        topic = new_topic(kafka_servers, [(0, b"one")])
        strict = stream_reader(kafka_servers, topic)
        ahead = {topic: {"0": 50, "1": 0, "2": 0, "3": 0}}
        with pytest.raises(DataLost, match="partition 0 of .* ends before 50"):
            strict.latestOffset(ahead, ReadAllAvailable())
        with pytest.raises(DataLost, match="offset 40 of partition 0"):
            rows_of(strict, [OffsetRange(topic, 0, 40, 50)])
        easy = stream_reader(kafka_servers, topic, failOnDataLoss="false")
        assert easy.latestOffset(ahead, ReadAllAvailable()) == ahead

    def test_what_is_wrong_is_named(self, kafka_servers: str) -> None:
        with pytest.raises(ConnectorError, match="no topic nowhere"):
            reader(kafka_servers, "nowhere").partitions()
        with pytest.raises(OptionError, match="'subscribe', 'subscribePattern' and 'assign' is missing"):
            reader(kafka_servers, "")
        with pytest.raises(OptionError, match="'startingOffsets' is 'soon', but it must be JSON such as"):
            reader(kafka_servers, "t", startingOffsets="soon")
        with pytest.raises(
            OptionError, match="'endingoffsets' is not accepted here|'endingOffsets' is not accepted here"
        ):
            stream_reader(kafka_servers, "t", endingOffsets="latest")
        with pytest.raises(OptionError, match="unknown option 'subscrib'; did you mean 'subscribe'"):
            source(kafka_servers, "t", subscrib="x").schema()
        with pytest.raises(OptionError, match='librdkafka.*No such configuration property: "key.deserializer"'):
            reader(kafka_servers, "t", kafka__key__deserializer="x").partitions()
        with pytest.raises(ConnectorError, match="leave .schema"):
            made = source(kafka_servers, "t", includeHeaders="true")
            made.reader(source(kafka_servers, "t").schema())


def test_a_login_in_javas_form() -> None:
    from holdsfor.spark.connectors.kafka.cluster import Properties

    def properties(login: str) -> dict[str, str]:
        given = {"kafka.bootstrap.servers": "x", "kafka.sasl.jaas.config": login}
        return dict(Properties.of(Options("holdsfor-kafka", given, (), prefix="kafka.")).given)

    found = properties('org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="b c";')
    assert found == {"bootstrap.servers": "x", "sasl.username": "a", "sasl.password": "b c"}
    with pytest.raises(OptionError, match="only username and password"):
        properties("com.sun.security.auth.module.Krb5LoginModule required;")


def test_shares_of_a_bounded_batch() -> None:
    small, large = Partition("t", 0), Partition("t", 1)
    start, end = {small: 5, large: 0}, {small: 6, large: 1000}
    assert bounded(start, end, None) == bounded(start, end, 1001) == end
    assert bounded(start, end, 1) == {small: 5, large: 1}
    assert bounded(start, end, 100) == {small: 5, large: 100}
    assert Topics(pattern="t.*").among({"t1": [1, 0], "u": [0]}) == [Partition("t1", 0), Partition("t1", 1)]


class TestWriter:
    def writer(self, servers: str, batch: pa.RecordBatch, **options: str) -> KafkaWriter:
        from pyspark.sql.pandas.types import from_arrow_schema

        made = KafkaSource({"kafka.bootstrap.servers": servers, **options})
        return pickle.loads(pickle.dumps(made.writer(from_arrow_schema(batch.schema), overwrite=False)))

    def test_rows_become_messages(self, kafka_servers: str) -> None:
        topic = new_topic(kafka_servers)
        batch = pa.RecordBatch.from_pydict(
            {
                "key": ["a", None],
                "value": ["1", None],
                "partition": pa.array([3, 3], pa.int32()),
                "headers": [[{"key": "h", "value": b"x"}], None],
            }
        )
        assert self.writer(kafka_servers, batch, topic=topic).write(iter([batch])).rows == 2
        made = reader(kafka_servers, topic, includeHeaders="true")
        rows = rows_of(made, [OffsetRange(topic, 3, 0, 2)])
        assert [(row["key"], row["value"], row["headers"]) for row in rows] == [
            (b"a", b"1", [{"key": "h", "value": b"x"}]),
            (None, None, None),
        ]

    def test_what_is_wrong_is_named(self, kafka_servers: str) -> None:
        batch = pa.RecordBatch.from_pydict({"value": ["1"]})
        with pytest.raises(OptionError, match="give option 'topic'"):
            self.writer(kafka_servers, batch)
        changelog = pa.RecordBatch.from_pydict({"id": ["1"], "value": [1]})
        with pytest.raises(ConnectorError, match="column 'value' to be binary or string, and it is bigint"):
            self.writer(kafka_servers, changelog, topic="t")
        changelog = pa.RecordBatch.from_pydict({"id": ["1"], "op": ["open"], "value": ["true"]})
        with pytest.raises(
            ConnectorError, match="'id', 'op' would be lost; make messages of rows with .*kafka_messages"
        ):
            self.writer(kafka_servers, changelog, topic="t")
        unreachable = {"kafka.message.timeout.ms": "300", "topic": "t"}
        with pytest.raises(ConnectorError, match="sending failed"):
            self.writer("127.0.0.1:1", batch, **unreachable).write(iter([batch]))


def test_through_spark_and_back(connected: Any, kafka_servers: str, tmp_path: Path) -> None:
    """Rows out as a DataFrame, then a stream from topic to topic, with a message that is no JSON."""
    topic, target = new_topic(kafka_servers), new_topic(kafka_servers)
    frame = connected.createDataFrame([("a", 1), ("b", None)], "id string, at bigint")
    options = {"kafka.bootstrap.servers": kafka_servers}
    frame.transform(kafka_messages()).write.format("holdsfor-kafka").options(topic=topic, **options).mode(
        "append"
    ).save()
    messages = (
        connected.readStream.format("holdsfor-kafka")
        .options(subscribe=topic, startingOffsets="earliest", **options)
        .load()
        .transform(json_columns("id string, at bigint", keep=["key"]))
    )
    seen: list[Any] = []

    def collect(batch: Any, _: int) -> None:
        rows = batch.persist()
        seen.extend(rows.transform(malformed).select("_malformed").collect())
        rows.transform(well_formed).drop("key").transform(kafka_messages(key=None)).write.format(
            "holdsfor-kafka"
        ).options(topic=target, **options).mode("append").save()

    query = messages.writeStream.foreachBatch(collect).trigger(availableNow=True)
    query.option("checkpointLocation", str(tmp_path)).start().awaitTermination()
    assert [row[0] for row in seen] == ["made"]
    made = reader(kafka_servers, target)
    got = [json.loads(value) for value in values(made, made.partitions()) if value != b"made"]
    assert sorted(got, key=repr) == [{"id": "a", "at": 1}, {"id": "b", "at": None}]
