"""PostgreSQL, against a real server."""

from __future__ import annotations

import pickle
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

pytest.importorskip("pyspark.sql.streaming.datasource", reason="needs PySpark 4.2: pip install 'holdsfor[spark]'")

from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows

from holdsfor.spark.connectors.common import ConnectorError
from holdsfor.spark.connectors.options import OptionError
from holdsfor.spark.connectors.postgres import copying
from holdsfor.spark.connectors.postgres.reader import ValueRange
from holdsfor.spark.connectors.postgres.source import PostgresSource
from holdsfor.spark.connectors.postgres.writer import Gathered, PostgresStreamWriter

_NUMBERS = count()


def execute(url: str, *statements: str) -> list[Any]:
    import psycopg

    with psycopg.connect(url) as connection:
        for statement in statements:
            cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def new_table(url: str, columns: str, *rows: str) -> str:
    name = f"t{next(_NUMBERS)}"
    execute(url, f"CREATE TABLE {name} ({columns})", *(f"INSERT INTO {name} VALUES ({row})" for row in rows))
    return name


def source(url: str, table: str | None, **options: Any) -> PostgresSource:
    given = {"url": url, **({"dbtable": table} if table else {})}
    return PostgresSource({**given, **{name: str(value) for name, value in options.items()}})


def reader(url: str, table: str | None, **options: Any) -> Any:
    made = source(url, table, **options)
    return made.reader(made.schema())


def stream_reader(url: str, table: str | None, **options: Any) -> Any:
    made = source(url, table, **options)
    return made.streamReader(made.schema())


def rows_of(reader: Any, partitions: Any) -> list[dict[str, Any]]:
    """Read as Spark does: the reader and its partitions travel to other processes."""
    sent = pickle.loads(pickle.dumps(reader))
    batches = [batch for part in partitions for batch in sent.read(pickle.loads(pickle.dumps(part)))]
    return [row for batch in batches for row in batch.to_pylist()]


def numbers(reader: Any, partitions: Any) -> list[int]:
    return [row["id"] for row in rows_of(reader, partitions)]


