"""Tables of events, of initiations and terminations, and of maximal intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdsfor.columns.frames import Codes, Column, combined_keys, numbering, order_of, row_keys
from holdsfor.columns.kernels import Ints, Spans, blocks, is_sorted, true_rows
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.records import record

FOREVER = np.int64(2**62)
"""The end of an open interval; its negative is a start before all time."""


_MANY = 1 << 16
"""Longer columns exceed the fastest memory."""


@record
class Space:
    """The packing of groups and times into one integer during an evaluation.

    `code_bits` suffices for every code, `time_bits` for every time after `base`, including "before" and "after".
    """

    code_bits: int
    base: int
    time_bits: int

    @classmethod
    def over(cls, codes: int, first: int, last: int) -> Space:
        """A space for a number of codes and the times from first to last."""
        return cls(max(1, (codes - 1).bit_length()), first - 2, max(2, (last - first + 5).bit_length()))

    @property
    def last(self) -> int:
        """The packed time for "after all time"."""
        return (1 << self.time_bits) - 1

    def times(self, times: Ints) -> Ints:
        """Times as small non-negative numbers; times outside are clamped."""
        small = np.empty(len(times), np.int64)
        for rows in blocks(len(times)):
            self._small(times[rows], small[rows])
        return small

    def _small(self, times: Ints, out: Ints) -> None:
        np.maximum(times, self.base, out=out)
        np.minimum(out, self.base + self.last, out=out)
        out -= self.base

    def plain(self, packed: Ints) -> Ints:
        """The plain times of packed times."""
        times = np.empty(len(packed), np.int64)
        for rows in blocks(len(packed)):
            small = packed[rows] & self.last
            out = np.add(small, self.base, out=times[rows])
            np.putmask(out, small == self.last, FOREVER)
            np.putmask(out, small == 0, -FOREVER)
        return times

    def fits(self, columns: int) -> bool:
        """Whether this number of code columns and a time fit into one integer."""
        return columns * self.code_bits + self.time_bits <= 62

    def group(self, columns: Sequence[Ints], rows: int) -> Ints:
        """Code columns packed into one integer."""
        if len(columns) < 2:
            return columns[0] if columns else np.zeros(rows, np.int64)
        packed = np.empty(rows, np.int64)
        for part in blocks(rows):
            out = np.left_shift(columns[0][part], self.code_bits, out=packed[part])
            for column in columns[1:-1]:
                out |= column[part]
                out <<= self.code_bits
            out |= columns[-1][part]
        return packed

    def groups(self, left: Sequence[Ints], right: Sequence[Ints], rows: tuple[int, int]) -> tuple[Ints, Ints]:
        """Comparable groups for two sets of rows, small enough to be packed with a time."""
        if not left or self.fits(len(left)):
            return self.group(left, rows[0]), self.group(right, rows[1])
        a, b = combined_keys(list(left), list(right))
        _, number = numbering(np.concatenate((a, b)))
        return number[: rows[0]], number[rows[0] :]

    def pack(self, group: Ints, times: Ints) -> Ints:
        """Groups and plain times as points of the packed time-line."""
        if int(np.maximum.reduce(group, initial=0)) >> max(62 - self.time_bits, 0):
            raise EvaluationError(
                f"the times of the stream span 2^{self.time_bits} time-points, too many for so many instances; "
                "look for a time that is far off, or use a coarser time unit"
            )
        packed = np.empty(len(times), np.int64)
        for rows in blocks(len(times)):
            out = packed[rows]
            self._small(times[rows], out)
            out |= group[rows] << self.time_bits
        return packed


@record
class Events:
    """The occurrences of one event: a column per argument, and times."""

    args: tuple[Column, ...]
    time: Ints

    def __len__(self) -> int:
        return len(self.time)

    def in_order(self) -> Events:
        """Sorted by first argument and time, so that derived rows are ordered, and lookups are fast."""
        first = self.args[0] if self.args else None
        if not isinstance(first, Codes) or len(self) < 2:
            return self
        low = int(self.time.min())
        time_bits, row_bits = (int(self.time.max()) - low).bit_length(), len(self).bit_length()
        if int(first.data.max()).bit_length() + time_bits + row_bits > 62:
            return self.take(np.lexsort((self.time, first.data)))
        if is_sorted(self.time):
            # A stream in time order needs to be sorted by argument only.
            return self if is_sorted(first.data) else self._grouped(first.data, low, time_bits)
        key = np.empty(len(self), np.int64)
        for part in blocks(len(self)):
            out = np.left_shift(first.data[part], time_bits, out=key[part])
            out += self.time[part]
            out -= low
        if is_sorted(key):
            return self
        if len(self.args) == 1:
            key.sort()
            return Events((Codes(key >> time_bits),), _bit_field(key, 0, time_bits, low))
        # The low bits contain the row: sorting plain integers is far faster than sorting indices.
        for part in blocks(len(self)):
            out = key[part]
            out <<= row_bits
            out |= np.arange(part.start, part.stop)
        key.sort()
        rows = key & ((1 << row_bits) - 1)
        time = _bit_field(key, row_bits, time_bits, low)
        key >>= row_bits + time_bits
        return Events((Codes(key), *(column.take(rows) for column in self.args[1:])), time)

    def _grouped(self, codes: Ints, low: int, time_bits: int) -> Events:
        """Sorted by the codes of the first argument. Times begin at `low` and need `time_bits` bits."""
        order = order_of(codes)
        if len(self) <= _MANY or int(codes.max()) > len(self):
            return self.take(order)
        # Gathering values from a long column takes longer than sorting. Codes are written by their counts, and times
        # are gathered as short integers for better cache use.
        counts = np.bincount(codes)
        first = Codes(np.repeat(np.arange(len(counts)), counts))
        time = self.time
        if time_bits < 32:
            time = (time - low).astype(np.uint32)[order].astype(np.int64)
            time += low
        else:
            time = time[order]
        return Events((first, *(column.take(order) for column in self.args[1:])), time)

    def distinct(self) -> Events:
        """Without duplicates: an event happens once at a time-point, however often it is reported."""
        columns = [column.data for column in self.args]
        return self.take(np.sort(numbering(row_keys([*columns, self.time]))[0]))

    def between(self, low: int, last: int) -> Events:
        """The occurrences after a time-point, up to another."""
        return self.take(true_rows((self.time > low) & (self.time <= last)))

    def take(self, rows: Ints) -> Events:
        """A subset of the occurrences."""
        return Events(tuple(column.take(rows) for column in self.args), self.time[rows])


def _bit_field(key: Ints, shift: int, bits: int, base: int) -> Ints:
    """Some bits of packed integers."""
    found = np.empty(len(key), np.int64)
    for rows in blocks(len(key)):
        out = np.right_shift(key[rows], shift, out=found[rows])
        out &= (1 << bits) - 1
        out += base
    return found


@record
class Intervals:
    """Maximal intervals of one fluent, sorted by arguments, value and start.

    A simple fluent has one value at a time; its rows are sorted by arguments and start (`single_valued`).
    """

    args: tuple[Ints, ...]
    value: Ints
    start: Ints
    end: Ints
    single_valued: bool

    def __len__(self) -> int:
        return len(self.start)

    def take(self, rows: Ints) -> Intervals:
        """A subset of the rows, in order."""
        return Intervals(
            tuple(column[rows] for column in self.args),
            self.value[rows],
            self.start[rows],
            self.end[rows],
            self.single_valued,
        )

    def reach(self, first: int, last: int) -> tuple[int, int]:
        """Two time-points, extended to all times in the intervals; infinite ends are ignored."""
        if not len(self):
            return first, last
        low, high = int(self.start.min()), int(self.end.max())
        if low <= -FOREVER:
            low = int(self.start.min(initial=first, where=self.start > -FOREVER))
        if high >= FOREVER:
            closed = int(self.end.max(initial=last, where=self.end < FOREVER))
            high = max(closed, int(self.start.max()))
        return min(first, low), max(last, high)

    def spans(self, space: Space, group: Ints) -> Spans:
        """The intervals on the packed time-line, given the group of each row."""
        return space.pack(group, self.start), space.pack(group, self.end)
