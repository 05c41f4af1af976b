"""Reads a JetStream stream; offsets are its sequence numbers, so any batch can be read again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, SupportsTriggerAvailableNow
from pyspark.sql.types import BinaryType, LongType, MapType, StringType, StructType, TimestampType

from holdsfor.spark.connectors.common import ConnectorError, DataLost, default_limit, most_rows, slices
from holdsfor.spark.connectors.nats.connection import Extent, Servers, extent_of, first_after, next_of
from holdsfor.spark.connectors.nats.inbox import Inbox
from holdsfor.spark.connectors.options import Options

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg
    from nats.js.client import JetStreamContext

SCHEMA = (
    StructType()
    .add("subject", StringType())
    .add("value", BinaryType())
    .add("sequence", LongType())
    .add("timestamp", TimestampType())
    .add("headers", MapType(StringType(), StringType()))
)
ARROW_SCHEMA = pa.schema(
    [
        ("subject", pa.string()),
        ("value", pa.binary()),
        ("sequence", pa.int64()),
        ("timestamp", pa.timestamp("us", tz="UTC")),
        ("headers", pa.map_(pa.string(), pa.string())),
    ]
)
_FETCH = 5000
"""Messages per request."""
_FETCH_BYTES = 64 << 20
"""Bytes per request."""
_OLD_DOTS = 8
"""The number of dots in the acknowledgement subject of a message, for servers before domains."""
_SHORTEST = 1000
"""A task for fewer messages costs more than it saves."""
_IDLE = 600
"""Seconds after which the server drops a consumer; Spark may pause between two fetches."""


@dataclass(frozen=True)
class NatsReading:
    """The selection to read, and the start position."""

    servers: Servers
    stream: str
    subjects: tuple[str, ...]
    by_subject: bool
    starting: str | int | datetime
    ending: int | None
    partitions: int
    most: int | None
    fail_on_loss: bool

    @staticmethod
    def of(options: Options, *, streaming: bool) -> NatsReading:
        """Reads the options."""
        options.refuse_together("startingOffsets", "startingTimestamp")
        if streaming:
            options.refuse("endingSequence", reason="a stream has no end")
        subjects = options.names("subjects")
        by_subject = options.choice("partitionBy", ("sequence", "subject"), "sequence") == "subject"
        if by_subject:
            _refuse_overlap(options, subjects)
        return NatsReading(
            Servers.of(options),
            options.required("stream"),
            subjects,
            by_subject,
            options.moment("startingTimestamp") or _position(options, "latest" if streaming else "earliest"),
            options.whole("endingSequence"),
            options.whole("numPartitions", 4) or 4,
            options.whole("maxOffsetsPerTrigger"),
            options.flag("failOnDataLoss", default=True),
        )

    async def start(self, jetstream: JetStreamContext, extent: Extent) -> int:
        """The first sequence number to read."""
        match self.starting:
            case "earliest":
                return extent.first
            case "latest":
                return extent.next
            case int(sequence):
                return max(1, sequence)
            case moment:
                assert isinstance(moment, datetime)
                return await first_after(jetstream, self.stream, moment, otherwise=extent.next)

    def cut(self, low: int, high: int) -> list[Slice]:
        """Divides a range into slices, one per task."""
        if self.by_subject:
            return [Slice(low, high, (subject,)) for subject in self.subjects if low < high]
        return [Slice(*piece, self.subjects) for piece in slices(low, high, self.partitions, least=_SHORTEST)]


def _position(options: Options, default: str) -> str | int:
    value = (options.text("startingOffsets", default) or default).lower()
    if value in {"earliest", "latest"}:
        return value
    if not value.isdigit():
        raise options.wrong("startingOffsets", value, "earliest, latest or a sequence number")
    return int(value)


def _refuse_overlap(options: Options, subjects: Sequence[str]) -> None:
    """Rejects overlapping subjects for one task per subject, which would read a message twice."""
    if not subjects:
        raise options.wrong("partitionBy", "subject", "sequence where no 'subjects' are given")
    for place, one in enumerate(subjects):
        for other in subjects[place + 1 :]:
            if overlap(one.split("."), other.split(".")):
                raise options.wrong("subjects", f"{one},{other}", "without overlap to be partitioned by")


def overlap(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether some subject matches both patterns.

    >>> overlap("a.*".split("."), "*.b".split(".")), overlap("a.>".split("."), "a".split("."))
    (True, False)
    """
    for place in range(max(len(one), len(other))):
        if place >= len(one) or place >= len(other):
            return False
        if ">" in {one[place], other[place]}:
            return True
        if "*" not in {one[place], other[place]} and one[place] != other[place]:
            return False
    return True


