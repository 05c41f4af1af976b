"""The format `holdsfor-nats`."""

from __future__ import annotations

from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

from holdsfor.spark.connectors.common import refuse_overwrite, require_schema
from holdsfor.spark.connectors.nats.connection import CONNECTION_OPTIONS
from holdsfor.spark.connectors.nats.reader import SCHEMA, NatsReader, NatsReading, NatsStreamReader
from holdsfor.spark.connectors.nats.writer import NatsStreamWriter, NatsWriter, Publishing
from holdsfor.spark.connectors.options import Options

_READING = (
    "stream",
    "subjects",
    "partitionBy",
    "startingOffsets",
    "startingTimestamp",
    "endingSequence",
    "numPartitions",
    "maxOffsetsPerTrigger",
    "failOnDataLoss",
)
_WRITING = ("stream", "subject")


class NatsSource(DataSource):
    """NATS JetStream as a source and a sink."""

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return "holdsfor-nats"

    def schema(self) -> StructType:
        """The columns of messages."""
        return SCHEMA

    def _reading(self, schema: StructType, *, streaming: bool) -> NatsReading:
        require_schema(self.name(), schema, SCHEMA)
        options = Options(self.name(), self.options, (*CONNECTION_OPTIONS, *_READING))
        return NatsReading.of(options, streaming=streaming)

    def reader(self, schema: StructType) -> NatsReader:
        """A reader of existing messages."""
        return NatsReader(self._reading(schema, streaming=False))

    def streamReader(self, schema: StructType) -> NatsStreamReader:  # noqa: N802
        """A reader for streaming."""
        return NatsStreamReader(self._reading(schema, streaming=True))

    def _publishing(self, schema: StructType, *, overwrite: bool) -> Publishing:
        refuse_overwrite(self.name(), overwrite=overwrite)
        return Publishing.of(Options(self.name(), self.options, (*CONNECTION_OPTIONS, *_WRITING)), schema)

    def writer(self, schema: StructType, overwrite: bool) -> NatsWriter:
        """A writer for a DataFrame."""
        return NatsWriter(self._publishing(schema, overwrite=overwrite))

    def streamWriter(self, schema: StructType, overwrite: bool) -> NatsStreamWriter:  # noqa: N802
        """A writer for a streaming DataFrame."""
        return NatsStreamWriter(self._publishing(schema, overwrite=overwrite))