class TestReader:
    def test_types_nulls_and_text_of_any_kind(self, postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(copying, "_BLOCK", 40)
        table = new_table(
            postgres_url,
            "b bool, s smallint, i int, l bigint, r real, d float8, n numeric(10,2), x numeric, t text, u uuid, "
            "j jsonb, day date, at timestamptz, local timestamp, f float8",
            "true, 1, 2, 3, 0.5, 0.25, 12.34, 1.5, E'a\"b,\\nc\\t''', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', "
            """'{"k": 1}', '2024-05-01', '2024-05-01 10:00+02', '2024-05-01 10:00:00.000001', 'Infinity'""",
            "false, -1, -2, -3, -0.5, -0.25, -12.34, -1.5, '', null, '[]', 'infinity', 'infinity', null, 'NaN'",
            ", ".join(["null"] * 15),
        )
        made = reader(postgres_url, table)
        one, two, three = rows_of(made, made.partitions())
        assert one == {
            "b": True,
            "s": 1,
            "i": 2,
            "l": 3,
            "r": 0.5,
            "d": 0.25,
            "n": Decimal("12.34"),
            "x": 1.5,
            "t": "a\"b,\nc\t'",
            "u": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
            "j": '{"k": 1}',
            "day": date(2024, 5, 1),
            "at": datetime(2024, 5, 1, 8, tzinfo=UTC),
            "local": datetime(2024, 5, 1, 10, 0, 0, 1, tzinfo=UTC),
            "f": float("inf"),
        }
        assert two["t"] == "" and two["u"] is None and two["b"] is False and two["at"] is two["day"] is None
        assert set(three.values()) == {None}

    def test_one_column_of_nulls_and_an_empty_answer(self, postgres_url: str) -> None:
        made = reader(postgres_url, None, query="SELECT NULLIF(n, 2) AS id FROM generate_series(1, 3) AS n")
        assert numbers(made, made.partitions()) == [1, None, 3]
        made = reader(postgres_url, None, query="SELECT 1 AS id WHERE false")
        assert numbers(made, made.partitions()) == []

    def test_parts_of_a_batch_have_every_row_once(self, postgres_url: str) -> None:
        table = new_table(postgres_url, "id bigint", *map(str, [5, 1, 9, 10, 2, 30]), "null")
        made = reader(postgres_url, table, offsetColumn="id", numPartitions=3)
        parts = made.partitions()
        assert len(parts) == 3 and parts[0].after is None and parts[2].upto is None
        execute(postgres_url, f"INSERT INTO {table} VALUES (0), (31)")
        assert sorted(numbers(made, parts), key=repr) == sorted([0, 1, 2, 5, 9, 10, 30, 31, None], key=repr)
        later = reader(postgres_url, table, offsetColumn="id", numPartitions=2, startingOffsets=9)
        assert sorted(numbers(later, later.partitions())) == [9, 10, 30, 31]

    def test_batches_are_bounded_and_replayed_exactly(self, postgres_url: str) -> None:
        table = new_table(postgres_url, "id int", *map(str, [3, 1, 2, 2, 2, 7, 9]))
        made = stream_reader(
            postgres_url, table, offsetColumn="id", startingOffsets="earliest", maxRowsPerTrigger=2, numPartitions=2
        )
        start, ranges = made.initialOffset(), []
        while (end := made.latestOffset(start, made.getDefaultReadLimit())) != start:
            ranges.append((start, end))
            start = end
        first_time = [sorted(numbers(made, made.partitions(*both))) for both in ranges]
        # Rows with one value stay together.
        assert first_time == [[1, 2, 2, 2], [3, 7], [9]]
        execute(postgres_url, f"INSERT INTO {table} VALUES (10), (11)")
        again = stream_reader(postgres_url, table, offsetColumn="id")
        assert [sorted(numbers(again, again.partitions(*both))) for both in ranges] == first_time
        assert again.initialOffset() == again.reportLatestOffset() == {"upto": 11}
        assert numbers(again, again.partitions(start, again.latestOffset(start, ReadAllAvailable()))) == [10, 11]

    @pytest.mark.parametrize("kind", ["timestamptz", "timestamp"])
    def test_a_stream_by_time(self, postgres_url: str, kind: str) -> None:
        rows = [f"{number}, '2024-05-01 10:00:{number:02}.5+00'" for number in range(4)]
        table = new_table(postgres_url, f"id int, at {kind}", *rows)
        made = stream_reader(
            postgres_url, table, offsetColumn="at", startingOffsets="2024-05-01T10:00:01.500", numPartitions=3
        )
        start = made.initialOffset()
        end = made.latestOffset(start, ReadMaxRows(2))
        assert end == {"upto": 1714557602_500000}
        assert sorted(numbers(made, made.partitions(start, end))) == [1, 2]
        assert numbers(made, made.partitions(end, made.latestOffset(end, ReadMaxRows(2)))) == [3]

    def test_a_row_that_is_committed_late_is_not_missed(self, postgres_url: str) -> None:
        import psycopg

        table = new_table(postgres_url, "id int GENERATED ALWAYS AS IDENTITY, n text")
        made = stream_reader(postgres_url, table, offsetColumn="id", startingOffsets="earliest")
        hasty = stream_reader(postgres_url, table, offsetColumn="id", startingOffsets="earliest", settle="false")
        start = made.initialOffset()
        with psycopg.connect(postgres_url) as slow:
            slow.execute(f"INSERT INTO {table} (n) VALUES ('first')")
            execute(postgres_url, f"INSERT INTO {table} (n) VALUES ('second')")
            assert made.latestOffset(start, ReadAllAvailable()) == start
            assert hasty.latestOffset(start, ReadAllAvailable()) == {"upto": 2}
        with psycopg.connect(postgres_url) as other:
            # Somebody else is writing now; what was there before can be read all the same.
            other.execute(f"INSERT INTO {table} (n) VALUES ('third')")
            end = made.latestOffset(start, ReadAllAvailable())
            assert [row["n"] for row in rows_of(made, made.partitions(start, end))] == ["first", "second"]
        end, before = made.latestOffset(end, ReadAllAvailable()), end
        assert [row["n"] for row in rows_of(made, made.partitions(before, end))] == ["third"]

    def test_a_time_of_a_transaction_that_writes_later_is_not_missed(self, postgres_url: str) -> None:
        import psycopg

        table = new_table(postgres_url, "id int, at timestamptz DEFAULT now()")
        made = stream_reader(postgres_url, table, offsetColumn="at", startingOffsets="earliest")
        start = made.initialOffset()
        with psycopg.connect(postgres_url) as slow:
            slow.execute("SELECT 1")
            execute(postgres_url, f"INSERT INTO {table} (id) VALUES (2)")
            assert made.latestOffset(start, ReadAllAvailable()) == start
            slow.execute(f"INSERT INTO {table} (id) VALUES (1)")
        end = made.latestOffset(start, ReadAllAvailable())
        assert sorted(numbers(made, made.partitions(start, end))) == [1, 2]

    def test_available_now_waits_for_writers_and_reads_no_further(self, postgres_url: str) -> None:
        import psycopg

        table = new_table(postgres_url, "id int", "1")
        view = f"{table}_view"
        execute(postgres_url, f"CREATE VIEW {view} AS SELECT * FROM {table}")
        made = [
            stream_reader(postgres_url, name, offsetColumn="id", startingOffsets="earliest", settleSeconds=1)
            for name in (table, view)
        ]
        for one in made:
            one.prepareForTriggerAvailableNow()
        execute(postgres_url, f"INSERT INTO {table} VALUES (2)")
        assert [one.latestOffset({"upto": None}, ReadMaxRows(5)) for one in made] == [{"upto": 1}] * 2
        with psycopg.connect(postgres_url) as slow:
            slow.execute(f"INSERT INTO {table} VALUES (3)")
            for one in made:
                with pytest.raises(ConnectorError, match="1 transactions that may still write rows are open after 1 s"):
                    one.prepareForTriggerAvailableNow()

    def test_what_is_wrong_is_named(self, postgres_url: str) -> None:
        table = new_table(postgres_url, "id int, n text")
        with pytest.raises(ConnectorError, match='relation "nowhere" does not exist'):
            reader(postgres_url, "nowhere")
        with pytest.raises(OptionError, match="'dbtable' and 'query' is missing"):
            reader(postgres_url, None)
        with pytest.raises(OptionError, match="'dbtable' and 'query' exclude each other"):
            reader(postgres_url, table, query="SELECT 1")
        with pytest.raises(OptionError, match="'offsetColumn' is missing: a stream needs a column that grows"):
            stream_reader(postgres_url, table)
        with pytest.raises(OptionError, match="'offsetColumn' is 'n', but it must be .*; it is text"):
            stream_reader(postgres_url, table, offsetColumn="n")
        with pytest.raises(OptionError, match="'startingOffsets' is 'x', but it must be earliest, latest or a whole"):
            stream_reader(postgres_url, table, offsetColumn="id", startingOffsets="x")
        with pytest.raises(ConnectorError, match="cannot connect"):
            reader("jdbc:postgresql://127.0.0.1:1/none", table)
        made = reader(postgres_url, None, query="SELECT 1/(n-1) AS id FROM generate_series(0,1) AS n")
        with pytest.raises(ConnectorError, match="reading failed: division by zero"):
            rows_of(made, [ValueRange(None, None)])


CHANGES = pa.schema(
    [
        ("id", pa.string()),
        ("op", pa.string()),
        ("fluent", pa.string()),
        ("value", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("query_time", pa.int64()),
    ]
)


def changes(*rows: tuple[str, str, int, int | None, int]) -> pa.RecordBatch:
    """Rows of a changelog: id, op, start, end, query time."""
    full = [(name, op, f"f({name})", "true", start, end, asked) for name, op, start, end, asked in rows]
    return pa.RecordBatch.from_pydict(dict(zip(CHANGES.names, zip(*full, strict=True), strict=True)), CHANGES)


class TestWriter:
    def writer(self, url: str, table: str, schema: pa.Schema = CHANGES, **options: str) -> PostgresStreamWriter:
        from pyspark.sql.pandas.types import from_arrow_schema

        made = source(url, table, **{"batchTable": f"{table}_batches", **options}).streamWriter(
            from_arrow_schema(schema), overwrite=False
        )
        return pickle.loads(pickle.dumps(made))

    def gathered(self, *batches: pa.RecordBatch, query: str = "q") -> Gathered:
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batches[0].schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
        return Gathered(query, sink.getvalue().to_pybytes())

    def test_a_changelog_keeps_a_table_right(self, postgres_url: str) -> None:
        table = f"t{next(_NUMBERS)}"
        writer = self.writer(postgres_url, table)
        asked = f'SELECT id, start, "end", query_time FROM {table} ORDER BY id'
        writer.commit([self.gathered(changes(("a", "open", 1, None, 10), ("b", "open", 5, None, 10)))], 0)
        assert execute(postgres_url, asked) == [("a", 1, None, 10), ("b", 5, None, 10)]
        # Many changes of one interval in a batch, in two tasks and not in order: the last counts.
        one = changes(("a", "close", 1, 30, 30), ("b", "retract", 5, None, 20), ("c", "open", 7, None, 20))
        two = changes(("a", "extend", 1, None, 20), ("d", "open", 8, None, 20), ("d", "retract", 8, None, 30))
        writer.commit([self.gathered(one), None, self.gathered(two)], 1)
        assert execute(postgres_url, asked) == [("a", 1, 30, 30), ("c", 7, None, 20)]

    def test_a_batch_is_applied_once(self, postgres_url: str) -> None:
        table = f"t{next(_NUMBERS)}"
        append = pa.schema([("id", pa.string())])
        writer = self.writer(postgres_url, table, append, writeMode="insert")
        rows = pa.RecordBatch.from_pydict({"id": ["x", "x"]}, append)
        for query, batch in (("q", 0), ("q", 0), ("q", 1), ("q", 0), ("r", 0)):
            writer.commit([self.gathered(rows, query=query)], batch)
        assert execute(postgres_url, f"SELECT count(*) FROM {table}") == [(6,)]
        assert execute(postgres_url, f"SELECT query, batch FROM {table}_batches ORDER BY 1") == [("q", 1), ("r", 0)]

    def test_a_batch_that_fails_leaves_nothing_behind(self, postgres_url: str) -> None:
        import psycopg

        table = new_table(postgres_url, "id text PRIMARY KEY, n int CHECK (n < 5)")
        schema = pa.schema([("id", pa.string()), ("n", pa.int32())])
        writer = self.writer(postgres_url, table, schema)
        with pytest.raises(psycopg.errors.CheckViolation):
            writer.commit([self.gathered(pa.RecordBatch.from_pydict({"id": ["a", "b"], "n": [1, 9]}, schema))], 0)
        assert execute(postgres_url, f"SELECT * FROM {table}") == []
        writer.commit([self.gathered(pa.RecordBatch.from_pydict({"id": ["a", "b"], "n": [1, 2]}, schema))], 0)
        assert execute(postgres_url, f"SELECT * FROM {table} ORDER BY 1") == [("a", 1), ("b", 2)]

    def test_any_frame_by_any_keys(self, postgres_url: str) -> None:
        schema = pa.schema(
            [
                ("Key", pa.int64()),
                ("part", pa.string()),
                ("at", pa.timestamp("us", tz="UTC")),
                ("n", pa.decimal128(10, 2)),
                ("d", pa.float64()),
                ("t", pa.string()),
                ("day", pa.date32()),
                ("b", pa.bool_()),
            ]
        )
        moment = datetime(2024, 5, 1, 10, 0, 0, 5, tzinfo=UTC)
        row = (1, "p", moment, Decimal("1.25"), float("-inf"), 'a"b,\nc\\N', date(2024, 5, 1), True)
        empty = (2, "", None, None, None, "", None, None)
        table = f"T{next(_NUMBERS)}"
        made = source(postgres_url, f"public.{table}", keyColumns="Key, part")
        from pyspark.sql.pandas.types import from_arrow_schema

        writer = pickle.loads(pickle.dumps(made.writer(from_arrow_schema(schema), overwrite=False)))
        batch = pa.RecordBatch.from_arrays(
            [pa.array(c, f.type) for c, f in zip(zip(row, empty, strict=True), schema, strict=True)], schema=schema
        )
        assert [writer.write(iter([batch, batch])).rows, writer.write(iter([])).rows] == [4, 0]
        assert execute(postgres_url, f'SELECT * FROM "{table}" ORDER BY 1') == [row, empty]

    def test_what_is_wrong_is_named(self, postgres_url: str) -> None:
        table = new_table(postgres_url, "id text PRIMARY KEY")
        with pytest.raises(ConnectorError, match=f"table {table} has no column 'fluent'"):
            self.writer(postgres_url, table)
        with pytest.raises(OptionError, match="no column 'id' to tell rows apart by.*'keyColumns'"):
            self.writer(postgres_url, table, pa.schema([("n", pa.int32())]))
        with pytest.raises(OptionError, match="'orderColumn' is 'x', but it must be one of the columns id"):
            self.writer(postgres_url, table, pa.schema([("id", pa.string())]), orderColumn="x")
        with pytest.raises(ConnectorError, match="column 'x' is array<int>, which is not written"):
            self.writer(postgres_url, table, pa.schema([("id", pa.string()), ("x", pa.list_(pa.int32()))]))
        writer = self.writer(postgres_url, f"t{next(_NUMBERS)}")
        with pytest.raises(ConnectorError, match="column 'op' has 'upsert'"):
            writer.applying.check(changes(("a", "upsert", 1, None, 1)))
        with pytest.raises(ConnectorError, match="did not say which streaming query"):
            writer.write(iter([]))


def test_through_spark_and_back_after_a_lost_commit(connected: Any, postgres_url: str, tmp_path: Path) -> None:
    """Rows of one table into another, by insertion: a batch that was applied twice would show."""
    table = new_table(postgres_url, "id bigint, at timestamptz", *(f"{n}, '2024-05-01 10:00Z'" for n in range(5)))
    target = f"{table}_copy"

    def run() -> None:
        rows = connected.readStream.format("holdsfor-postgres").options(
            url=postgres_url, dbtable=table, offsetColumn="id", startingOffsets="earliest", maxRowsPerTrigger=3
        )
        query = (
            rows.load()
            .writeStream.format("holdsfor-postgres")
            .options(url=postgres_url, dbtable=target, writeMode="insert", checkpointLocation=str(tmp_path))
        )
        query.trigger(availableNow=True).start().awaitTermination()

    run()
    asked = f"SELECT id FROM {target} ORDER BY 1"
    assert execute(postgres_url, asked) == [(n,) for n in range(5)]
    (tmp_path / "commits" / "1").unlink()
    (tmp_path / "commits" / ".1.crc").unlink(missing_ok=True)
    execute(postgres_url, f"INSERT INTO {table} VALUES (5, now())")
    run()
    assert execute(postgres_url, asked) == [(n,) for n in range(6)]
    found = connected.read.format("holdsfor-postgres").options(url=postgres_url, dbtable=target).load()
    assert found.filter("id < 2 AND year(at) = 2024").count() == 2


def test_lists_of_texts_become_arrays(connected: Any, postgres_url: str) -> None:
    import psycopg

    rows = [(1, ["late stop(b) at 7", 'q"u\\o,{}', None]), (2, []), (3, None)]
    frame = connected.createDataFrame(rows, "id bigint, causes array<string>")
    frame.write.format("holdsfor-postgres").option("url", postgres_url).option("dbtable", "lists").mode("append").save()
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("select id, causes from lists order by id").fetchall() == rows
