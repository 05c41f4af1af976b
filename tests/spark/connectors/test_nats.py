"""NATS JetStream, against a real server."""

from __future__ import annotations

import asyncio
import json
import pickle
import shutil
import time
from collections.abc import Callable, Coroutine
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

pytest.importorskip("pyspark.sql.streaming.datasource", reason="needs PySpark 4.2: pip install 'holdsfor[spark]'")

from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows

from holdsfor.spark.connectors import json_columns, nats_messages, subject_of, well_formed
from holdsfor.spark.connectors.common import ConnectorError, DataLost
from holdsfor.spark.connectors.nats.reader import NatsReader, NatsReading, NatsStreamReader
from holdsfor.spark.connectors.nats.source import NatsSource
from holdsfor.spark.connectors.nats.writer import NatsStreamWriter
from holdsfor.spark.connectors.options import OptionError
from tests.spark.connectors.servers import nats_server

_NUMBERS = count()


def with_jetstream(url: str, work: Callable[[Any], Coroutine[Any, Any, Any]]) -> Any:
    async def run() -> Any:
        import nats

        client = await nats.connect(url)
        try:
            return await work(client.jetstream())
        finally:
            await client.close()

    return asyncio.run(run())


def new_stream(url: str, messages: list[tuple[str, bytes]] = (), **config: Any) -> str:
    """A stream of its own for a test, NAME with subjects NAME.>, and messages in it."""
    name = f"s{next(_NUMBERS)}"

    async def make(jetstream: Any) -> None:
        await jetstream.add_stream(name=name, subjects=[f"{name}.>"], **config)

    with_jetstream(url, make)
    publish(url, name, messages)
    return name


def publish(url: str, name: str, messages: list[tuple[str, bytes]]) -> None:
    async def send(jetstream: Any) -> None:
        for subject, data in messages:
            await jetstream.publish(f"{name}.{subject}", data)

    with_jetstream(url, send)


def stored(url: str, name: str) -> list[tuple[str, bytes]]:
    reader = NatsReader(reading(url, name, streaming=False))
    return [(row["subject"], row["value"]) for row in rows_of(reader, reader.partitions())]


def reading(url: str, name: str, *, streaming: bool = True, **options: Any) -> NatsReading:
    source = NatsSource({"servers": url, "stream": name, **{key: str(value) for key, value in options.items()}})
    return source._reading(source.schema(), streaming=streaming)


def rows_of(reader: Any, partitions: Any) -> list[dict[str, Any]]:
    """Read as Spark does: the reader and its partitions travel to other processes."""
    sent = pickle.loads(pickle.dumps(reader))
    batches = [batch for part in partitions for batch in sent.read(pickle.loads(pickle.dumps(part)))]
    return [row for batch in batches for row in batch.to_pylist()]


def sequences(reader: Any, partitions: Any) -> list[int]:
    return [row["sequence"] for row in rows_of(reader, partitions)]


def numbered(numbers: range, subject: str = "a") -> list[tuple[str, bytes]]:
    return [(subject, str(number).encode()) for number in numbers]


