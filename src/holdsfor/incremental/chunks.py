"""Tables in chunks, one for each query that added to them: what counts of them is told by the entries of their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from holdsfor.engine.kernels import Bools, Ints
from holdsfor.incremental.entries import LAST, Status
from holdsfor.incremental.sections import Section

Table = tuple[Ints, ...]


@dataclass(frozen=True)
class Chunk:
    """Rows, the entry that each belongs to, and whether it says something that is over for good."""

    entry: Ints
    columns: Table
    is_final: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.entry)

    def counts(self, status: Status) -> Bools:
        """Which rows count: all of the last entry of a key, and what is final of those that others go on from."""
        found = status[self.entry]
        found += self.is_final
        return np.asarray(found >= LAST)

    def where(self, chosen: Bools) -> Chunk:
        """Some rows."""
        rows = np.flatnonzero(chosen)
        return self if len(rows) == len(self) else self.take(rows)

    def take(self, rows: Ints) -> Chunk:
        """Some rows."""
        return Chunk(self.entry[rows], tuple(column[rows] for column in self.columns), self.is_final[rows])


def together(chunks: Sequence[Chunk]) -> Chunk:
    """Chunks one below the other."""
    entry, final = (np.concatenate([getattr(chunk, name) for chunk in chunks]) for name in ("entry", "is_final"))
    return Chunk(entry, stacked([chunk.columns for chunk in chunks]), final)


def stacked(tables: Sequence[Table]) -> Table:
    """Tables one below the other."""
    if len(tables) == 1:
        return tables[0]
    return tuple(map(np.concatenate, zip(*tables, strict=True)))


class Chunks:
    """Tables of all kinds."""

    def __init__(self) -> None:
        self._found: dict[Section, list[Chunk]] = {}

    def add(self, section: Section, chunk: Chunk, is_needed: Callable[[Chunk], Bools]) -> None:
        """More rows of a table. Chunks of like size become one, of what is needed in them."""
        if not len(chunk):
            return
        chunks = self._found.setdefault(section, [])
        chunks.append(chunk)
        while len(chunks) > 1 and len(chunks[-2]) < 2 * len(chunks[-1]):
            both = [one.where(is_needed(one)) for one in (chunks.pop(-2), chunks.pop())]
            chunks.append(together(both))

    def of(self, section: Section) -> Sequence[Chunk]:
        """A table."""
        return self._found.get(section, ())

    def items(self) -> Iterable[tuple[Section, list[Chunk]]]:
        """All tables."""
        return self._found.items()

    def sections(self) -> Iterable[Section]:
        """Which tables there are."""
        return self._found.keys()

    def select(self, section: Section, chosen: Callable[[Chunk], Bools], status: Status | None = None) -> Table | None:
        """The chosen rows of a table, as far as they count; None if there are none."""
        found = []
        for chunk in self._taken(section, chosen):
            counted = chunk if status is None else chunk.where(chunk.counts(status))
            if len(counted):
                found.append(counted.columns)
        return stacked(found) if found else None

    def _taken(self, section: Section, chosen: Callable[[Chunk], Bools]) -> Iterator[Chunk]:
        for chunk in self.of(section):
            found = chunk.where(chosen(chunk))
            if len(found):
                yield found

    def compact(self, stay: Bools, number: Ints, is_needed: Callable[[Chunk], Bools]) -> None:
        """Let go of rows of entries that are gone, and of those that are not needed; entries have other numbers now."""
        for section in list(self._found):
            kept = list(self._taken(section, lambda chunk: stay[chunk.entry] & is_needed(chunk)))
            del self._found[section]
            if kept:
                found = together(kept)
                self._found[section] = [replace(found, entry=number[found.entry])]

    def as_told(self, status: Status) -> Told:
        """What counts now, whatever is added later."""
        return Told({section: tuple(chunks) for section, chunks in self._found.items()}, status.copy())


@dataclass(frozen=True)
class Told:
    """Tables as they are at a query."""

    found: dict[Section, tuple[Chunk, ...]]
    status: Status

    def told(self, section: Section) -> Table | None:
        """The columns of a table; None if there is nothing in it."""
        found = []
        for chunk in self.found.get(section, ()):
            rows = np.flatnonzero(chunk.counts(self.status))
            if len(rows):
                found.append(tuple(column[rows] for column in chunk.columns))
        return stacked(found) if found else None