@dataclass(frozen=True)
class Slice(InputPartition):
    """The sequence numbers of one task, and its subjects; empty means all subjects."""

    low: int
    high: int
    subjects: tuple[str, ...]


class _Reads:
    """Reads a slice, for batches and streams."""

    def __init__(self, reading: NatsReading) -> None:
        self.reading = reading

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The messages of a slice."""
        if isinstance(partition, Slice):
            yield from _messages(self.reading, partition)


class NatsReader(_Reads, DataSourceReader):
    """Reads the messages that exist when the query is planned."""

    def partitions(self) -> list[InputPartition]:
        """Slices of the stream."""
        return list(asyncio.run(self._partitions()))

    async def _partitions(self) -> list[Slice]:
        reading = self.reading
        async with reading.servers.connect() as client:
            jetstream = reading.servers.jetstream(client)
            extent = await extent_of(jetstream, reading.stream)
            low = max(extent.first, await reading.start(jetstream, extent))
        high = extent.next if reading.ending is None else min(extent.next, reading.ending + 1)
        return reading.cut(low, high)


class NatsStreamReader(_Reads, DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads continuously. An offset is the next sequence number, with the creation time of the stream."""

    def __init__(self, reading: NatsReading) -> None:
        super().__init__(reading)
        self._target: int | None = None

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """The start position of a new query."""

        async def ask() -> dict[str, Any]:
            async with self.reading.servers.connect() as client:
                jetstream = self.reading.servers.jetstream(client)
                extent = await extent_of(jetstream, self.reading.stream)
                return {"created": extent.created, "next": await self.reading.start(jetstream, extent)}

        return asyncio.run(ask())

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """The limit of `maxOffsetsPerTrigger`."""
        return default_limit(self.reading.most)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        """The end of the next batch."""
        return asyncio.run(self._latest(start, most_rows(limit)))

    async def _latest(self, start: dict[str, Any], most: int | None) -> dict[str, Any]:
        reading = self.reading
        async with reading.servers.connect() as client:
            jetstream = reading.servers.jetstream(client)
            extent = await extent_of(jetstream, reading.stream)
            if extent.created != start["created"]:
                self._lost(f"it was made anew at {extent.created}")
                start = {"created": extent.created, "next": extent.first}
            high = extent.next if self._target is None else min(extent.next, self._target)
            low = max(start["next"], extent.first)
            if most is not None and reading.subjects and high - low > most:
                # Other subjects in between do not count.
                wanted = await next_of(jetstream, reading.stream, reading.subjects, low)
                low = high if wanted is None else wanted
            if most is not None:
                high = min(high, low + most)
        return {"created": extent.created, "next": max(high, start["next"])}

    def reportLatestOffset(self) -> dict[str, Any]:  # noqa: N802
        """The end of the stream, for the progress report."""
        extent = asyncio.run(self._extent())
        return {"created": extent.created, "next": extent.next}

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Limits reading to the current end of the stream."""
        self._target = asyncio.run(self._extent()).next

    async def _extent(self) -> Extent:
        async with self.reading.servers.connect() as client:
            return await extent_of(self.reading.servers.jetstream(client), self.reading.stream)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """The slices of a batch; the same offsets give the same slices."""
        low = start["next"] if start["created"] == end["created"] else 1
        return self.reading.cut(low, end["next"])

    def _lost(self, what: str) -> None:
        if self.reading.fail_on_loss:
            raise DataLost(_loss(self.reading.stream, what))


def _loss(stream: str, what: str) -> str:
    return (
        f"holdsfor-nats: messages of stream {stream!r} are gone: {what}. "
        "To go on with what is there, set option failOnDataLoss to false"
    )


def _messages(reading: NatsReading, part: Slice) -> Iterator[pa.RecordBatch]:
    """The messages of a slice in blocks of some thousand."""
    with asyncio.Runner() as runner:
        cursor = _Cursor(reading, part)
        try:
            runner.run(cursor.open())
            while (found := runner.run(cursor.fetch())) is not None:
                if found.num_rows:
                    yield found
        finally:
            runner.run(cursor.close())


class _Cursor:
    """A JetStream consumer for the duration of one task."""

    def __init__(self, reading: NatsReading, part: Slice) -> None:
        self.reading = reading
        self.part = part
        self._next = part.low
        self._pending = 0
        self._delivered = 0
        self._connection: Any = None
        self._client: Client | None = None
        self._inbox: Inbox | None = None
        self._consumer: str | None = None

    async def open(self) -> None:
        """Connects, checks that no message is missing, and starts."""
        from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

        reading = self.reading
        self._connection = reading.servers.connect()
        self._client = client = await self._connection.__aenter__()
        jetstream = reading.servers.jetstream(client)
        extent = await extent_of(jetstream, reading.stream)
        if extent.first > self.part.low and reading.fail_on_loss:
            raise DataLost(_loss(reading.stream, f"the first is {extent.first} and {self.part.low} was wanted"))
        # Messages have an acknowledgement subject; status messages of the server have none.
        self._inbox = Inbox(client, lambda message: not message.reply)
        await self._inbox.open()
        config = ConsumerConfig(
            deliver_policy=DeliverPolicy.BY_START_SEQUENCE,
            opt_start_seq=max(self.part.low, extent.first),
            ack_policy=AckPolicy.NONE,
            filter_subjects=list(self.part.subjects) or None,
            inactive_threshold=_IDLE,
            mem_storage=True,
            num_replicas=1,
        )
        made = await jetstream.add_consumer(reading.stream, config)
        self._consumer, self._pending = str(made.name), made.num_pending or 0

    async def fetch(self) -> pa.RecordBatch | None:
        """Some messages, or none at the end of the slice."""
        assert self._client is not None
        assert self._inbox is not None
        wanted = min(_FETCH, self._pending, self.part.high - self._next)
        if wanted <= 0:
            return None
        seconds = self.reading.servers.timeout
        request = {"batch": wanted, "max_bytes": _FETCH_BYTES, "expires": seconds * 1_000_000_000}
        where = f"$JS.API.CONSUMER.MSG.NEXT.{self.reading.stream}.{self._consumer}"
        await self._client.publish(where, json.dumps(request).encode(), reply=self._inbox.subject)
        what = f"no messages from {self.reading.stream!r}"
        found = await self._inbox.collect(wanted, seconds + 1, what)
        messages = [message for message in found if message.reply]
        if not messages:
            description = (found[0].headers or {}).get("Description", "")
            raise ConnectorError(f"holdsfor-nats: {what}: {description}")
        return self._rows(messages)

    def _rows(self, messages: Sequence[Msg]) -> pa.RecordBatch:
        """Messages as columns; the acknowledgement subject contains their sequence numbers."""
        places = np.array([message.reply.split(".")[_place(message.reply) :][:4] for message in messages], np.int64)
        sequence, delivered, nanoseconds, pending = places.T
        if not np.array_equal(delivered, np.arange(self._delivered + 1, self._delivered + len(messages) + 1)):
            raise ConnectorError(f"holdsfor-nats: a message of {self.reading.stream!r} was lost on the way")
        self._delivered += len(messages)
        self._next, self._pending = int(sequence[-1]) + 1, int(pending[-1])
        kept = messages[: int(np.searchsorted(sequence, self.part.high))]
        columns: list[Any] = [
            [message.subject for message in kept],
            [message.data for message in kept],
            sequence[: len(kept)],
            nanoseconds[: len(kept)] // 1000,
            [None if message.headers is None else list(message.headers.items()) for message in kept],
        ]
        arrays = [pa.array(column, field.type) for column, field in zip(columns, ARROW_SCHEMA, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=ARROW_SCHEMA)

    async def close(self) -> None:
        """Releases all resources. If the consumer cannot be deleted now, the server drops it later."""
        from nats.errors import Error

        if self._client is not None and self._consumer is not None:
            with suppress(Error):
                jetstream = self.reading.servers.jetstream(self._client)
                await jetstream.delete_consumer(self.reading.stream, self._consumer)
        if self._connection is not None:
            await self._connection.__aexit__(None, None, None)


def _place(reply: str) -> int:
    """The index of the numbers in the subject: after $JS.ACK, domain and account (newer servers), stream, consumer and
    tries.
    """
    return 5 if reply.count(".") == _OLD_DOTS else 7