class TestReader:
    def test_messages_with_all_that_is_known_of_them(self, nats_url: str) -> None:
        name = new_stream(nats_url)

        async def send(jetstream: Any) -> None:
            await jetstream.publish(f"{name}.a.b", b"{}", headers={"k": "v"})
            await jetstream.publish(f"{name}.c", b"\xff\x00")

        with_jetstream(nats_url, send)
        reader = NatsReader(reading(nats_url, name, streaming=False))
        first, second = rows_of(reader, reader.partitions())
        assert (first["subject"], first["value"], first["sequence"]) == (f"{name}.a.b", b"{}", 1)
        assert first["headers"] == [("k", "v")] and second["headers"] is None
        assert abs(first["timestamp"].timestamp() - time.time()) < 60
        assert (second["subject"], second["value"], second["sequence"]) == (f"{name}.c", b"\xff\x00", 2)

    def test_start_positions(self, nats_url: str) -> None:
        name = new_stream(nats_url, numbered(range(3)))
        time.sleep(0.02)
        now = int(time.time() * 1000)
        publish(nats_url, name, numbered(range(2)))

        def start(**options: Any) -> int:
            return NatsStreamReader(reading(nats_url, name, **options)).initialOffset()["next"]

        assert start() == start(startingOffsets="latest") == 6
        assert start(startingOffsets="earliest") == 1
        assert start(startingOffsets=3) == 3
        assert start(startingTimestamp=now) == 4
        assert start(startingTimestamp="2001-01-01") == 1
        assert start(startingTimestamp="2101-01-01T00:00:00+02:00") == 6

    def test_batches_are_bounded_and_replayed_exactly(self, nats_url: str) -> None:
        name = new_stream(nats_url, numbered(range(7)))
        reader = NatsStreamReader(reading(nats_url, name, startingOffsets="earliest", maxOffsetsPerTrigger=3))
        limit = reader.getDefaultReadLimit()
        assert limit == ReadMaxRows(3)
        start = reader.initialOffset()
        ranges = []
        while (end := reader.latestOffset(start, limit)) != start:
            ranges.append((start, end))
            start = end
        first_time = [sequences(reader, reader.partitions(*both)) for both in ranges]
        assert first_time == [[1, 2, 3], [4, 5, 6], [7]]
        publish(nats_url, name, numbered(range(5)))
        # A new process that was handed the offsets of a batch that had not been committed.
        again = NatsStreamReader(reading(nats_url, name))
        assert [sequences(again, again.partitions(*json.loads(json.dumps(both)))) for both in ranges] == first_time
        assert reader.latestOffset(start, ReadAllAvailable())["next"] == reader.reportLatestOffset()["next"] == 13

    def test_available_now_stops_at_what_was_there(self, nats_url: str) -> None:
        name = new_stream(nats_url, numbered(range(4)))
        reader = NatsStreamReader(reading(nats_url, name, startingOffsets="earliest"))
        reader.prepareForTriggerAvailableNow()
        publish(nats_url, name, numbered(range(4)))
        assert reader.latestOffset(reader.initialOffset(), ReadAllAvailable())["next"] == 5

    def test_messages_taken_out_of_the_middle_or_of_other_subjects(self, nats_url: str) -> None:
        name = new_stream(nats_url, [(subject, b"") for _ in range(5) for subject in ("a", "b", "c")])

        async def delete(jetstream: Any) -> None:
            for sequence in (1, 4, 14):
                await jetstream.delete_msg(name, sequence)

        with_jetstream(nats_url, delete)
        options = {"startingOffsets": 2, "subjects": f"{name}.a, {name}.b"}
        reader = NatsStreamReader(reading(nats_url, name, **options))
        start = reader.initialOffset()
        parts = reader.partitions(start, reader.latestOffset(start, ReadAllAvailable()))
        assert sequences(reader, parts) == [2, 5, 7, 8, 10, 11, 13]
        by_subject = NatsStreamReader(reading(nats_url, name, partitionBy="subject", **options))
        parts = by_subject.partitions(start, reader.latestOffset(start, ReadAllAvailable()))
        assert [sequences(by_subject, [part]) for part in parts] == [[7, 10, 13], [2, 5, 8, 11]]

    def test_a_bounded_batch_leaps_over_other_subjects(self, nats_url: str) -> None:
        name = new_stream(nats_url, [*numbered(range(20)), *numbered(range(3), "rare"), *numbered(range(20))])
        reader = NatsStreamReader(
            reading(nats_url, name, startingOffsets="earliest", subjects=f"{name}.rare", maxOffsetsPerTrigger=2)
        )
        start = reader.initialOffset()
        found = []
        while (end := reader.latestOffset(start, ReadMaxRows(2))) != start:
            found.append(sequences(reader, reader.partitions(start, end)))
            start = end
        assert found == [[21, 22], [23], []] and start["next"] == 44

    def test_many_messages_in_slices(self, nats_url: str) -> None:
        name = new_stream(nats_url)

        async def send(jetstream: Any) -> None:
            waiting = [await jetstream.publish_async(f"{name}.a", b"x") for _ in range(3500)]
            await asyncio.gather(*waiting)

        with_jetstream(nats_url, send)
        reader = NatsReader(reading(nats_url, name, streaming=False))
        parts = reader.partitions()
        assert [(part.low, part.high) for part in parts] == [(1, 1167), (1167, 2334), (2334, 3501)]
        assert sequences(reader, parts) == list(range(1, 3501))
        bounded = NatsReader(reading(nats_url, name, streaming=False, startingOffsets=10, endingSequence=12))
        assert sequences(bounded, bounded.partitions()) == [10, 11, 12]

    def test_no_consumer_is_left_behind(self, nats_url: str) -> None:
        name = new_stream(nats_url, numbered(range(3)))
        reader = NatsReader(reading(nats_url, name, streaming=False, startingTimestamp="2001-01-01"))
        # One who stops in the middle, as LIMIT does.
        next(reader.read(reader.partitions()[0]))
        rows_of(reader, reader.partitions())

        async def consumers(jetstream: Any) -> list[Any]:
            return await jetstream.consumers_info(name)

        assert with_jetstream(nats_url, consumers) == []

    def test_messages_that_have_gone_are_an_error_unless_said_otherwise(self, nats_url: str) -> None:
        name = new_stream(nats_url, numbered(range(5)), max_msgs=2)
        start = {"created": "", "next": 2}
        strict = NatsStreamReader(reading(nats_url, name))
        start["created"] = strict.initialOffset()["created"]
        end = strict.latestOffset(start, ReadAllAvailable())
        with pytest.raises(DataLost, match="the first is 4 and 2 was wanted"):
            rows_of(strict, strict.partitions(start, end))
        easy = NatsStreamReader(reading(nats_url, name, failOnDataLoss="false"))
        assert sequences(easy, easy.partitions(start, end)) == [4, 5]

    def test_a_stream_made_anew_is_not_taken_for_the_old_one(self, nats_url: str) -> None:
        name = new_stream(nats_url, numbered(range(2)))
        strict = NatsStreamReader(reading(nats_url, name))
        start = strict.initialOffset()

        async def again(jetstream: Any) -> None:
            await jetstream.delete_stream(name)
            await jetstream.add_stream(name=name, subjects=[f"{name}.>"])

        with_jetstream(nats_url, again)
        publish(nats_url, name, numbered(range(4)))
        with pytest.raises(DataLost, match="made anew"):
            strict.latestOffset(start, ReadAllAvailable())
        easy = NatsStreamReader(reading(nats_url, name, failOnDataLoss="false"))
        end = easy.latestOffset(start, ReadAllAvailable())
        assert sequences(easy, easy.partitions(start, end)) == [1, 2, 3, 4]

    def test_what_is_wrong_is_named(self, nats_url: str) -> None:
        with pytest.raises(ConnectorError, match="no stream 'nowhere'"):
            NatsReader(reading(nats_url, "nowhere", streaming=False)).partitions()
        with pytest.raises(OptionError, match="'startingOffsets' is 'soon', but it must be earliest, latest or"):
            reading(nats_url, "s", startingOffsets="soon")
        with pytest.raises(OptionError, match="unknown option 'maxoffsetpertrigger'; did you mean 'maxOffsetsPerTr"):
            reading(nats_url, "s", maxOffsetPerTrigger=1)
        with pytest.raises(OptionError, match="'subjects' is 'a.\\*,\\*.b'.*without overlap"):
            reading(nats_url, "s", partitionBy="subject", subjects="a.*,*.b")
        with pytest.raises(OptionError, match="'startingOffsets' and 'startingTimestamp' exclude"):
            reading(nats_url, "s", startingOffsets="latest", startingTimestamp="0")
        with pytest.raises(ConnectorError, match="cannot connect to nats://127.0.0.1:1"):
            NatsReader(reading("nats://127.0.0.1:1", "s", streaming=False, timeoutSeconds=1)).partitions()


