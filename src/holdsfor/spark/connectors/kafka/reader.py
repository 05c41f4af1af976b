"""Reads Kafka topics with one task per partition, or several for large ones."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, SupportsTriggerAvailableNow
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    IntegerType,
    LongType,
    StringType,
    StructType,
    TimestampType,
)

from holdsfor.spark.connectors.common import ConnectorError, DataLost, default_limit, most_rows, slices
from holdsfor.spark.connectors.kafka.cluster import Cluster, Offsets, Properties, Topics
from holdsfor.spark.connectors.kafka.offsets import Position, bounded, from_json, to_json
from holdsfor.spark.connectors.options import Options

if TYPE_CHECKING:
    from confluent_kafka import Message

_FIELDS = (
    ("key", BinaryType(), pa.binary()),
    ("value", BinaryType(), pa.binary()),
    ("topic", StringType(), pa.string()),
    ("partition", IntegerType(), pa.int32()),
    ("offset", LongType(), pa.int64()),
    ("timestamp", TimestampType(), pa.timestamp("us", tz="UTC")),
    ("timestampType", IntegerType(), pa.int32()),
)
_HEADER = StructType().add("key", StringType()).add("value", BinaryType())
_ARROW_HEADERS = pa.list_(pa.field("element", pa.struct([("key", pa.string()), ("value", pa.binary())])))
_CONSUME = 10_000
_POLL = 0.2
"""The timeout of a client call in seconds; a call returns early when it is complete."""


def schema(*, headers: bool) -> StructType:
    """The columns of Spark's own connector."""
    made = StructType()
    for name, kind, _ in _FIELDS:
        made = made.add(name, kind)
    return made.add("headers", ArrayType(_HEADER)) if headers else made


@dataclass(frozen=True)
class KafkaReading:
    """The selection to read, and the start position."""

    properties: Properties
    topics: Topics
    starting: Position
    ending: Position
    least_partitions: int
    most: int | None
    fail_on_loss: bool
    headers: bool
    patience: float

    @staticmethod
    def of(options: Options, *, streaming: bool) -> KafkaReading:
        """Reads the options."""
        if streaming:
            options.refuse("endingOffsets", "endingTimestamp", reason="a stream has no end")
        return KafkaReading(
            Properties.of(options),
            Topics.of(options),
            Position.of(options, "starting", "latest" if streaming else "earliest"),
            Position.of(options, "ending", "latest"),
            options.whole("minPartitions", 1) or 1,
            options.whole("maxOffsetsPerTrigger"),
            options.flag("failOnDataLoss", default=True),
            options.flag("includeHeaders", default=False),
            (options.whole("kafkaConsumer.pollTimeoutMs", 120_000) or 120_000) / 1000,
        )

    def cut(self, start: Offsets, end: Offsets) -> list[OffsetRange]:
        """Divides the work into tasks: partitions, with large ones split if more tasks are wanted."""
        sizes = {place: end[place] - start[place] for place in sorted(end) if end[place] > start[place]}
        whole = sum(sizes.values())
        pieces = {place: max(1, round(self.least_partitions * size / whole)) for place, size in sizes.items()}
        return [
            OffsetRange(*place, low, high)
            for place in sizes
            for low, high in slices(start[place], end[place], pieces[place])
        ]


@dataclass(frozen=True)
class OffsetRange(InputPartition):
    """Offsets of one partition, for one task."""

    topic: str
    partition: int
    low: int
    high: int


