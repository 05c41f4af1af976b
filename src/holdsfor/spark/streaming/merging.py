"""Sinks for tables that support `MERGE`, such as Delta and Iceberg: the changelog, or the current intervals.

Each batch is one statement, which a table applies as a whole or not at all. It carries the number of the batch, so that a batch
that is run again changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from holdsfor.columns.op import Op
from holdsfor.spark.columns import identifier
from holdsfor.spark.streaming.sinks import latest

BATCH = "batch"
"""The column with the batch number of a row."""
_OF_CHANGES = ("op", "previous_start", "previous_end", "causes")
"""Columns that describe a change, and not an interval."""


@dataclass(frozen=True)
class ChangelogTable:
    """Adds the rows of each batch to a table that has the columns of the changelog and `batch`."""

    table: str

    def sql(self, columns: Iterable[str], batch: int) -> str:
        """The statement for a batch; `{rows}` stands for its rows.

        >>> print(ChangelogTable("log").sql(["id", "op", "query_time"], 7))
        merge into log as t using {rows} as s
        on t.batch = 7 and t.id = s.id and t.query_time = s.query_time
        when not matched then insert (`id`, `op`, `query_time`, `batch`) values (s.`id`, s.`op`, s.`query_time`, s.`batch`)
        """
        return (
            f"merge into {self.table} as t using {{rows}} as s\n"
            f"on t.{BATCH} = {batch} and t.id = s.id and t.query_time = s.query_time\n"
            f"when not matched then {_inserted([*columns, BATCH])}"
        )

    def __call__(self, rows: DataFrame, batch: int) -> None:
        """Adds the rows of a batch, unless they are already there."""
        rows.sparkSession.sql(self.sql(rows.columns, batch), rows=_numbered(rows, batch))


@dataclass(frozen=True)
class CurrentTable:
    """Maintains a table with every interval, or derived event, once: changes are upserted by `id`, and retracted rows
    are deleted. The table has the columns of the changelog without `op`, `previous_start`, `previous_end` and `causes`,
    and `batch`.
    """

    table: str

    def sql(self, columns: Iterable[str]) -> str:
        """The statement for a batch; `{rows}` stands for its last row of every id.

        >>> print(CurrentTable("now").sql(["id", "op", "fluent"]))
        merge into now as t using {rows} as s
        on t.id = s.id
        when matched and s.batch >= t.batch and s.op = 'retract' then delete
        when matched and s.batch >= t.batch then update set `fluent` = s.`fluent`, `batch` = s.`batch`
        when not matched and s.op <> 'retract' then insert (`id`, `fluent`, `batch`) values (s.`id`, s.`fluent`, s.`batch`)
        """
        kept = [*(name for name in columns if name not in _OF_CHANGES), BATCH]
        assignments = ", ".join(f"{identifier(name)} = s.{identifier(name)}" for name in kept if name != "id")
        gone = f"s.op = '{Op.RETRACT.value}'"
        newer = f"when matched and s.{BATCH} >= t.{BATCH}"
        return (
            f"merge into {self.table} as t using {{rows}} as s\n"
            "on t.id = s.id\n"
            f"{newer} and {gone} then delete\n"
            f"{newer} then update set {assignments}\n"
            f"when not matched and s.op <> '{Op.RETRACT.value}' then {_inserted(kept)}"
        )

    def __call__(self, rows: DataFrame, batch: int) -> None:
        """Apply the changes of a batch."""
        rows.sparkSession.sql(self.sql(rows.columns), rows=_numbered(latest(rows), batch))


def _numbered(rows: DataFrame, batch: int) -> DataFrame:
    return rows.withColumn(BATCH, F.lit(batch).cast("bigint"))


def _inserted(columns: list[str]) -> str:
    named = ", ".join(map(identifier, columns))
    return f"insert ({named}) values ({', '.join(f's.{identifier(name)}' for name in columns)})"  # noqa: S608 -- names of columns, quoted
