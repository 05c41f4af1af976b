"""Reads rows of a table or query: once, or continuously by a growing column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit, SupportsTriggerAvailableNow
from pyspark.sql.types import StructType

from holdsfor.spark.connectors.common import ConnectorError, default_limit, most_rows, require_schema, slices
from holdsfor.spark.connectors.options import OptionError, Options
from holdsfor.spark.connectors.postgres.connection import Database, SourceRelation, spark_schema
from holdsfor.spark.connectors.postgres.copying import copied, expression
from holdsfor.spark.connectors.postgres.settled import Settled

if TYPE_CHECKING:
    import psycopg
    from psycopg import sql

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WHOLE = {"int2", "int4", "int8"}
_MOMENT = {"timestamp", "timestamptz"}


@dataclass(frozen=True)
class Growing:
    """The column whose values are offsets: integers, or timestamps in microseconds."""

    name: str
    kind: str

    @property
    def as_number(self) -> sql.Composable:
        """The column in SQL, as a numeric offset."""
        from psycopg import sql

        column = sql.Identifier(self.name)
        if self.kind in _WHOLE:
            return column
        return sql.SQL("(extract(epoch FROM {}) * 1000000)::bigint").format(column)

    def literal(self, value: int) -> sql.Composable:
        """An offset in SQL, as a value of the column, so that an index is used."""
        from psycopg import sql

        if self.kind in _WHOLE:
            return sql.Literal(value)
        moment = _EPOCH + timedelta(microseconds=value)
        return sql.Literal(moment if self.kind == "timestamptz" else moment.replace(tzinfo=None))


@dataclass(frozen=True)
class PostgresReading:
    """The selection to read, and the start position."""

    database: Database
    relation: SourceRelation
    schema: StructType
    growing: Growing | None
    starting: str | int
    partitions: int
    most: int | None
    settle: bool
    patience: int
    writers_known: bool

    @staticmethod
    def of(options: Options, schema: StructType, *, streaming: bool) -> PostgresReading:
        """Reads the options and the columns."""
        database, relation = Database.of(options), SourceRelation.of(options)
        with database.connect() as connection:
            columns = relation.columns(connection)
            is_table = relation.is_plain_table(connection)
        require_schema(options.source, schema, spark_schema(columns))
        name = options.text("offsetColumn")
        if name is None and streaming:
            raise OptionError(f"{options.source}: option 'offsetColumn' is missing: a stream needs a column that grows")
        growing = None
        if name is not None:
            if columns.get(name) not in _WHOLE | _MOMENT:
                kind = columns.get(name, "not there")
                raise options.wrong("offsetColumn", name, f"a column of whole numbers or timestamps; it is {kind}")
            growing = Growing(name, columns[name])
        return PostgresReading(
            database,
            relation,
            schema,
            growing,
            _position(options, growing, "latest" if streaming else "earliest"),
            options.whole("numPartitions", 1) or 1,
            options.whole("maxRowsPerTrigger"),
            options.flag("settle", default=True),
            options.whole("settleSeconds", 60) or 60,
            # Writers of a table draw its numbers under a lock. For any other relation, the writers and their times are
            # unknown.
            is_table and growing is not None and growing.kind in _WHOLE,
        )

    def largest(self, connection: psycopg.Connection[Any], least: bool = False) -> int | None:
        """The largest, or the least, value of the growing column."""
        from psycopg import sql

        assert self.growing is not None
        question = sql.SQL("SELECT {} FROM (SELECT {}({}) AS {} FROM {}) AS found").format(
            self.growing.as_number,
            sql.SQL("min" if least else "max"),
            sql.Identifier(self.growing.name),
            sql.Identifier(self.growing.name),
            self.relation.source,
        )
        row = connection.execute(question).fetchone()
        return None if row is None or row[0] is None else int(row[0])

    def rows(self, part: ValueRange) -> Iterator[pa.RecordBatch]:
        """The rows of a part."""
        from psycopg import sql

        wanted = sql.SQL(", ").join(expression(field) for field in self.schema.fields)
        question = sql.SQL("SELECT {} FROM {}{}").format(wanted, self.relation.source, self.where(part))
        with self.database.connect() as connection:
            yield from copied(connection, question, self.schema)

    def where(self, part: ValueRange) -> sql.Composable:
        """The condition that selects the rows of a part."""
        from psycopg import sql

        if self.growing is None:
            return sql.SQL("")
        column = sql.Identifier(self.growing.name)
        tests = []
        if part.after is not None:
            tests.append(sql.SQL("{} > {}").format(column, self.growing.literal(part.after)))
        if part.upto is not None:
            test = sql.SQL("{} <= {}").format(column, self.growing.literal(part.upto))
            # Rows without a value belong to the first part of a batch.
            unplaced = sql.SQL("({} OR {} IS NULL)").format(test, column)
            tests.append(unplaced if part.after is None and part.unplaced else test)
        return sql.SQL(" WHERE ") + sql.SQL(" AND ").join(tests) if tests else sql.SQL("")


def _position(options: Options, growing: Growing | None, default: str) -> str | int:
    text = options.text("startingOffsets", default) or default
    if text.lower() in {"earliest", "latest"}:
        return text.lower()
    if growing is None:
        raise options.wrong("startingOffsets", text, "left out where there is no option 'offsetColumn'")
    if growing.kind in _WHOLE:
        if not text.lstrip("-").isdigit():
            raise options.wrong("startingOffsets", text, "earliest, latest or a whole number")
        return int(text)
    moment = options.moment("startingOffsets")
    assert moment is not None
    return (moment - _EPOCH) // timedelta(microseconds=1)


@dataclass(frozen=True)
class ValueRange(InputPartition):
    """The rows of one task: values after one and up to another; None is no bound."""

    after: int | None
    upto: int | None
    unplaced: bool = False


class _Reads:
    """Reads a part, for batches and streams."""

    def __init__(self, reading: PostgresReading) -> None:
        self.reading = reading

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """The rows of a part."""
        if isinstance(partition, ValueRange):
            yield from self.reading.rows(partition)

    def _cut(self, after: int | None, upto: int) -> list[ValueRange]:
        """Parts of a range with equal width; the first includes the beginning of the range."""
        low = after
        if low is None:
            with self.reading.database.connect() as connection:
                low = (self.reading.largest(connection, least=True) or upto) - 1
        pieces = slices(min(low, upto - 1) + 1, upto + 1, self.reading.partitions)
        made = [ValueRange(one - 1, other - 1) for one, other in pieces]
        return [ValueRange(after, made[0].upto), *made[1:]]


class PostgresReader(_Reads, DataSourceReader):
    """Reads existing rows."""

    def partitions(self) -> list[InputPartition]:
        """One part for everything, or ranges of the growing column."""
        reading = self.reading
        if reading.growing is None:
            return [ValueRange(None, None)]
        with reading.database.connect() as connection:
            largest = reading.largest(connection)
        if reading.starting == "latest":
            return [ValueRange(largest, None)]
        first = None if reading.starting == "earliest" else int(reading.starting) - 1
        if largest is None or (first is not None and first >= largest):
            return [ValueRange(first, None)]
        parts = self._cut(first, largest)
        parts = [ValueRange(part.after, part.upto, unplaced=True) for part in parts[:-1]] + [
            ValueRange(parts[-1].after, None)
        ]
        return list(parts)


class PostgresStreamReader(_Reads, DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads continuously. An offset is a value of the growing column: all rows up to it have been read."""

    def __init__(self, reading: PostgresReading) -> None:
        super().__init__(reading)
        self._settled = Settled(reading.relation.table if reading.writers_known else None)
        self._target: int | None = None
        self._has_target = False

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """The start position of a new query."""
        if self.reading.starting == "earliest":
            return {"upto": None}
        if self.reading.starting != "latest":
            return {"upto": int(self.reading.starting) - 1}
        with self.reading.database.connect(autocommit=True) as connection:
            return {"upto": self._now(connection)}

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """The limit of `maxRowsPerTrigger`."""
        return default_limit(self.reading.most)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        """The end of the next batch; rows with equal values are in one batch."""
        after, most = start["upto"], most_rows(limit)
        with self.reading.database.connect(autocommit=True) as connection:
            if self._has_target:
                upto = self._target
            else:
                upto = self.reading.largest(connection)
                if self.reading.settle:
                    upto = self._settled.bound(connection, upto)
            if upto is None or (after is not None and upto <= after):
                return start
            if most is not None:
                upto = self._nth(connection, ValueRange(after, upto), most)
        return {"upto": upto}

    def _nth(self, connection: psycopg.Connection[Any], part: ValueRange, most: int) -> int | None:
        """The value of row number `most`."""
        from psycopg import sql

        growing = self.reading.growing
        assert growing is not None
        column = sql.Identifier(growing.name)
        question = sql.SQL(
            "SELECT {} FROM (SELECT max({}) AS {} FROM (SELECT {} FROM {}{} ORDER BY {} LIMIT {}) AS next_rows) AS found"
        ).format(
            growing.as_number,
            column,
            column,
            column,
            self.reading.relation.source,
            self.reading.where(part),
            column,
            sql.Literal(most),
        )
        row = connection.execute(question).fetchone()
        return part.upto if row is None or row[0] is None else int(row[0])

    def reportLatestOffset(self) -> dict[str, Any]:  # noqa: N802
        """The largest existing value, for the progress report."""
        with self.reading.database.connect(autocommit=True) as connection:
            return {"upto": self.reading.largest(connection)}

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Limits reading to the current rows, including those of open transactions, which are awaited."""
        with self.reading.database.connect(autocommit=True) as connection:
            self._target = self._now(connection)
        self._has_target = True

    def _now(self, connection: psycopg.Connection[Any]) -> int | None:
        largest = self.reading.largest(connection)
        if not self.reading.settle:
            return largest
        return self._settled.wait(connection, largest, self.reading.patience)

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Ranges of the growing column; the same offsets give the same rows."""
        after, upto = start["upto"], end["upto"]
        if upto is None or upto == after:
            return []
        if after is not None and after > upto:
            raise ConnectorError(f"holdsfor-postgres: the stream was at {after} and is to end at {upto}")
        return self._cut(after, upto)
