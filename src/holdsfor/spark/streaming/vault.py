"""The state of a bucket in files that never change: columns of integers, and the constants that they stand for.

A batch writes what is new since the one before, and where everything else is: in the files of earlier batches, which are
mapped into memory, so that only what is looked at is read. Files that have become small beside what is written, or of
which little is still needed, are written again and let go of; so there are few of them, each much larger than the next.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.engine.dictionary import Dictionary, Value
from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.incremental.parts import Part
from holdsfor.spark.streaming.store import Store, new_attempt, packed, state_file, unpacked
from holdsfor.spark.wire import text_of, value_from

SMALL = 8192
"""Files with fewer integers than that are always written again."""
_WORTH = 2
"""A file is written again if it is at most so many times as large as what is written anyway."""
_LONGEST = 19
"""Numbers of so many letters fit into an integer."""
_DATA, _VALUES = "data", "value"


@dataclass(frozen=True)
class _Place:
    """Where a table is: rows of so many columns, one column behind the other."""

    batch: int
    offset: int
    rows: int
    columns: int

    @property
    def size(self) -> int:
        return self.rows * self.columns


@dataclass(frozen=True)
class Written:
    """What was written: bytes in all files that count, integers in them, the batches whose files they are, and the
    attempt that the new one is of.
    """

    size: int
    integers: int
    batches: list[int]
    attempt: str


@dataclass
class _File:
    data: Ints
    values: Any
    size: int
    attempt: str
    needed: int = 0
    """Integers and constants in it that still count."""


@dataclass
class Vault:
    """The files of one bucket of one stage."""

    store: Store
    stage: int
    bucket: int
    rest: pa.Table | None = None
    """Rows that no query time has seen yet."""
    _files: dict[int, _File] = field(default_factory=dict)
    _places: dict[tuple[int, ...], tuple[Part, _Place]] = field(default_factory=dict)
    """By the identity of the columns, which are kept alive with it."""
    _chunks: list[tuple[int, int, int]] = field(default_factory=list)
    """Where the constants are, in order of their codes: batch, first, count."""

    def read(self, batch: int, attempt: str, dictionary: Dictionary) -> tuple[dict[str, Any], list[Part]]:
        """What was said of the tables that there are, and the tables; the dictionary gets the constants."""
        first, values, rest = unpacked(self.store.map_sealed(self._name(batch, attempt)))
        found = json.loads(first.schema.metadata[b"holdsfor"])
        self.rest = rest
        self._files[batch] = _File(_integers(first), values[_VALUES], int(found["bytes"][str(batch)]), attempt)
        for other, earlier in found["attempts"].items():
            tables = unpacked(self.store.map_sealed(self._name(int(other), earlier)))
            size = int(found["bytes"][other])
            self._files[int(other)] = _File(_integers(tables[0]), tables[1][_VALUES], size, earlier)
        self._chunks = [(int(one), first, count) for one, first, count in found["values"]]
        for one, begin, count in self._chunks:
            dictionary.encode(_values_in(self._files[one].values.slice(begin, count)))
        parts = []
        for row in found["parts"]:
            place = _Place(*row)
            table = self._files[place.batch].data[place.offset : place.offset + place.size]
            columns = table.reshape(place.columns, place.rows)
            part = Part(columns[0], tuple(columns[1:]))
            self._places[_identity(part)] = part, place
            parts.append(part)
        return found["state"], parts

    def write(
        self, batch: int, state: dict[str, Any], parts: Sequence[Part], dictionary: Dictionary, rest: pa.Table
    ) -> Written:
        """Write what is new. `state` says what the tables are, by their places among `parts`."""
        places = [self._places.get(_identity(part), (part, None))[1] for part in parts]
        known = sum(count for _, _, count in self._chunks)
        gone = self._absorbed(places, parts, len(dictionary) - known)
        columns: list[Ints] = []
        offset, rows = 0, []
        for part, there in zip(parts, places, strict=True):
            place = there
            if place is None or place.batch in gone:
                place = _Place(batch, offset, len(part), len(part.columns) + 1)
                columns += [part.key, *part.columns]
                offset += place.size
            rows.append((place.batch, place.offset, place.rows, place.columns))
        texts, chunks = self._values(batch, gone, dictionary, known)
        sizes = {
            other: self._files[other].size
            for other in {row[0] for row in rows} | {c[0] for c in chunks}
            if other != batch
        }
        data = np.concatenate([EMPTY, *columns])
        sizes[batch] = data.nbytes
        attempts = {other: self._files[other].attempt for other in sizes if other != batch}
        told = {"state": state, "parts": rows, "values": chunks, "bytes": sizes, "attempts": attempts}
        table = pa.table({_DATA: pa.array(data)}).replace_schema_metadata({"holdsfor": json.dumps(told)})
        packed_up = packed([table, pa.table({_VALUES: texts}), rest])
        attempt = new_attempt()
        self.store.write_sealed(self._name(batch, attempt), packed_up)
        needed = sum(size for _, _, *shape in rows for size in [shape[0] * shape[1]])
        return Written(sum(sizes.values()) - data.nbytes + packed_up.size, needed, sorted(sizes), attempt)

    def _name(self, batch: int, attempt: str) -> str:
        return state_file(batch, self.stage, self.bucket, attempt)

    def _absorbed(self, places: Sequence[_Place | None], parts: Sequence[Part], values: int) -> set[int]:
        """The files to be written again."""
        size = SMALL + values
        for file in self._files.values():
            file.needed = 0
        for part, place in zip(parts, places, strict=True):
            if place is None:
                size += len(part) * (len(part.columns) + 1)
            else:
                self._files[place.batch].needed += place.size
        for one, _, count in self._chunks:
            self._files[one].needed += count
        found = set()
        for batch, file in sorted(self._files.items(), key=lambda item: item[1].needed):
            held = len(file.data) + len(file.values)
            if file.needed <= _WORTH * size or 2 * file.needed < held:
                found.add(batch)
                size += file.needed
        return found

    def _values(
        self, batch: int, gone: set[int], dictionary: Dictionary, known: int
    ) -> tuple[Any, list[tuple[int, int, int]]]:
        """The constants to be written, and where all of them are."""
        texts: list[Any] = [pa.array([], pa.string())]
        chunks, written = [], 0
        for one, first, count in self._chunks:
            if one in gone:
                texts += self._files[one].values.slice(first, count).chunks
                chunks.append((batch, written, count))
                written += count
            else:
                chunks.append((one, first, count))
        new = dictionary.values[known:]
        if new:
            texts.append(pa.array([text_of(value) for value in new], pa.string()))
            chunks.append((batch, written, len(new)))
        return pa.concat_arrays(texts), _joined(chunks)


def _joined(chunks: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Chunks one behind the other in one file are one."""
    found: list[tuple[int, int, int]] = []
    for batch, first, count in chunks:
        if found and found[-1][0] == batch and found[-1][1] + found[-1][2] == first:
            found[-1] = batch, found[-1][1], found[-1][2] + count
        else:
            found.append((batch, first, count))
    return found


def _values_in(texts: pa.ChunkedArray) -> list[Value]:
    """Constants as they were; most are words and whole numbers, and there are as many as there are keys."""
    rests = pc.utf8_slice_codeunits(texts, 1)
    longest = pc.max(pc.utf8_length(texts)).as_py() or 0
    if longest <= _LONGEST and pc.all(pc.starts_with(texts, "i")).as_py():
        numbers: list[Value] = rests.cast(pa.int64()).to_pylist()
        return numbers
    kinds = pc.utf8_slice_codeunits(texts, 0, 1).to_pylist()
    return [
        rest if kind == "s" else value_from(kind + rest) for kind, rest in zip(kinds, rests.to_pylist(), strict=True)
    ]


def _identity(part: Part) -> tuple[int, ...]:
    return id(part.key), *map(id, part.columns)


def _integers(table: pa.Table) -> Ints:
    column = table[_DATA]
    return column.chunk(0).to_numpy() if column.num_chunks else EMPTY
