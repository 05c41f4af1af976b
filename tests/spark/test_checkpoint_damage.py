"""A checkpoint that is damaged is refused, with the name of the file, or it does not matter: no other answer ever."""

from __future__ import annotations

import random
import re
import shutil
import struct
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pytest

from holdsfor import loads
from holdsfor.spark.streaming import chain
from holdsfor.spark.streaming.chain import Link, link_before, newest_link
from holdsfor.spark.streaming.clock import Windows
from holdsfor.spark.streaming.evaluation import Evaluation
from holdsfor.spark.streaming.rows import with_batch
from holdsfor.spark.streaming.seals import DamagedCheckpoint
from holdsfor.spark.streaming.store import Store
from tests.spark.damage import DAMAGES, Damage, copy, delete, flip
from tests.spark.stream_files import RULES, STEP, WINDOW, some_rows
from tests.spark.stream_runs import Sent, SimulatedStream
from tests.spark.test_stream_faults import event

ROWS = some_rows(1, 1, 80, each=2)
BATCHES = [ROWS[20 * number : 20 * number + 20] for number in range(6)]


def sent(rows: list[tuple[str, int, str, str]]) -> list[Sent]:
    return [event(name, time, *((one,) if name in ("go", "stop") else (one, other))) for name, time, one, other in rows]


def started(folder: Path, window: int) -> SimulatedStream:
    store = Store(f"{folder}/holdsfor", owner="plan-1")
    windows = Windows(window, STEP)
    return SimulatedStream(loads(RULES), sent(ROWS), windows, folder, start=0, buckets=2, store=store)


@pytest.mark.parametrize("window", [WINDOW, STEP])
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda found: found.__name__)
def test_every_file(tmp_path: Path, damage: Damage, window: int) -> None:
    """Windows that overlap keep their state in many files, others in one."""
    check_damage(tmp_path, damage, window)


def check_damage(tmp_path: Path, damage: Damage, window: int) -> None:
    whole = tmp_path / "whole"
    stream = started(whole, window)
    for number in range(5):
        stream.run(sent(BATCHES[number]), number)
    wanted = started(tmp_path / "copy", window)
    shutil.copytree(whole, tmp_path / "copy", dirs_exist_ok=True)
    for number in range(5, len(BATCHES)):
        wanted.run(sent(BATCHES[number]), number)
    rng, refused = random.Random(7), 0
    files = sorted(path.relative_to(whole) for path in whole.rglob("*") if path.is_file())
    assert len(files) > 5
    for place, name in enumerate(files):
        folder = tmp_path / f"damaged-{place}"
        shutil.copytree(whole, folder)
        if not damage(folder / name, rng):
            continue
        again = started(folder, window)
        try:
            newest_link(again.store)
            for number in range(5, len(BATCHES)):
                again.run(sent(BATCHES[number]), number)
        except DamagedCheckpoint as problem:
            refused += 1
            assert name.name in str(problem) or damage.__name__ == "delete", problem
            assert re.search(r"put the checkpoint folder back|begin with a new", str(problem))
            continue
        for number in range(5, len(BATCHES)):
            assert again.delivered[number].to_pylist() == wanted.delivered[number].to_pylist()
    assert refused >= 3


def content_alone(data: Any, *_: Any, **__: Any) -> Any:
    (length,) = struct.unpack("<I", bytes(memoryview(data)[-16:-12]))
    return pa.py_buffer(data).slice(0, len(data) - 16 - length)


def any_commit(store: Store, batch: int) -> Link | None:
    earlier = [found for found in store.committed() if found < batch]
    return chain._read(store, earlier[-1])[0] if earlier else None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "name", "planted", "damage"),
    [
        ("state", "unsealed", content_alone, flip),
        ("state", "unsealed", content_alone, copy),
        ("commits", "link_before", any_commit, delete),
    ],
    ids=["no checksums", "no identity", "whatever commit is there"],
)
def test_planted_bugs_are_found(tmp_path: Path, module: str, name: str, planted: Any, damage: Damage) -> None:
    """The test above fails if files are not looked at, or commits are no chain."""
    with patch(f"holdsfor.spark.streaming.{module}.{name}", planted), pytest.raises(Exception) as problem:
        check_damage(tmp_path, damage, WINDOW)
    assert not isinstance(problem.value, DamagedCheckpoint)


def test_state_of_another_bucket_run_or_batch(tmp_path: Path) -> None:
    for name in ("one", "other"):
        stream = started(tmp_path / name, WINDOW)
        if name == "other":
            stream.store = stream.store.owned("plan-2")
            stream = SimulatedStream(
                loads(RULES), sent(ROWS), Windows(WINDOW, STEP), tmp_path, start=0, buckets=2, store=stream.store
            )
        stream.run(sent(BATCHES[0]), 0)
    (first,), (second,) = ((tmp_path / "one/holdsfor/0/state").glob(f"1-{bucket}-*") for bucket in (0, 1))
    (elsewhere,) = (tmp_path / "other/holdsfor/0/state").glob("1-0-*")
    kept = first.read_bytes()
    for source, message in (
        (second, f"is a copy of .* of 0/state/{second.name};"),
        (elsewhere, f"is a copy of .* of 0/state/{elsewhere.name} of another run"),
    ):
        first.write_bytes(source.read_bytes())
        with pytest.raises(DamagedCheckpoint, match=message):
            started(tmp_path / "one", WINDOW).run(sent(BATCHES[1]), 1)
        first.write_bytes(kept)


