"""Publishes rows to JetStream, with an id by which the server drops what it has already got."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamArrowWriter
from pyspark.sql.types import BinaryType, MapType, StringType, StructType

from holdsfor.spark.connectors.common import ConnectorError, Written, require_column
from holdsfor.spark.connectors.nats.connection import Servers
from holdsfor.spark.connectors.options import OptionError, Options

if TYPE_CHECKING:
    from nats.js.client import JetStreamContext

_IN_FLIGHT = 2000
"""Messages published before their acknowledgements are waited for."""


@dataclass(frozen=True)
class Publishing:
    """Where rows are published to."""

    servers: Servers
    stream: str | None
    subject: str | None

    @staticmethod
    def of(options: Options, schema: StructType) -> Publishing:
        """As the options and the columns say."""
        source = options.source
        require_column(source, schema, "value", (BinaryType, StringType))
        for name, kind in (("subject", StringType), ("message_id", StringType), ("headers", MapType)):
            if name in schema.names:
                require_column(source, schema, name, (kind,))
        subject = options.text("subject")
        if subject is None and "subject" not in schema.names:
            raise OptionError(f"{source}: give option 'subject', or a column of that name")
        return Publishing(Servers.of(options), options.text("stream"), subject)


class _Publishes:
    """Publishing the rows of a task: the same for batches and streams."""

    def __init__(self, publishing: Publishing) -> None:
        self.publishing = publishing

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        """Publish all rows, in order; every one has been acknowledged when this returns."""
        rows = 0
        with asyncio.Runner() as runner:
            connection = self.publishing.servers.connect()
            client = runner.run(connection.__aenter__())
            try:
                jetstream = self.publishing.servers.jetstream(client)
                for batch in iterator:
                    for start in range(0, batch.num_rows, _IN_FLIGHT):
                        runner.run(self._publish(jetstream, batch.slice(start, _IN_FLIGHT)))
                    rows += batch.num_rows
            finally:
                runner.run(connection.__aexit__(None, None, None))
        return Written(rows)

    async def _publish(self, jetstream: JetStreamContext, batch: pa.RecordBatch) -> None:
        from nats.errors import Error
        from nats.js.api import Header

        def column(name: str) -> list[Any]:
            place = batch.schema.get_field_index(name)
            return batch.column(place).to_pylist() if place >= 0 else [None] * batch.num_rows

        waiting = []
        for subject, value, identity, headers in zip(
            *map(column, ("subject", "value", "message_id", "headers")), strict=True
        ):
            where = subject or self.publishing.subject
            if where is None:
                raise ConnectorError("holdsfor-nats: a row has no subject, and there is no option 'subject'")
            payload = value.encode() if isinstance(value, str) else (value or b"")
            sent = {name: word for name, word in headers or () if word is not None}
            if identity is not None:
                sent[Header.MSG_ID.value] = identity
            waiting.append(
                await jetstream.publish_async(where, payload, stream=self.publishing.stream, headers=sent or None)
            )
        try:
            async with asyncio.timeout(self.publishing.servers.timeout):
                await asyncio.gather(*waiting)
        except (Error, TimeoutError) as problem:
            reason = str(problem) or f"no acknowledgement in {self.publishing.servers.timeout} s"
            raise ConnectorError(f"holdsfor-nats: publishing failed: {reason}") from None


class NatsWriter(_Publishes, DataSourceArrowWriter):
    """Publishes a DataFrame."""


class NatsStreamWriter(_Publishes, DataSourceStreamArrowWriter):
    """Publishes every micro-batch; a batch that is run again publishes the same ids."""