class _Reads:
    """Reads a range, for batches and streams."""

    def __init__(self, reading: KafkaReading) -> None:
        self.reading = reading
        self.cluster = Cluster(reading.properties, reading.patience)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The messages of a range."""
        if isinstance(partition, OffsetRange):
            yield from _messages(self.reading, partition)

    def lost(self, what: str) -> None:
        """Reports lost messages, unless the options disable it."""
        if self.reading.fail_on_loss:
            raise DataLost(_loss(what))


class KafkaReader(_Reads, DataSourceReader):
    """Reads the messages that exist when the query is planned."""

    def partitions(self) -> list[InputPartition]:
        """Partitions of the topics."""
        places = self.cluster.partitions(self.reading.topics)
        start = self.reading.starting.resolved(self.cluster, places)
        return list(self.reading.cut(start, self.reading.ending.resolved(self.cluster, places)))


class KafkaStreamReader(_Reads, DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads continuously."""

    def __init__(self, reading: KafkaReading) -> None:
        super().__init__(reading)
        self._target: Offsets | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """The start position of a new query."""
        places = self.cluster.partitions(self.reading.topics)
        return to_json(self.reading.starting.resolved(self.cluster, places))

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """The limit of `maxOffsetsPerTrigger`."""
        return default_limit(self.reading.most)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        """The end of the next batch; new partitions are read from their beginning."""
        before = from_json(start)
        end = self._latest()
        for place, offset in before.items():
            if end.get(place, -1) < offset:
                self.lost(f"partition {place.partition} of {place.topic} ends before {offset}, where reading stopped")
                end[place] = offset
        if self._target is not None:
            known = self._target | before
            end = {
                place: max(before.get(place, 0), min(offset, self._target.get(place, 0)))
                for place, offset in end.items()
                if place in known
            }
        new = self.cluster.offsets([place for place in end if place not in before], "earliest")
        return to_json(bounded(before | new, end, most_rows(limit)))

    def reportLatestOffset(self) -> dict[str, Any]:  # noqa: N802
        """The ends of the partitions, for the progress report."""
        return to_json(self._latest())

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Limits reading to the current ends of the partitions."""
        self._target = self._latest()

    def _latest(self) -> Offsets:
        return self.cluster.offsets(self.cluster.partitions(self.reading.topics), "latest")

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """The tasks of a batch; the same offsets give the same tasks."""
        before, after = from_json(start), from_json(end)
        new = self.cluster.offsets([place for place in after if place not in before], "earliest")
        return self.reading.cut(before | new, after)


def _loss(what: str) -> str:
    return f"holdsfor-kafka: {what}. To go on with what is there, set option failOnDataLoss to false"


def _messages(reading: KafkaReading, part: OffsetRange) -> Iterator[pa.RecordBatch]:
    """The messages of a range in blocks of some thousand; offsets may be missing (compaction, transactions)."""
    from confluent_kafka import Consumer, TopicPartition

    own = {
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "enable.partition.eof": True,
        "auto.offset.reset": "error" if reading.fail_on_loss else "earliest",
    }
    defaults = (("group.id", "holdsfor-kafka"), ("isolation.level", "read_uncommitted"))
    properties = Properties(tuple((dict(defaults) | dict(reading.properties.given)).items()))
    consumer = properties.client(Consumer, **own)
    try:
        consumer.assign([TopicPartition(part.topic, part.partition, part.low)])
        following, heard = part.low, time.monotonic()
        while following < part.high:
            found = consumer.consume(min(_CONSUME, part.high - following), timeout=_POLL)
            good = [message for message in found if _is_message(message, part)]
            if found:
                heard = time.monotonic()
                following = _following(found, following)
            elif time.monotonic() - heard > reading.patience:
                raise ConnectorError(
                    f"holdsfor-kafka: nothing from partition {part.partition} of {part.topic} at offset {following} "
                    f"in {reading.patience:g} s"
                )
            if good:
                yield _batch(good, headers=reading.headers)
    finally:
        consumer.close()


def _is_message(message: Message, part: OffsetRange) -> bool:
    """Whether a message belongs to the range. Errors are raised, except the end of a partition."""
    from confluent_kafka import KafkaError

    problem = message.error()
    if problem is None:
        return int(message.offset() or 0) < part.high
    if problem.code() == KafkaError._PARTITION_EOF:  # noqa: SLF001 -- public in spite of its name
        return False
    if problem.code() in {KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE}:  # noqa: SLF001 -- public in spite of its name
        raise DataLost(_loss(f"offset {part.low} of partition {part.partition} of {part.topic} is gone"))
    raise ConnectorError(f"holdsfor-kafka: reading {part.topic} failed: {problem.str()}")


def _following(found: Sequence[Message], following: int) -> int:
    """The offset after the last message, or the end of the partition if it was reached."""
    last = found[-1]
    offset = int(last.offset() or 0)
    return max(following, offset if last.error() is not None else offset + 1)


def _batch(messages: Sequence[Message], *, headers: bool) -> pa.RecordBatch:
    stamps = [message.timestamp() for message in messages]
    columns: list[Any] = [
        [message.key() for message in messages],
        [message.value() for message in messages],
        [message.topic() for message in messages],
        [message.partition() for message in messages],
        [message.offset() for message in messages],
        [moment * 1000 if kind else None for kind, moment in stamps],
        # The client uses 0 for none, 1 for created, 2 for appended; Spark uses -1, 0, 1.
        [kind - 1 for kind, _ in stamps],
    ]
    fields = [(name, kind) for name, _, kind in _FIELDS]
    if headers:
        columns.append([_headers(message) for message in messages])
        fields.append(("headers", _ARROW_HEADERS))
    arrays = [pa.array(column, kind) for column, (_, kind) in zip(columns, fields, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))


def _headers(message: Message) -> list[dict[str, Any]] | None:
    found = message.headers()
    return None if found is None else [{"key": name, "value": value} for name, value in found]
