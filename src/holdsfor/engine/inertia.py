"""The law of inertia for all instances of a fluent at once.

Every initiation and termination becomes one integer: instance, time, kind and value side by side, so that one sort puts
the points of all instances in order and neighbours are compared by one exclusive or. Read in that order, a point either
*sets* the value, *clears* it, or clears it *if it has one particular value*. Only the last looks at the state, and the
state is known from the last point that decides it outright.

Law: for each instance, equal to stepping through its points in time order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from holdsfor.engine.kernels import EMPTY, Bools, Ints, blocks, true_rows
from holdsfor.engine.tables import FOREVER
from holdsfor.logic.arithmetic import EvaluationError

ANY = -2
"""A termination that ends whatever value there is."""

Part: TypeAlias = tuple[Ints, Ints, Ints]
"""Group, time and value of some points; fast if they come sorted by group and time."""

GROUPS = 1 << 17
"""About so many rows are made into intervals at a time, whole groups of them."""
_FEW = 1 << 12
"""Up to so many rows, the number of calls is what costs."""
_RUNS = 64
"""Up to so many sorted runs, merging is faster than sorting."""
_BITS = 62


@dataclass(frozen=True)
class Made:
    """Intervals by instance, and the time-points at which an initiation of an instance was broken at once.

    `broken_group` are the instances of those.
    """

    group: Ints
    value: Ints
    start: Ints
    end: Ints
    broken: Ints
    broken_group: Ints


def make_intervals(initiated: Sequence[Part], terminated: Sequence[Part], open_end: int = int(FOREVER)) -> Made:
    """Intervals from initiations and terminations, each given in parts as (group, time, value).

    >>> g, v = np.zeros(2, np.int64), np.array([7, 7])
    >>> made = make_intervals([(g, np.array([3, 5]), v)], [(g[:1], np.array([8]), v[:1])])
    >>> made.start.tolist(), made.end.tolist()
    ([4], [9])
    """
    starts = [part for part in initiated if len(part[1])]
    ends = [part for part in terminated if len(part[1])]
    if not starts:
        return Made(EMPTY, EMPTY, EMPTY, EMPTY, EMPTY, EMPTY)
    if sum(len(part[1]) for part in (*starts, *ends)) <= _FEW:
        starts, ends = _stacked(starts), _stacked(ends)
    layout = _layout(starts, ends)
    if layout.bits > _BITS:
        return _renumbered(starts, ends, open_end)
    key = _packed(layout, starts, ends)
    # Points come from sorted tables rule by rule; merging such runs is several times faster than sorting them.
    runs = np.count_nonzero(key[1:] < key[:-1])
    if runs:
        key.sort(kind="stable" if runs < _RUNS else None)
    return _from_sorted(layout, key, open_end)


def _stacked(parts: list[Part]) -> list[Part]:
    if len(parts) < 2:
        return parts
    group, time, value = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return [(group, time, value)]


@dataclass(frozen=True)
class _Layout:
    """Where a point's group, time, kind and value are in its integer, from high bits to low ones.

    `kind` is the bit that is set for terminations; below it is the value, or 0 for a termination of any value. With a
    single value there is nothing below it (`value_bits` is 0), and every termination ends whatever there is.
    """

    group_bits: int
    first_time: int
    time_bits: int
    first_value: int
    value_bits: int
    is_conditional: bool

    @property
    def bits(self) -> int:
        """How many bits an integer needs."""
        return self.group_bits + self.time_bits + 1 + self.value_bits

    @property
    def kind(self) -> int:
        """The bit of terminations."""
        return 1 << self.value_bits

    @property
    def low_bits(self) -> int:
        """The bits below the time."""
        return self.value_bits + 1

    @property
    def low(self) -> int:
        """A mask of the bits below the time."""
        return (1 << self.low_bits) - 1

    @property
    def below_group(self) -> int:
        """The bits below the group."""
        return self.time_bits + self.low_bits

    def times(self, key: Ints, later: int) -> Ints:
        """The times of points, so much later."""
        found = key >> self.low_bits
        found &= (1 << self.time_bits) - 1
        found += self.first_time + later
        return found

    def values(self, key: Ints) -> Ints:
        """The values of initiations."""
        if not self.value_bits:
            return np.full(len(key), self.first_value)
        found = key & self.low
        found += self.first_value - 1
        return found


def _layout(starts: Sequence[Part], ends: Sequence[Part]) -> _Layout:
    points = (*starts, *ends)
    last_group = max(int(np.maximum.reduce(group)) for group, _, _ in points)
    first_time = min(int(np.minimum.reduce(time)) for _, time, _ in points)
    last_time = max(int(np.maximum.reduce(time)) for _, time, _ in points)
    first_value = min(int(np.minimum.reduce(value)) for _, _, value in starts)
    last_value = max(int(np.maximum.reduce(value)) for _, _, value in starts)
    is_conditional = any(_looks_at_state(value, first_value, last_value) for _, _, value in ends)
    is_single = first_value == last_value and not is_conditional
    return _Layout(
        group_bits=last_group.bit_length(),
        first_time=first_time,
        time_bits=(last_time - first_time).bit_length(),
        first_value=first_value,
        # Values count from 1, for 0 is any.
        value_bits=0 if is_single else (last_value - first_value + 1).bit_length(),
        is_conditional=is_conditional,
    )


def _looks_at_state(ended: Ints, first: int, last: int) -> bool:
    """Whether terminations depend on the value there is: not if they end any, or the only one there can be."""
    low, high = int(np.minimum.reduce(ended)), int(np.maximum.reduce(ended))
    if low == high:
        return low not in (ANY, first) or (low != ANY and first != last)
    return first != last or bool(np.any((ended != ANY) & (ended != first)))


def _packed(layout: _Layout, starts: Sequence[Part], ends: Sequence[Part]) -> Ints:
    """One integer per point."""
    if layout.is_conditional:
        ends = [_that_can_matter(layout, part) for part in ends]
    key = np.empty(sum(len(part[1]) for part in (*starts, *ends)), np.int64)
    shift = -layout.first_time << layout.low_bits
    done = 0
    for kind, parts in ((0, starts), (layout.kind, ends)):
        has_value = layout.value_bits > 0 and (kind == 0 or layout.is_conditional)
        rest = shift + kind + (1 - layout.first_value if has_value else 0)
        for group, time, value in parts:
            for rows in blocks(len(time)):
                out = key[done + rows.start : done + rows.stop]
                np.left_shift(group[rows], layout.time_bits, out=out)
                out += time[rows]
                out <<= layout.low_bits
                if has_value:
                    out += value[rows]
                out += rest
            done += len(time)
    return key


def _that_can_matter(layout: _Layout, part: Part) -> Part:
    """Terminations of values that are initiated somewhere; `ANY` is turned into what stands for it in the packing."""
    group, time, value = part
    first, count = layout.first_value, 1 << layout.value_bits
    any_value = value == ANY
    rows = true_rows(any_value | ((value >= first) & (value - first < count - 1)))
    return group[rows], time[rows], np.where(any_value[rows], first - 1, value[rows])


def _from_sorted(layout: _Layout, key: Ints, open_end: int) -> Made:
    """Intervals from points in order, some whole groups at a time."""
    found = []
    begin = 0
    while begin < len(key):
        finish = _end_of_block(key, begin, layout.below_group)
        block = key[begin:finish]
        if layout.value_bits:
            # In place: the column is ours.
            block = _decided(layout, block)
        start, end, broken = _block_intervals(layout, block, open_end)
        spans = start >> layout.below_group, layout.values(start), layout.times(start, 1), end
        found.append((*spans, layout.times(broken, 0), broken >> layout.below_group))
        begin = finish
    return Made(*(found[0] if len(found) == 1 else map(np.concatenate, zip(*found, strict=True))))


def _end_of_block(key: Ints, begin: int, below_group: int) -> int:
    """Where a block ends: with its last group."""
    last = begin + GROUPS
    if last >= len(key):
        return len(key)
    return int(np.searchsorted(key, ((int(key[last - 1]) >> below_group) + 1) << below_group))


def _block_intervals(layout: _Layout, key: Ints, open_end: int) -> tuple[Ints, Ints, Ints]:
    """Packed starts, plain ends, and packed broken initiations, of points that all set or clear a value outright."""
    if not len(key):
        return EMPTY, EMPTY, EMPTY
    differs = key[1:] ^ key[:-1]
    # At one moment initiations come before what breaks them; there is at most one such step at a moment.
    breaks = true_rows((differs >= layout.kind) & (differs <= layout.low))
    # Only points that change the state matter, or that are the first of their group.
    differs &= ~(((1 << layout.time_bits) - 1) << layout.low_bits)
    matters = np.empty(len(key), np.bool_)
    matters[0] = True
    np.not_equal(differs, 0, out=matters[1:])
    changes = key[true_rows(matters)]
    rows = true_rows((changes & layout.kind) == 0)
    start = changes[rows]
    rows += 1
    following = changes.take(rows, mode="clip")
    until = layout.times(following, 1)
    differs = start ^ following
    # What comes last in its group, or last of all, stays open.
    is_open = (differs >= 1 << layout.below_group) | (rows == len(changes))
    np.putmask(until, is_open, open_end)
    if not len(breaks):
        return start, until, EMPTY
    lasting = true_rows((differs > layout.low) | is_open)
    return start[lasting], until[lasting], key[breaks]


def _decided(layout: _Layout, key: Ints) -> Ints:
    """Points that set or clear a value whatever the state is, to the same effect as all points."""
    differs = key[1:] ^ key[:-1]
    clash = _initiated_together(layout, key, differs)
    if not layout.is_conditional and not clash.any():
        return key
    repeated = differs == 0
    if repeated.any():
        key = key[true_rows(np.concatenate(([True], ~repeated)))]
        clash = _initiated_together(layout, key, key[1:] ^ key[:-1])
    # Values initiated at one moment break each other: all but the first clear.
    rows = true_rows(clash) + 1
    key[rows] = (key[rows] & ~layout.low) | layout.kind
    return _resolved(layout, key) if layout.is_conditional else key


def _initiated_together(layout: _Layout, key: Ints, differs: Ints) -> Bools:
    """Which points initiate another value than the point before, at the same moment."""
    together = (differs > 0) & (differs < layout.kind)
    if layout.is_conditional:
        together &= (key[1:] & layout.kind) == 0
    return together


def _resolved(layout: _Layout, key: Ints) -> Ints:
    """A conditional termination clears if the value decided last, in the same group, is the one it ends."""
    what = key & layout.low
    decides = what <= layout.kind
    asked = true_rows(~decides)
    last = np.maximum.accumulate(np.where(decides, np.arange(len(key)), 0))[asked]
    hits = (what[last] == what[asked] - layout.kind) & ((key[last] ^ key[asked]) >> layout.below_group == 0)
    clearing = asked[hits]
    key[clearing] = (key[clearing] & ~layout.low) | layout.kind
    decides[clearing] = True
    return key[true_rows(decides)]


def _renumbered(starts: Sequence[Part], ends: Sequence[Part], open_end: int) -> Made:
    """Groups, times and values that are too far apart for one integer are numbered first."""
    counts = [len(part[1]) for part in (*starts, *ends)]
    cuts = np.cumsum(counts)[:-1]
    names, parts = [], []
    for place in range(3):
        distinct, numbers = np.unique(np.concatenate([part[place] for part in (*starts, *ends)]), return_inverse=True)
        if place == 2 and distinct[0] == ANY:
            numbers = np.where(numbers == 0, ANY, numbers)
        names.append(distinct)
        parts.append(np.split(numbers.astype(np.int64), cuts))
    numbered = list(zip(*parts, strict=True))
    starts, ends = numbered[: len(starts)], numbered[len(starts) :]
    layout = _layout(starts, ends)
    if layout.bits > _BITS:
        raise EvaluationError("too many instances and times for one window; use a shorter window")
    made = _from_sorted(layout, np.sort(_packed(layout, starts, ends)), int(FOREVER))
    group, time, value = names
    is_open = made.end == FOREVER
    end = np.where(is_open, open_end, time[np.where(is_open, 1, made.end) - 1] + 1)
    start, broken, broken_group = time[made.start - 1] + 1, time[made.broken], group[made.broken_group]
    return Made(group[made.group], value[made.value], start, end, broken, broken_group)
