"""Writes rows to a table by key, and applies a changelog of intervals to it: exactly once, batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.datasource import DataSourceArrowWriter, DataSourceStreamArrowWriter, WriterCommitMessage
from pyspark.sql.types import StructType

from holdsfor.spark.connectors.common import ConnectorError, Written
from holdsfor.spark.connectors.options import OptionError, Options
from holdsfor.spark.connectors.postgres.connection import Database, SourceRelation, table_name
from holdsfor.spark.connectors.postgres.copying import csv_of, postgres_type

if TYPE_CHECKING:
    import psycopg
    from psycopg import sql

_RETRACT = "retract"
_OPERATIONS = frozenset({"open", "extend", "close", "revise", _RETRACT})
_INCOMING, _ORDINAL = "holdsfor_incoming", "holdsfor_ordinal"


@dataclass(frozen=True)
class Applying:
    """The target table and the way of writing."""

    database: Database
    table: str
    batches: str
    columns: tuple[tuple[str, str], ...]
    keys: tuple[str, ...]
    operation: str | None
    order: str | None
    create: bool

    @staticmethod
    def of(options: Options, schema: StructType) -> Applying:
        """Reads the options and the columns."""
        append = options.choice("writeMode", ("upsert", "insert"), "upsert") == "insert"
        keys = () if append else (options.names("keyColumns") or ("id",))
        for key in keys:
            if key not in schema.names:
                raise OptionError(
                    f"{options.source}: there is no column {key!r} to tell rows apart by; name some with option "
                    "'keyColumns', or set option 'writeMode' to insert"
                )

        def chosen(name: str, default: str) -> str | None:
            wanted = options.text(name)
            if wanted is not None and wanted not in schema.names:
                raise options.wrong(name, wanted, f"one of the columns {', '.join(schema.names)}")
            return wanted or (default if default in schema.names else None)

        return Applying(
            Database.of(options),
            options.required("dbtable"),
            options.text("batchTable", "holdsfor_batches") or "",
            tuple((field.name, postgres_type(field)) for field in schema.fields),
            keys,
            None if append else chosen("opColumn", "op"),
            chosen("orderColumn", "query_time"),
            options.flag("createTable", default=True),
        )

    @property
    def stored(self) -> list[str]:
        """The columns of the table: all except the operation."""
        return [name for name, _ in self.columns if name != self.operation]

    def prepare(self) -> None:
        """Creates missing tables and checks their columns."""
        from psycopg import sql

        with self.database.connect() as connection:
            # Concurrent creation of a table fails, even with IF NOT EXISTS.
            connection.execute("SELECT pg_advisory_xact_lock(hashtext('holdsfor'))")
            if self.create:
                kinds = dict(self.columns)
                # The types are constants, not user input.
                parts: list[sql.Composable] = [
                    sql.SQL("{} {}").format(sql.Identifier(name), sql.SQL(kinds[name])) for name in self.stored
                ]
                if self.keys:
                    parts.append(sql.SQL("PRIMARY KEY ({})").format(_names(self.keys)))
                made = sql.SQL("CREATE TABLE IF NOT EXISTS {} ({})")
                connection.execute(made.format(table_name(self.table), sql.SQL(", ").join(parts)))
            found = SourceRelation(self.table, None).columns(connection)
            missing = [name for name in self.stored if name not in found]
            if missing:
                raise ConnectorError(f"holdsfor-postgres: table {self.table} has no column {missing[0]!r}")
            made = sql.SQL(
                "CREATE TABLE IF NOT EXISTS {} (query text PRIMARY KEY, batch bigint NOT NULL, at timestamptz NOT NULL)"
            )
            connection.execute(made.format(table_name(self.batches)))

    def check(self, batch: pa.RecordBatch) -> None:
        """Rejects unknown operations, which would be read as changes."""
        if self.operation is not None:
            odd = set(pc.unique(batch.column(self.operation)).to_pylist()) - _OPERATIONS
            if odd:
                raise ConnectorError(f"holdsfor-postgres: column {self.operation!r} has {min(odd, key=repr)!r}")

    def begin(self, connection: psycopg.Connection[Any], query: str, batch: int) -> bool:
        """Records a batch in this transaction; false if it has been applied before."""
        from psycopg import sql

        recorded = sql.SQL(
            "INSERT INTO {0} AS known VALUES (%s, %s, now()) ON CONFLICT (query) DO UPDATE "
            "SET batch = excluded.batch, at = excluded.at WHERE known.batch < excluded.batch RETURNING 1"
        )
        return connection.execute(recorded.format(table_name(self.batches)), (query, batch)).fetchone() is not None

    def apply(self, connection: psycopg.Connection[Any], rows: pa.Table) -> None:
        """Applies rows to the table: COPY into a temporary table, then one statement."""
        from psycopg import sql

        table, incoming = table_name(self.table), sql.Identifier(_INCOMING)
        made = sql.SQL("CREATE TEMPORARY TABLE {} ON COMMIT DROP AS SELECT {} FROM {} WITH NO DATA")
        connection.execute(made.format(incoming, _names(self.stored), table))
        extra = sql.SQL("ALTER TABLE {} ADD COLUMN {} bigint GENERATED ALWAYS AS IDENTITY")
        connection.execute(extra.format(incoming, sql.Identifier(_ORDINAL)))
        if self.operation is not None:
            operation = sql.SQL("ALTER TABLE {} ADD COLUMN {} text").format(incoming, sql.Identifier(self.operation))
            connection.execute(operation)
        copy_in = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT csv)").format(incoming, _names(rows.column_names))
        with connection.cursor() as cursor, cursor.copy(copy_in) as copy:
            copy.write(csv_of(rows))
        connection.execute(self._statement())

    def _statement(self) -> sql.Composable:
        from psycopg import sql

        table, incoming = table_name(self.table), sql.Identifier(_INCOMING)
        insert = sql.SQL("INSERT INTO {} ({}) SELECT {} FROM {}")
        if not self.keys:
            names = _names(self.stored)
            return insert.format(table, names, names, incoming) + sql.SQL(" ORDER BY {}").format(
                sql.Identifier(_ORDINAL)
            )
        # Of several changes of one row in a batch, the last counts.
        newest = [
            sql.SQL("{} DESC").format(sql.Identifier(name)) for name in (self.order, _ORDINAL) if name is not None
        ]
        parts = [
            sql.SQL("WITH newest AS (SELECT DISTINCT ON ({}) * FROM {} ORDER BY {}, {})").format(
                _names(self.keys), incoming, _names(self.keys), sql.SQL(", ").join(newest)
            )
        ]
        kept: sql.Composable = sql.SQL("")
        if self.operation is not None:
            operation = sql.Identifier(self.operation)
            same = sql.SQL(" AND ").join(
                sql.SQL("gone.{0} = newest.{0}").format(sql.Identifier(key)) for key in self.keys
            )
            delete = sql.SQL(", deleted AS (DELETE FROM {} AS gone USING newest WHERE newest.{} = {} AND {})")
            parts.append(delete.format(table, operation, sql.Literal(_RETRACT), same))
            kept = sql.SQL(" WHERE {} <> {}").format(operation, sql.Literal(_RETRACT))
        names = _names(self.stored)
        parts += [sql.SQL(" "), insert.format(table, names, names, sql.SQL("newest")), kept]
        others = [name for name in self.stored if name not in self.keys]
        update = sql.SQL(", ").join(sql.SQL("{0} = excluded.{0}").format(sql.Identifier(name)) for name in others)
        action = sql.SQL("UPDATE SET {}").format(update) if others else sql.SQL("NOTHING")
        parts.append(sql.SQL(" ON CONFLICT ({}) DO {}").format(_names(self.keys), action))
        return sql.Composed(parts)


def _names(names: Sequence[str]) -> sql.Composed:
    from psycopg import sql

    return sql.SQL(", ").join(map(sql.Identifier, names))


@dataclass(frozen=True)
class Gathered(WriterCommitMessage):
    """The rows of a task for the transaction of their batch, as a compressed Arrow stream."""

    query: str
    rows: bytes


class PostgresStreamWriter(DataSourceStreamArrowWriter):
    """Applies every micro-batch once, in one transaction together with its number."""

    def __init__(self, applying: Applying) -> None:
        self.applying = applying

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Gathered:
        """Collects the rows of a task; the driver applies them with those of other tasks."""
        from pyspark import TaskContext

        context = TaskContext.get()
        query = context.getLocalProperty("sql.streaming.queryId") if context is not None else None
        if query is None:
            raise ConnectorError("holdsfor-postgres: Spark did not say which streaming query this is")
        written = BytesIO()
        writer = None
        for batch in iterator:
            self.applying.check(batch)
            if writer is None:
                options = pa.ipc.IpcWriteOptions(compression="lz4")
                writer = pa.ipc.new_stream(written, batch.schema, options=options)
            writer.write_batch(batch)
        if writer is not None:
            writer.close()
        return Gathered(query, written.getvalue())

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803
        """Applies a batch, unless it was applied before Spark could record it."""
        gathered = [message for message in messages if isinstance(message, Gathered)]
        tables = [pa.ipc.open_stream(message.rows).read_all() for message in gathered if message.rows]
        if not tables:
            return
        with self.applying.database.connect() as connection:
            if self.applying.begin(connection, gathered[0].query, batchId):
                self.applying.apply(connection, pa.concat_tables(tables))


class PostgresWriter(DataSourceArrowWriter):
    """Applies the rows of every task in its own transaction; with keys, a repetition changes nothing."""

    def __init__(self, applying: Applying) -> None:
        self.applying = applying

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Written:
        """Applies the rows of a task."""
        rows = 0
        with self.applying.database.connect() as connection:
            batches = []
            for batch in iterator:
                self.applying.check(batch)
                batches.append(batch)
                rows += batch.num_rows
            if rows:
                self.applying.apply(connection, pa.Table.from_batches(batches))
        return Written(rows)
