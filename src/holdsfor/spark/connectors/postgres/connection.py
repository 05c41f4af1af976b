"""Connects to PostgreSQL, and maps the columns of a table or query to Spark types."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import (
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructType,
    TimestampType,
)

from holdsfor.spark.connectors.common import ConnectorError
from holdsfor.spark.connectors.options import OptionError, Options

if TYPE_CHECKING:
    import psycopg
    from psycopg import sql

CONNECTION_OPTIONS = ("url", "user", "password", "dbtable")
_WIDEST = 38
"""The digits of Spark's widest decimal."""
_KINDS: dict[str, DataType] = {
    "bool": BooleanType(),
    "int2": ShortType(),
    "int4": IntegerType(),
    "int8": LongType(),
    "float4": FloatType(),
    "float8": DoubleType(),
    "date": DateType(),
    "timestamp": TimestampType(),
    "timestamptz": TimestampType(),
}


@dataclass(frozen=True)
class Database:
    """The address of the database and the login."""

    address: str
    login: tuple[tuple[str, str], ...]

    @staticmethod
    def of(options: Options) -> Database:
        """Reads the options; an address in JDBC form is understood."""
        address = options.required("url").removeprefix("jdbc:")
        login = tuple((name, value) for name in ("user", "password") if (value := options.text(name)) is not None)
        return Database(address, login)

    @contextmanager
    def connect(self, *, autocommit: bool = False) -> Iterator[psycopg.Connection[Any]]:
        """A connection; its transaction is committed at the end, or rolled back after an error."""
        import psycopg

        try:
            connection = psycopg.connect(self.address, autocommit=autocommit, **dict(self.login))
        except psycopg.OperationalError as problem:
            raise ConnectorError(f"holdsfor-postgres: cannot connect: {problem}") from None
        with connection:
            yield connection


def table_name(name: str) -> sql.Identifier:
    """A table name in SQL: `name` or `schema.name`. Quotes are added, so case matters."""
    from psycopg import sql

    return sql.Identifier(*name.split("."))


@dataclass(frozen=True)
class SourceRelation:
    """A table, or a query in parentheses as in Spark's JDBC source."""

    table: str | None
    query: str | None

    @staticmethod
    def of(options: Options) -> SourceRelation:
        """Reads the options."""
        options.refuse_together("dbtable", "query")
        table, query = options.text("dbtable"), options.text("query")
        if table is None and query is None:
            raise OptionError(f"{options.source}: one of the options 'dbtable' and 'query' is missing")
        return SourceRelation(table, query)

    @property
    def source(self) -> sql.Composable:
        """The SQL after FROM."""
        from psycopg import sql

        if self.table is not None:
            return table_name(self.table)
        # User SQL on purpose: a query in the options is meant to be run.
        return sql.SQL("({}) AS source").format(sql.SQL(str(self.query)))

    def is_plain_table(self, connection: psycopg.Connection[Any]) -> bool:
        """Whether writers insert into the relation itself, which excludes queries, views and foreign tables."""
        if self.table is None:
            return False
        name = table_name(self.table).as_string(None)
        row = connection.execute(
            "SELECT relkind IN ('r', 'p') FROM pg_class WHERE oid = to_regclass(%s)", (name,)
        ).fetchone()
        return row is not None and bool(row[0])

    def columns(self, connection: psycopg.Connection[Any]) -> dict[str, str]:
        """The names of the columns and of their PostgreSQL types, with the digits of `numeric`."""
        import psycopg
        from psycopg import sql

        try:
            cursor = connection.execute(sql.SQL("SELECT * FROM {} LIMIT 0").format(self.source))
        except psycopg.Error as problem:
            raise ConnectorError(f"holdsfor-postgres: {problem.diag.message_primary}") from None
        found: dict[str, str] = {}
        for column in cursor.description or ():
            known = connection.adapters.types.get(column.type_code)
            name = known.name if known is not None else "text"
            if name == "numeric" and column.precision is not None:
                name = f"numeric({column.precision},{column.scale or 0})"
            found[column.name] = name
        return found


def spark_schema(columns: dict[str, str]) -> StructType:
    """The Spark types of columns; types without a counterpart are read as text."""
    made = StructType()
    for name, kind in columns.items():
        made = made.add(name, _spark_type(kind))
    return made


def _spark_type(kind: str) -> DataType:
    if kind == "numeric":
        return DoubleType()
    if kind.startswith("numeric("):
        precision, scale = map(int, kind[len("numeric(") : -1].split(","))
        return DecimalType(precision, scale) if precision <= _WIDEST else DoubleType()
    return _KINDS.get(kind, StringType())
