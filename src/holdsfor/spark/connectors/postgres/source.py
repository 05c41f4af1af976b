"""The format `holdsfor-postgres`."""

from __future__ import annotations

from pyspark.sql.datasource import DataSource
from pyspark.sql.types import StructType

from holdsfor.spark.connectors.common import refuse_overwrite
from holdsfor.spark.connectors.options import Options
from holdsfor.spark.connectors.postgres.connection import CONNECTION_OPTIONS, Database, SourceRelation, spark_schema
from holdsfor.spark.connectors.postgres.reader import PostgresReader, PostgresReading, PostgresStreamReader
from holdsfor.spark.connectors.postgres.writer import Applying, PostgresStreamWriter, PostgresWriter

_READING = (
    "query",
    "offsetColumn",
    "startingOffsets",
    "numPartitions",
    "maxRowsPerTrigger",
    "settle",
    "settleSeconds",
)
_WRITING = ("writeMode", "keyColumns", "opColumn", "orderColumn", "createTable", "batchTable")


class PostgresSource(DataSource):
    """PostgreSQL as a source and a sink."""

    @classmethod
    def name(cls) -> str:
        """The name of the format."""
        return "holdsfor-postgres"

    def _options(self, known: tuple[str, ...]) -> Options:
        return Options(self.name(), self.options, (*CONNECTION_OPTIONS, *known))

    def schema(self) -> StructType:
        """The columns of the table or query."""
        options = self._options(_READING)
        with Database.of(options).connect() as connection:
            return spark_schema(SourceRelation.of(options).columns(connection))

    def _reading(self, schema: StructType, *, streaming: bool) -> PostgresReading:
        return PostgresReading.of(self._options(_READING), schema, streaming=streaming)

    def reader(self, schema: StructType) -> PostgresReader:
        """A reader of existing rows."""
        return PostgresReader(self._reading(schema, streaming=False))

    def streamReader(self, schema: StructType) -> PostgresStreamReader:  # noqa: N802
        """A reader for streaming."""
        return PostgresStreamReader(self._reading(schema, streaming=True))

    def _applying(self, schema: StructType, *, overwrite: bool) -> Applying:
        refuse_overwrite(self.name(), overwrite=overwrite)
        applying = Applying.of(self._options(_WRITING), schema)
        applying.prepare()
        return applying

    def writer(self, schema: StructType, overwrite: bool) -> PostgresWriter:
        """A writer for a DataFrame."""
        return PostgresWriter(self._applying(schema, overwrite=overwrite))

    def streamWriter(self, schema: StructType, overwrite: bool) -> PostgresStreamWriter:  # noqa: N802
        """A writer for a streaming DataFrame."""
        return PostgresStreamWriter(self._applying(schema, overwrite=overwrite))
