"""Sends rows to Kafka; as with Spark's own connector, a repeated batch is sent again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamArrowWriter
from pyspark.sql.types import ArrayType, BinaryType, IntegerType, StringType, StructType

from holdsfor.spark.connectors.common import ConnectorError, Written, refuse_other_columns, require_column
from holdsfor.spark.connectors.kafka.cluster import Properties
from holdsfor.spark.connectors.options import OptionError, Options

_BY_KEY = -1
"""The partition number that lets the client choose by key."""


@dataclass(frozen=True)
class Sending:
    """The destination of rows."""

    properties: Properties
    topic: str | None

    @staticmethod
    def of(options: Options, schema: StructType) -> Sending:
        """Reads the options and the columns."""
        source = options.source
        text = (BinaryType, StringType)
        require_column(source, schema, "value", text)
        others = (("key", text), ("topic", (StringType,)), ("partition", (IntegerType,)), ("headers", (ArrayType,)))
        for name, kinds in others:
            if name in schema.names:
                require_column(source, schema, name, kinds)
        of_messages = ("offset", "timestamp", "timestampType")
        known = ("value", *(name for name, _ in others), *of_messages)
        refuse_other_columns(source, schema, known, "kafka_messages")
        topic = options.text("topic")
        if topic is None and "topic" not in schema.names:
            raise OptionError(f"{source}: give option 'topic', or a column of that name")
        return Sending(Properties.of(options), topic)


class _Sends:
    """Sends the rows of a task, for batches and streams."""

    def __init__(self, sending: Sending) -> None:
        self.sending = sending

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        """Sends all rows; all have been acknowledged when this returns."""
        from confluent_kafka import Producer

        producer = self.sending.properties.client(Producer, **{"enable.idempotence": True})
        problems: list[str] = []

        def delivered(problem: Any, _: Any) -> None:
            if problem is not None:
                problems.append(problem.str())

        rows = 0
        for batch in iterator:
            for message in self._messages(batch):
                _send(producer, {**message, "on_delivery": delivered})
            rows += batch.num_rows
            if problems:
                break
        left = producer.flush()
        if problems or left:
            reason = problems[0] if problems else f"{left} messages were not acknowledged"
            raise ConnectorError(f"holdsfor-kafka: sending failed: {reason}")
        return Written(rows)

    def _messages(self, batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
        def column(name: str) -> list[Any]:
            place = batch.schema.get_field_index(name)
            return batch.column(place).to_pylist() if place >= 0 else [None] * batch.num_rows

        # As with Spark's own connector, the option takes precedence over the column.
        for topic, value, key, partition, headers in zip(
            *map(column, ("topic", "value", "key", "partition", "headers")), strict=True
        ):
            where = self.sending.topic or topic
            if where is None:
                raise ConnectorError("holdsfor-kafka: a row has no topic, and there is no option 'topic'")
            sent = [(header["key"], header["value"]) for header in headers or ()]
            number = _BY_KEY if partition is None else partition
            yield {"topic": where, "value": value, "key": key, "partition": number, "headers": sent}


def _send(producer: Any, message: dict[str, Any]) -> None:
    """Passes a message to the client, and waits while its queue is full."""
    while True:
        try:
            producer.produce(**message)
        except BufferError:
            producer.poll(0.1)
        else:
            producer.poll(0)
            return


class KafkaWriter(_Sends, DataSourceArrowWriter):
    """Sends a DataFrame."""


class KafkaStreamWriter(_Sends, DataSourceStreamArrowWriter):
    """Sends every micro-batch."""
