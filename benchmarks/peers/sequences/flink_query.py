"""Sequences by Flink: `MATCH_RECOGNIZE` over rows in order of time.

Flink drops rows as late whose time is not after the watermark, and says nothing; so the watermark lags a second behind.
`a1 a2 a3` without anything between them is what `seq` finds in activities that come one after the other for each id.
"""

from __future__ import annotations

import csv
import tempfile
from functools import cache
from pathlib import Path

from pyflink.table import EnvironmentSettings, TableEnvironment

IN_JAVA = True
SOURCE = """
create table activities (
  kind string, starts bigint, ends bigint, id string,
  moment as to_timestamp_ltz(starts, 0),
  watermark for moment as moment - interval '1' second
) with ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'csv')
"""
SINK = """
create table found (id string, starts bigint, ends bigint)
with ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'csv')
"""
QUERY = """
insert into found select id, starts, ends from activities match_recognize (
  partition by id order by moment
  measures a.starts as starts, c.ends as ends
  one row per match after match skip past last row
  pattern (a b c)
  define a as a.kind = 'a1', b as b.kind = 'a2', c as c.kind = 'a3'
)
"""


@cache
def environment() -> TableEnvironment:
    """Flink within one Java process, on one thread."""
    made = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    made.get_config().set("parallelism.default", "1")
    return made


def answer(path: str) -> Path:
    """A folder with the intervals. The file has kind, start, end and id, in order of start."""
    flink, folder = environment(), Path(tempfile.mkdtemp())
    for name in ("activities", "found"):
        flink.execute_sql(f"drop table if exists {name}")
    flink.execute_sql(SOURCE.format(path=path))
    flink.execute_sql(SINK.format(path=folder))
    flink.execute_sql(QUERY).wait()
    return folder


def rows(found: Path) -> list[tuple[str, int, int]]:
    """Id, start and end of every sequence."""
    listed = []
    for path in sorted(found.rglob("*")):
        # Unfinished files are hidden ones.
        if path.is_file() and not path.name.startswith("."):
            with path.open(encoding="utf-8") as file:
                listed += [(row[0], int(row[1]), int(row[2])) for row in csv.reader(file)]
    return listed