class TestWriter:
    def writer(self, url: str, batch: pa.RecordBatch, **options: str) -> NatsStreamWriter:
        from pyspark.sql.pandas.types import from_arrow_schema

        source = NatsSource({"servers": url, "timeoutSeconds": "5", **options})
        return NatsStreamWriter(source._publishing(from_arrow_schema(batch.schema), overwrite=False))

    def test_ids_keep_a_batch_that_is_run_again_from_being_stored_twice(self, nats_url: str) -> None:
        name = new_stream(nats_url)
        batch = pa.RecordBatch.from_pydict(
            {"subject": [f"{name}.a", f"{name}.b"], "value": ["1", "2"], "message_id": ["x", "y"]}
        )
        writer = pickle.loads(pickle.dumps(self.writer(nats_url, batch)))
        assert writer.write(iter([batch])).rows == 2
        assert writer.write(iter([batch])).rows == 2
        assert stored(nats_url, name) == [(f"{name}.a", b"1"), (f"{name}.b", b"2")]

    def test_without_ids_and_with_one_subject_for_all(self, nats_url: str) -> None:
        name = new_stream(nats_url)
        batch = pa.RecordBatch.from_pydict({"value": [b"1", None]})
        writer = self.writer(nats_url, batch, subject=f"{name}.all", stream=name)
        writer.write(iter([batch, batch]))
        assert [value for _, value in stored(nats_url, name)] == [b"1", b"", b"1", b""]

    def test_a_subject_that_no_stream_takes_is_an_error(self, nats_url: str) -> None:
        batch = pa.RecordBatch.from_pydict({"value": ["1"]})
        with pytest.raises(ConnectorError, match="publishing failed"):
            self.writer(nats_url, batch, subject="nobody.listens").write(iter([batch]))

    def test_what_is_wrong_is_named(self, nats_url: str) -> None:
        with pytest.raises(ConnectorError, match="needs a column 'value' \\(binary or string\\); there are id"):
            self.writer(nats_url, pa.RecordBatch.from_pydict({"id": ["1"]}), subject="s")
        with pytest.raises(ConnectorError, match="'id' would be lost; make messages of rows with .*nats_messages"):
            self.writer(nats_url, pa.RecordBatch.from_pydict({"id": ["1"], "value": ["true"]}), subject="s")
        with pytest.raises(OptionError, match="give option 'subject', or a column"):
            self.writer(nats_url, pa.RecordBatch.from_pydict({"value": ["1"]}))
        with pytest.raises(ConnectorError, match="use mode append"):
            NatsSource({"servers": nats_url})._publishing(None, overwrite=True)


