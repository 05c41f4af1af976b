"""Tables that know MERGE without the jars of Delta or Iceberg: Spark parses the statements of a session, DuckDB runs them."""

from __future__ import annotations

import re
from typing import Any

import duckdb
import pytest


class Tables:
    """Stands in for `spark.sql`."""

    def __init__(self, spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        self.database = duckdb.connect()
        self._parser = spark._jsparkSession.sessionState().sqlParser()
        monkeypatch.setattr(type(spark), "sql", lambda _, text, rows: self.merge(text, rows))

    def create(self, text: str) -> None:
        """Make the tables of a text of Spark's."""
        for statement in filter(str.strip, text.split(";")):
            self._parser.parsePlan(statement)
            plain = re.sub(r"using \w+", "", statement).replace("array<string>", "text[]")
            self.database.execute(plain.replace("`", '"'))

    def merge(self, text: str, rows: Any) -> None:
        """Run a statement on rows."""
        named = text.replace("{rows}", "source")
        assert "MergeInto" in self._parser.parsePlan(named).getClass().getName()
        self.database.register("source", rows.toArrow())
        self.database.execute(named.replace("`", '"'))

    def rows(self, table: str) -> list[tuple[Any, ...]]:
        """All of a table, by the number of the batch and the id."""
        return self.database.execute(f"select * from {table} order by batch, id, query_time").fetchall()
