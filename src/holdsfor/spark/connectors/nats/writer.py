"""Publishes rows to JetStream, with ids by which the server drops duplicates."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamArrowWriter
from pyspark.sql.types import BinaryType, MapType, StringType, StructType

from holdsfor.spark.connectors.common import ConnectorError, Written, refuse_other_columns, require_column
from holdsfor.spark.connectors.nats.connection import Servers
from holdsfor.spark.connectors.nats.inbox import Inbox
from holdsfor.spark.connectors.options import OptionError, Options

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg

_IN_FLIGHT = 2000
"""The number of messages published before waiting for acknowledgements."""


@dataclass(frozen=True)
class Publishing:
    """The destination of rows."""

    servers: Servers
    stream: str | None
    subject: str | None

    @staticmethod
    def of(options: Options, schema: StructType) -> Publishing:
        """Reads the options and the columns."""
        source = options.source
        require_column(source, schema, "value", (BinaryType, StringType))
        for name, kind in (("subject", StringType), ("message_id", StringType), ("headers", MapType)):
            if name in schema.names:
                require_column(source, schema, name, (kind,))
        known = ("subject", "value", "message_id", "headers", "sequence", "timestamp")
        refuse_other_columns(source, schema, known, "nats_messages")
        subject = options.text("subject")
        if subject is None and "subject" not in schema.names:
            raise OptionError(f"{source}: give option 'subject', or a column of that name")
        return Publishing(Servers.of(options), options.text("stream"), subject)


class _Publishes:
    """Publishes the rows of a task, for batches and streams."""

    def __init__(self, publishing: Publishing) -> None:
        self.publishing = publishing

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        """Publishes all rows in order; all have been acknowledged when this returns."""
        rows = 0
        with asyncio.Runner() as runner:
            connection = self.publishing.servers.connect()
            client = runner.run(connection.__aenter__())
            try:
                inbox = Inbox(client, _is_refusal)
                runner.run(inbox.open())
                for batch in iterator:
                    for start in range(0, batch.num_rows, _IN_FLIGHT):
                        runner.run(self._publish(client, inbox, batch.slice(start, _IN_FLIGHT)))
                    rows += batch.num_rows
            finally:
                runner.run(connection.__aexit__(None, None, None))
        return Written(rows)

    async def _publish(self, client: Client, inbox: Inbox, batch: pa.RecordBatch) -> None:
        def column(name: str) -> list[Any]:
            place = batch.schema.get_field_index(name)
            return batch.column(place).to_pylist() if place >= 0 else [None] * batch.num_rows

        for subject, value, identity, headers in zip(
            *map(column, ("subject", "value", "message_id", "headers")), strict=True
        ):
            where = subject or self.publishing.subject
            if where is None:
                raise ConnectorError("holdsfor-nats: a row has no subject, and there is no option 'subject'")
            payload = value.encode() if isinstance(value, str) else (value or b"")
            sent = {name: word for name, word in headers or () if word is not None}
            if identity is not None:
                sent["Nats-Msg-Id"] = identity
            if self.publishing.stream is not None:
                sent["Nats-Expected-Stream"] = self.publishing.stream
            await client.publish(where, payload, reply=inbox.subject, headers=sent or None)
        what = "not all messages were acknowledged"
        answers = await inbox.collect(batch.num_rows, self.publishing.servers.timeout, what)
        refused = next((answer for answer in answers if _is_refusal(answer)), None)
        if refused is not None:
            raise ConnectorError(f"holdsfor-nats: publishing failed: {_reason(refused)}")


def _is_refusal(answer: Msg) -> bool:
    """Whether an answer is not the acknowledgement of a stored message."""
    return not answer.data or b'"error":' in answer.data


def _reason(answer: Msg) -> str:
    """The message of the server. An empty answer means that no stream stored the message."""
    if not answer.data:
        return "no stream takes messages of this subject"
    return str(json.loads(answer.data).get("error", {}).get("description", answer.data.decode()))


class NatsWriter(_Publishes, DataSourceArrowWriter):
    """Publishes a DataFrame."""


class NatsStreamWriter(_Publishes, DataSourceStreamArrowWriter):
    """Publishes every micro-batch; a repeated batch publishes the same ids."""