def test_a_login() -> None:
    with nats_server("--user", "reader", "--pass", "secret") as url:
        allowed = reading(url, "nowhere", streaming=False, user="reader", password="secret")
        with pytest.raises(ConnectorError, match="no stream 'nowhere'"):
            NatsReader(allowed).partitions()
        with pytest.raises(ConnectorError, match="cannot connect"):
            NatsReader(reading(url, "nowhere", streaming=False, user="reader", password="guess")).partitions()


def test_through_spark_and_back_after_a_lost_commit(connected: Any, nats_url: str, tmp_path: Path) -> None:
    """Events in, rows out, both through the broker; the last batch is run again as after a crash."""
    events = [json.dumps({"vessel": f"v{number}", "at": number}).encode() for number in range(6)]
    name = new_stream(nats_url, [("in", event) for event in [*events[:3], b"{broken", *events[3:]]])
    target = new_stream(nats_url)

    def run() -> None:
        messages = (
            connected.readStream.format("holdsfor-nats")
            .options(servers=nats_url, stream=name, startingOffsets="earliest", maxOffsetsPerTrigger=4)
            .load()
        )
        rows = messages.transform(json_columns("vessel string, at bigint")).transform(well_formed)
        query = (
            rows.transform(nats_messages(subject_of(target, "vessel")))
            .writeStream.format("holdsfor-nats")
            .options(servers=nats_url, stream=target, checkpointLocation=str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()

    run()
    expected = [(f"{target}.v{number}", {"vessel": f"v{number}", "at": number}) for number in range(6)]

    def arrived() -> list[tuple[str, Any]]:
        return [(subject, json.loads(value)) for subject, value in stored(nats_url, target)]

    assert sorted(arrived(), key=repr) == expected
    commits = tmp_path / "checkpoint" / "commits"
    last = max((path for path in commits.iterdir() if path.name.isdigit()), key=lambda path: int(path.name))
    last.unlink()
    (commits / f".{last.name}.crc").unlink(missing_ok=True)
    run()
    assert last.exists() and sorted(arrived(), key=repr) == expected
    shutil.rmtree(tmp_path / "checkpoint")