@pytest.mark.parametrize("window", [WINDOW, STEP])
def test_a_late_attempt_replaces_nothing(tmp_path: Path, window: int) -> None:
    check_late_attempts(tmp_path, window)


def test_planted_bug_of_attempts_is_found(tmp_path: Path) -> None:
    """The test above fails if all attempts write to one file."""
    with patch("holdsfor.spark.streaming.state.new_attempt", lambda: "any"), pytest.raises(Exception):  # noqa: B017 -- whatever it comes to
        check_late_attempts(tmp_path, WINDOW)


def check_late_attempts(tmp_path: Path, window: int) -> None:
    """Spark may run a task twice. The second has met its rows in another order, and writes its files after a later
    commit, which is about the files of the first.
    """
    wanted, stream = started(tmp_path / "wanted", window), started(tmp_path / "found", window)
    evaluate, write, late = stream.workers.evaluate, Store.write, []

    def backwards(table: pa.Table, batch: int) -> pa.Table:
        return with_batch(table.take(list(reversed(range(len(table))))), batch)

    def twice(rows: Any, evaluation: Evaluation) -> list[dict[str, Any]]:
        held: list[tuple[Any, ...]] = []
        with (
            patch("holdsfor.spark.streaming.rows.with_batch", backwards),
            patch("holdsfor.spark.streaming.state.USUAL", 10**6),
            patch.object(Store, "write", lambda *found: held.append(found)),
        ):
            evaluate(rows, evaluation)
        late.append(held)
        return evaluate(rows, evaluation)

    stream.workers.evaluate = twice  # type: ignore[method-assign]
    # Files are referred to for as long as can be.
    with patch("holdsfor.spark.streaming.state.USUAL", 1), patch("holdsfor.spark.streaming.state._SPARE", 10**9):
        for number, batch in enumerate(BATCHES):
            for one in (wanted, stream):
                one.run(sent(batch), number)
            if number:
                for found in late[number - 1]:
                    write(*found)
    assert len(late) == len(BATCHES)
    assert stream.snapshots() == wanted.snapshots() != []


def test_the_chain_of_commits(tmp_path: Path) -> None:
    stream = started(tmp_path, WINDOW)
    for number in range(4):
        stream.run(sent(BATCHES[number]), number)
    store, root = stream.store, tmp_path / "holdsfor"
    assert link_before(store, 4).batch == 3  # type: ignore[union-attr]
    with pytest.raises(
        DamagedCheckpoint, match=r"3/commit.json says that batch 3 is done, but Spark goes on with batch 0"
    ):
        link_before(store, 0)
    with pytest.raises(DamagedCheckpoint, match=r"4/commit.json is missing, the commit of the batch before batch 5"):
        link_before(store, 5)
    newest = root / "3/commit.json"
    text = newest.read_text()
    newest.unlink()
    with pytest.raises(DamagedCheckpoint, match=r"3/commit.json is missing"):
        link_before(store, 4)
    assert link_before(store, 3).batch == 2  # type: ignore[union-attr]
    newest.write_text(text[:40])
    with pytest.raises(DamagedCheckpoint, match=r"3/commit.json has been cut or overwritten; put the checkpoint"):
        link_before(store, 4)
    newest.write_text((root / "2/commit.json").read_text())
    with pytest.raises(DamagedCheckpoint, match=r"is a copy of the commit of batch 2"):
        link_before(store, 4)
    newest.write_text('{"batch": 3, "settings": {}}')
    with pytest.raises(DamagedCheckpoint, match=r"was written by another version of holdsfor; begin with a new"):
        link_before(store, 4)
    newest.write_text(text)
    other = started(tmp_path / "other", WINDOW)
    for number in range(3):
        other.run(sent(BATCHES[number + 1]), number)
    shutil.copyfile(tmp_path / "other/holdsfor/2/commit.json", root / "2/commit.json")
    with pytest.raises(DamagedCheckpoint, match=r"does not follow the commit of batch 2 that is there"):
        link_before(store, 4)
    shutil.rmtree(root)
    with pytest.raises(DamagedCheckpoint, match=r"3/commit.json is missing"):
        link_before(store, 4)


def test_a_history_that_was_begun_comes_to_its_end_first(tmp_path: Path) -> None:
    (tmp_path / "holdsfor/-1/state").mkdir(parents=True)
    store = Store(f"{tmp_path}/holdsfor")
    with pytest.raises(
        DamagedCheckpoint, match="a history was begun here and did not come to its end; give the history"
    ):
        link_before(store, 0)
    assert link_before(store, -1) is None


def test_files_of_spark_that_were_changed(tmp_path: Path) -> None:
    for name, entry in (("offsets", "4"), ("sources/0", "9.compact"), ("sources/0", "10"), ("sources/0", ".10.crc")):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
        (tmp_path / name / entry).write_text(f"{name} {entry}")
    stream = started(tmp_path, WINDOW)
    stream.run(sent(BATCHES[0]), 0)
    assert newest_link(stream.store) is not None
    (tmp_path / "offsets/4").write_text("offsets 5")
    with pytest.raises(DamagedCheckpoint, match="offsets/4 has been changed"):
        newest_link(stream.store)
    (tmp_path / "offsets/4").write_text("offsets 4")
    (tmp_path / "offsets/5").write_text("a batch that was begun")
    (tmp_path / "sources/0/10").unlink()
    with pytest.raises(DamagedCheckpoint, match="sources/0/10 is missing, which says how far Spark has read"):
        newest_link(stream.store)
    (tmp_path / "sources/0/19.compact").write_text("all before")
    assert newest_link(stream.store) is not None
