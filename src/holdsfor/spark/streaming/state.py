"""The state of a bucket between batches: its keys in parts, and shared sections.

If Spark's workers may open files, a batch writes one file for each bucket that it affects. It contains the parts that
were read, and an index with the file of each part. Files never change. Parts without changes are neither read nor
written, until their files contain too little valid data; then they are copied unchanged.

Otherwise Spark itself reads and writes the same sections (row_state.py).

Every section of a file is sealed with its run, stage, bucket, part and batch, and has a checksum (see seals.py).
Sections of the engine also contain the format and the fingerprint of the plan.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.core.host import FOREVER
from holdsfor.core.shares import MOST_PARTS, KeyPart, SavedKeys, ShareEngine
from holdsfor.spark.streaming.seals import DamagedCheckpoint, seal, unsealed
from holdsfor.spark.streaming.store import Store, new_attempt, packed, unpacked

USUAL = 64 * 1024
"""A part of more than twice this size is split into parts of about this size."""
MOST_FILES = 12
"""The most files with parts of one bucket."""
_SPARE = 1_000_000
"""Up to this number of obsolete bytes, nothing is rewritten."""
ALL = KeyPart(0, 1)


@dataclass(frozen=True)
class Place:
    """The position of the state of a bucket: the file with its index, and the offset of the index.

    `wake` is the next time at which something happens without new rows. `batches` are those whose files contain parts
    of it.
    """

    batch: int
    attempt: str
    offset: int
    wake: int
    batches: Sequence[int]
    sizes: Mapping[str, int] = field(default_factory=dict)
    plan: str = ""
    """The identity of the plan that wrote it."""

    @property
    def file(self) -> str:
        """The name of the file."""
        return f"{self.batch}-{self.attempt}"


@dataclass(frozen=True)
class PartPlace:
    """The position and content of a part; `saved` is the file to which it was first written."""

    number: int
    of: int
    saved: str
    file: str
    offset: int
    size: int
    keys: int
    rows: int
    shown: int
    wake: int

    @property
    def part(self) -> KeyPart:
        """The identity of the part."""
        return KeyPart(self.number, self.of)


@dataclass
class _File:
    """A file being written: a sequence of sections."""

    store: Store
    name: str
    data: bytearray = field(default_factory=bytearray)

    def add(self, content: bytes, name: str) -> tuple[int, int]:
        """Adds a section; returns its offset and size."""
        offset = len(self.data)
        self.data += content
        self.data += seal(content, self.store.owner, name)
        return offset, len(self.data) - offset

    def copy(self, section: Any) -> int:
        """Copies a section of another file unchanged; returns its offset."""
        offset = len(self.data)
        self.data += section
        return offset


class BucketState(ABC):
    """The state of a bucket of a stage, for any storage; a state that no plan has written is empty."""

    def __init__(self, plan: str | None, parts: Iterable[PartPlace] = ()) -> None:
        self.plan = plan
        self.parts = {one.part: one for one in parts}
        self._unread = set(self.parts)

    @abstractmethod
    def content(self, name: str) -> bytes:
        """A section that every batch writes anew."""

    @abstractmethod
    def _read(self, place: PartPlace) -> bytes:
        """A part."""

    @abstractmethod
    def write(
        self, batch: int, rows: pa.Table, rest: bytes, saved: Sequence[SavedKeys], wake: int, plan: str
    ) -> dict[str, Any]:
        """Writes the shared sections, and parts next to those not read; returns the note for the driver."""

    # Reading

    def load_rest(self, engine: ShareEngine | None) -> pa.Table | None:
        """Loads the shared sections into an engine, and all keys if it needs them; returns rows that no query time has
        seen.
        """
        if self.plan is None:
            return None
        if engine is not None:
            is_other = engine.expect(self.plan)
            engine.load_share([self.content("rest")])
            if is_other or not engine.has_parts:
                self.load_all(engine)
            if is_other:
                engine.evaluate_anew()
        return unpacked(self.content("rows"))[0]

    @property
    def wake(self) -> int:
        """The next time at which something happens to a part that has not been read."""
        return min((self.parts[part].wake for part in self._unread), default=FOREVER)

    def load_due(self, engine: ShareEngine, query: int) -> None:
        """Reads the parts in which something happens up to a query time."""
        self._load(engine, [part for part in self._unread if self.parts[part].wake <= query])

    def load_reached(self, engine: ShareEngine, query: int) -> None:
        """Reads the parts that rows affect which wait for a query time."""
        if self._unread:
            reached = engine.reached(query)
            counts = {part.of for part in self._unread}
            wanted = {KeyPart(number, of) for of in counts for number in (reached % of).tolist()}
            self._load(engine, wanted & self._unread)

    def load_all(self, engine: ShareEngine) -> None:
        """Read all parts."""
        self._load(engine, self._unread)

    def _load(self, engine: ShareEngine, parts: Iterable[KeyPart]) -> None:
        wanted = sorted(parts, key=lambda part: (part.of, part.number))
        # Rows read by a partial key exist before any key.
        data = [self._read(self.parts[part]) for part in wanted if self.parts[part].keys or not engine.has_parts]
        if data:
            engine.load_share(data)
        self._unread -= set(wanted)

    # Writing

    def save(self, engine: ShareEngine, batch: int, rows: pa.Table) -> dict[str, Any]:
        """Writes what has been read, and rows that no query time has seen yet; returns the note for the driver."""
        saved = engine.save_keys(
            [part for part in self.parts if part not in self._unread] or ([ALL] if self.plan is None else [])
        )
        found = _with_large_ones_cut(engine, saved) if engine.has_parts else saved
        for old in saved:
            self.parts.pop(old.part, None)
        return self.write(batch, rows, engine.save_rest(), found, engine.next_wake, engine.identity)


class FileState(BucketState):
    """A state in files that the worker opens."""

    def __init__(self, store: Store, stage: int, bucket: int, place: Place | None) -> None:
        self._store, self._stage, self._bucket, self.place = store, stage, bucket, place
        self._files: dict[str, int] = {}
        self._rest: Mapping[str, Any] = {}
        listed: list[PartPlace] = []
        if place is not None:
            index = json.loads(bytes(self._section(place.file, place.offset, None, self._named("index", place.file))))
            self._rest, self._files = index["rest"], index["files"]
            listed = [PartPlace(*one) for one in index["parts"]]
        super().__init__(None if place is None else place.plan, listed)

    def content(self, name: str) -> bytes:
        """A section that every batch writes anew."""
        assert self.place is not None
        file = self.place.file
        offset, size = self._rest[name]
        return bytes(self._section(file, offset, size, self._named(name, file)))

    def _read(self, place: PartPlace) -> bytes:
        name = self._named(f"part {place.number} of {place.of}", place.saved)
        return bytes(self._section(place.file, place.offset, place.size, name))

    def _section(self, file: str, offset: int, size: int | None, name: str) -> Any:
        path = self._store.path(self._path(file))
        try:
            data = self._store.read(self._path(file), offset, size)
        except FileNotFoundError:
            raise DamagedCheckpoint(path, "is missing") from None
        return unsealed(data, self._store.owner, name, path)

    def _path(self, file: str) -> str:
        batch, _, attempt = file.rpartition("-")
        return f"{batch}/state/{self._stage}-{self._bucket}-{attempt}"

    def _named(self, section: str, file: str) -> str:
        return f"{section} of {self._path(file)}"

    def write(
        self, batch: int, rows: pa.Table, rest: bytes, saved: Sequence[SavedKeys], wake: int, plan: str
    ) -> dict[str, Any]:
        """Writes a file; returns its position."""
        attempt = new_attempt()
        name = f"{batch}-{attempt}"
        file = _File(self._store, name)
        index: dict[str, Any] = {"rest": {}}
        for section, content in (("rest", rest), ("rows", packed([rows]).to_pybytes())):
            index["rest"][section] = file.add(content, self._named(section, name))
        for one in saved:
            part = one.part
            offset, size = file.add(one.data, self._named(f"part {part.number} of {part.of}", name))
            counted = one.keys, one.rows, one.shown, one.wake
            self.parts[part] = PartPlace(part.number, part.of, name, name, offset, size, *counted)
        self._copy_some(file, name)
        needed = {one.file for one in self.parts.values()} | {name}
        self._files = {known: size for known, size in self._files.items() if known in needed}
        index["parts"] = [list(asdict(one).values()) for one in self.parts.values()]
        # Its own file counts without the index.
        index["files"] = self._files | {name: len(file.data)}
        offset, _ = file.add(json.dumps(index).encode(), self._named("index", name))
        self._store.write(self._path(name), bytes(file.data))
        first = min(wake, first_arrival(rows), *(one.wake for one in self.parts.values()), FOREVER)
        batches = sorted({int(known.rpartition("-")[0]) for known in needed})
        bytes_of_others = sum(one.size for one in self.parts.values() if one.file != name)
        sizes = counted_parts(self.parts.values(), len(rows), len(file.data) + bytes_of_others)
        return {"place": asdict(Place(batch, attempt, offset, first, batches, sizes, plan))}

    def _copy_some(self, file: _File, name: str) -> None:
        """Copies parts out of files that contain too little valid data."""
        while True:
            used: dict[str, int] = {}
            for one in self.parts.values():
                if one.file != name:
                    used[one.file] = used.get(one.file, 0) + one.size
            waste = sum(self._files[known] - size for known, size in used.items())
            if len(used) <= MOST_FILES and waste <= sum(used.values()) + _SPARE:
                return
            worst = min(
                used, key=lambda known: used[known] / self._files[known] if len(used) <= MOST_FILES else used[known]
            )
            for part, one in list(self.parts.items()):
                if one.file == worst:
                    section = self._store.read(self._path(worst), one.offset, one.size)
                    self.parts[part] = replace(one, file=name, offset=file.copy(section))


def first_arrival(rows: pa.Table) -> int:
    """The first query time that sees some rows."""
    return FOREVER if not len(rows) else int(pc.min(rows["arrival"]).as_py())


def counted_parts(parts: Iterable[PartPlace], waiting: int, size: int) -> dict[str, int]:
    """The totals of a state with these parts and this number of waiting rows."""
    listed = list(parts)
    return {
        "keys": sum(one.keys for one in listed),
        "rows": sum(one.rows for one in listed) + waiting,
        "shown": sum(one.shown for one in listed),
        "bytes": size,
    }


def _with_large_ones_cut(engine: ShareEngine, saved: Sequence[SavedKeys]) -> list[SavedKeys]:
    """Splits parts that have become large. All are split at once, because each split passes over all keys."""
    whole, cut = list[SavedKeys](), list[KeyPart]()
    for one in saved:
        pieces = 1
        while len(one.data) > 2 * USUAL * pieces and one.part.of * pieces < MOST_PARTS and pieces < one.keys:
            pieces *= 2
        if pieces == 1:
            whole.append(one)
        else:
            cut += one.part.cut(pieces)
    return whole + (engine.save_keys(cut) if cut else [])
