"""Stores states as rows of DataFrames, with the same sections as in files, for Spark to read and write.

A worker receives the needed sections of its bucket with the rows of the batch. It returns new sections with the
changes. Each section is sealed with its run, stage, bucket, part and batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa

from holdsfor.columns.dictionary import Dictionary
from holdsfor.core.engine import Share
from holdsfor.core.host import FOREVER
from holdsfor.core.program import received
from holdsfor.core.shares import KeyPart, SavedKeys, ShareEngine
from holdsfor.core.vocabulary import Vocabulary
from holdsfor.spark.job import Job
from holdsfor.spark.rows import by_tag, engine_rows
from holdsfor.spark.streaming.seals import DamagedCheckpoint, seal, unsealed
from holdsfor.spark.streaming.state import BucketState, PartPlace, Place, counted_parts, first_arrival
from holdsfor.spark.streaming.store import packed

MOST_LISTED = 4_096
"""Beyond this number of parts, all parts are read instead of a list."""


@dataclass(frozen=True)
class Section:
    """A section of a state: `rest`, `rows`, or a part by its number and the number of parts."""

    kind: str
    data: bytes
    number: int = -1
    of: int = 0


def section_name(kind: str, number: int, of: int, stage: int, bucket: int, batch: int) -> str:
    """The name in the seal of a section."""
    what = f"part {number} of {of}" if kind == "part" else kind
    return f"{what} of stage {stage}, bucket {bucket}, batch {batch}"


@dataclass
class Held:
    """What the driver knows about the state of a bucket: the batch that wrote the shared sections, and the places of
    its parts.

    `wake` is the next time-point at which something outside of parts happens. `waiting` is the number of waiting rows,
    and `reached` are the parts that they affect (None: any).
    """

    stage: int
    bucket: int
    batch: int
    plan: str
    wake: int
    waiting: int
    reached: list[int] | None
    size: int
    parts: dict[KeyPart, PartPlace] = field(default_factory=dict)

    @classmethod
    def of(cls, note: Mapping[str, Any], before: Held | None) -> Held:
        """The state after the note of a worker about what it wrote."""
        made = cls(**{name: note[name] for name in _HELD})
        if before is not None:
            made.parts = dict(before.parts)
        for number, of, saved, *counts in note["parts"]:
            count = of
            while count:
                # A part that was too large was split into these.
                made.parts.pop(KeyPart(number % count, count), None)
                count //= 2
            made.parts[KeyPart(number, of)] = PartPlace(number, of, saved, str(note["written"]), 0, *counts)
        return made

    def place(self) -> Place:
        """The entry in a commit."""
        listed = self.parts.values()
        batches = sorted({self.batch, *(int(one.file) for one in listed)})
        sizes = counted_parts(listed, self.waiting, self.size + sum(one.size for one in listed))
        wake = min(self.wake, *(one.wake for one in listed), FOREVER)
        return Place(self.batch, "", 0, wake, batches, sizes, self.plan)

    def covering(self, numbers: Iterable[int]) -> set[KeyPart]:
        """The parts that contain keys with these numbers, which count parts of the finest division."""
        counts = {part.of for part in self.parts}
        found = {KeyPart(number % of, of) for number in numbers for of in counts}
        return found & self.parts.keys()

    def due(self, until: int) -> set[KeyPart]:
        """The parts in which something happens up to a query time."""
        return {part for part, one in self.parts.items() if one.wake <= until}

    def inside(self, batch: int) -> set[KeyPart]:
        """The parts in the folder of a batch."""
        return {part for part, one in self.parts.items() if one.file == str(batch)}

    def with_parts(self, parts: Iterable[KeyPart]) -> Held:
        """The same state, restricted to some parts."""
        return replace(self, parts={part: self.parts[part] for part in parts})


_HELD = ("stage", "bucket", "batch", "plan", "wake", "waiting", "reached", "size")


class RowState(BucketState):
    """A state whose sections arrived as rows. `held` contains the parts among them; None for a bucket without state."""

    def __init__(
        self, job: Job, owner: str, stage: int, bucket: int, held: Held | None, sections: Sequence[Section]
    ) -> None:
        super().__init__(None if held is None else held.plan, () if held is None else held.parts.values())
        self._job, self._owner, self._stage, self._bucket, self._held = job, owner, stage, bucket, held
        self._sections = {(one.kind, one.number, one.of): one.data for one in sections}
        self.written: list[Section] = []

    def content(self, name: str) -> bytes:
        """A section that every batch writes anew."""
        assert self._held is not None
        return self._unsealed(name, -1, 0, self._held.batch)

    def _read(self, place: PartPlace) -> bytes:
        return self._unsealed("part", place.number, place.of, int(place.saved))

    def _unsealed(self, kind: str, number: int, of: int, batch: int) -> bytes:
        name = section_name(kind, number, of, self._stage, self._bucket, batch)
        data = self._sections.get((kind, number, of))
        if data is None:
            raise DamagedCheckpoint(name, "is missing")
        return bytes(unsealed(data, self._owner, name, name))

    def copy(self, batch: int, copied: Iterable[KeyPart], *, with_rest: bool) -> dict[str, Any]:
        """Copies some sections unchanged; returns the note for the driver."""
        assert self._held is not None
        content = {name: getattr(self._held, name) for name in _HELD}
        if with_rest:
            # Its seal names the batch.
            content["batch"] = batch
            for kind in ("rest", "rows"):
                self._add(kind, self.content(kind), batch)
        return {**content, "written": batch, "parts": list(self._copied(copied))}

    def still(self, parts: Iterable[KeyPart]) -> list[list[Any]]:
        """Copies those of some parts that have not been read."""
        return list(self._copied(part for part in parts if part in self._unread))

    def _copied(self, parts: Iterable[KeyPart]) -> Iterator[list[Any]]:
        for part in parts:
            place = self.parts[part]
            self.written.append(Section("part", self._sections["part", part.number, part.of], part.number, part.of))
            yield _entry(place)

    def write(
        self, batch: int, rows: pa.Table, rest: bytes, saved: Sequence[SavedKeys], wake: int, plan: str
    ) -> dict[str, Any]:
        """Returns sections; and the note for the driver."""
        listed = []
        size = sum(
            self._add(kind, data, batch) for kind, data in (("rest", rest), ("rows", packed([rows]).to_pybytes()))
        )
        for one in sorted(saved, key=lambda one: one.part.number):
            number, of = one.part.number, one.part.of
            length = self._add("part", one.data, batch, number, of)
            listed.append([number, of, str(batch), length, one.keys, one.rows, one.shown, one.wake])
        return {
            "stage": self._stage,
            "bucket": self._bucket,
            "batch": batch,
            "written": batch,
            "plan": plan,
            "wake": min(wake, first_arrival(rows)),
            "waiting": len(rows),
            "reached": reached_by(self._job, self._stage, self._bucket, [rows], ()),
            "size": size,
            "parts": listed,
        }

    def _add(self, kind: str, content: bytes, batch: int, number: int = -1, of: int = 0) -> int:
        name = section_name(kind, number, of, self._stage, self._bucket, batch)
        data = content + seal(content, self._owner, name)
        self.written.append(Section(kind, data, number, of))
        return len(data)


def _entry(place: PartPlace) -> list[Any]:
    counts = place.size, place.keys, place.rows, place.shown, place.wake
    return [place.number, place.of, place.saved, *counts]


def reached_by(
    job: Job, stage: int, bucket: int, rows: Sequence[pa.Table], deliveries: Iterable[bytes]
) -> list[int] | None:
    """The parts of a bucket that rows and results of earlier stages affect, by the finest division; None: any."""
    sent = list(deliveries)
    if not sent and not any(map(len, rows)):
        return []
    plan, program = received(job.program)
    engine = ShareEngine(plan, program, Share(stage - 1, bucket, job.buckets, job.sides), 1)
    if not engine.has_parts:
        return None
    vocabulary = Vocabulary(Dictionary(), engine.words)
    for table in rows:
        for made, _ in engine_rows(engine, by_tag(table, job.stages[stage - 1]), vocabulary):
            engine.push(made)
    for data in sent:
        engine.receive(data)
    found: list[int] = engine.reached(2**61).tolist()
    return found if len(found) <= MOST_LISTED else None
