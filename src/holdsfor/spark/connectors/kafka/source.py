"""The format `holdsfor-kafka`."""

from __future__ import annotations

from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

from holdsfor.spark.connectors.common import refuse_overwrite, require_schema
from holdsfor.spark.connectors.kafka.cluster import PREFIX
from holdsfor.spark.connectors.kafka.reader import KafkaReader, KafkaReading, KafkaStreamReader, schema
from holdsfor.spark.connectors.kafka.writer import KafkaStreamWriter, KafkaWriter, Sending
from holdsfor.spark.connectors.options import Options

_READING = (
    "subscribe",
    "subscribePattern",
    "assign",
    "startingOffsets",
    "startingTimestamp",
    "endingOffsets",
    "endingTimestamp",
    "minPartitions",
    "maxOffsetsPerTrigger",
    "failOnDataLoss",
    "includeHeaders",
    "kafkaConsumer.pollTimeoutMs",
)


class KafkaSource(DataSource):
    """Kafka as a source and a sink, with the options and columns of Spark's own connector."""

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return "holdsfor-kafka"

    def _options(self, known: tuple[str, ...]) -> Options:
        return Options(self.name(), self.options, known, prefix=PREFIX)

    def schema(self) -> StructType:
        """The columns of messages."""
        return schema(headers=self._options(_READING).flag("includeHeaders", default=False))

    def _reading(self, given: StructType, *, streaming: bool) -> KafkaReading:
        require_schema(self.name(), given, self.schema())
        return KafkaReading.of(self._options(_READING), streaming=streaming)

    def reader(self, schema: StructType) -> KafkaReader:
        """A reader of existing messages."""
        return KafkaReader(self._reading(schema, streaming=False))

    def streamReader(self, schema: StructType) -> KafkaStreamReader:  # noqa: N802
        """A reader for streaming."""
        return KafkaStreamReader(self._reading(schema, streaming=True))

    def _sending(self, schema: StructType, *, overwrite: bool) -> Sending:
        refuse_overwrite(self.name(), overwrite=overwrite)
        return Sending.of(self._options(("topic",)), schema)

    def writer(self, schema: StructType, overwrite: bool) -> KafkaWriter:
        """A writer for a DataFrame."""
        return KafkaWriter(self._sending(schema, overwrite=overwrite))

    def streamWriter(self, schema: StructType, overwrite: bool) -> KafkaStreamWriter:  # noqa: N802
        """A writer for a streaming DataFrame."""
        return KafkaStreamWriter(self._sending(schema, overwrite=overwrite))
