"""Determines up to which value no row can be missed: transactions do not commit in the order of their row numbers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from holdsfor.spark.connectors.common import ConnectorError
from holdsfor.spark.connectors.postgres.connection import table_name

if TYPE_CHECKING:
    import psycopg

# The writers that may still commit an earlier row number: all that hold a write lock on the table (or one of its
# partitions), because numbers are drawn under that lock.
_WRITERS = """
SELECT DISTINCT virtualtransaction FROM pg_locks
WHERE locktype = 'relation' AND granted AND pid IS DISTINCT FROM pg_backend_pid()
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND mode NOT IN ('AccessShareLock', 'RowShareLock', 'ShareLock', 'ShareUpdateExclusiveLock')
  AND relation IN (SELECT relid FROM pg_partition_tree(%(table)s::regclass) UNION SELECT %(table)s::regclass)
"""
# A timestamp may be the start of its transaction, which may write at any later time: all transactions count.
_TRANSACTIONS = """
SELECT DISTINCT locks.virtualtransaction FROM pg_locks AS locks
LEFT JOIN pg_stat_activity AS activity ON activity.pid = locks.pid
WHERE (locks.locktype = 'virtualxid' AND locks.pid <> pg_backend_pid()
       AND activity.datname = current_database() AND activity.usesysid IS NOT NULL)
   OR (locks.locktype = 'transactionid' AND locks.pid IS NULL)
"""
_PAUSE = 0.05


class Settled:
    """Tracks the largest value of a column below which no new row can appear.

    The largest value is read first, then the current writers. Once all of them have ended, every row up to that value
    is visible or will never be. Without writers, this is immediate.
    """

    def __init__(self, table: str | None) -> None:
        """Tracks the writers of a table; None tracks all transactions."""
        self._question = _TRANSACTIONS if table is None else _WRITERS
        self._values = {} if table is None else {"table": table_name(table).as_string(None)}
        self._bound: int | None = None
        self._waiting: tuple[int | None, frozenset[str]] | None = None

    def bound(self, connection: psycopg.Connection[Any], largest: int | None) -> int | None:
        """The safe value, given the largest value just seen on this connection."""
        writing = self._writing(connection)
        if self._waiting is not None and not (self._waiting[1] & writing):
            self._bound, self._waiting = self._waiting[0], None
        if not writing:
            self._bound, self._waiting = largest, None
        elif self._waiting is None:
            self._waiting = (largest, writing)
        return self._bound

    def wait(self, connection: psycopg.Connection[Any], largest: int | None, seconds: float) -> int | None:
        """Waits until all current writers have ended; returns the largest value just seen."""
        writing = self._writing(connection)
        deadline = time.monotonic() + seconds
        while writing:
            if time.monotonic() > deadline:
                raise ConnectorError(
                    f"holdsfor-postgres: {len(writing)} transactions that may still write rows are open after "
                    f"{seconds:g} s; end them, or set option settle to false if rows are committed in order"
                )
            time.sleep(_PAUSE)
            writing &= self._writing(connection)
        return largest

    def _writing(self, connection: psycopg.Connection[Any]) -> frozenset[str]:
        found = connection.execute(self._question, self._values)
        return frozenset(row[0] for row in found)
