"""The law of inertia for all instances of a fluent at once.

Every point at which something happens to an instance either *sets* its value, *clears* it, or clears it *if it has
one particular value*. Only the last looks at the state, and the state between two points that decide it outright is
known; so one sort and a few passes make the intervals of all instances.

Law: for each instance, equal to stepping through its points in time order.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.engine.kernels import Bools, Ints
from holdsfor.engine.tables import FOREVER

NOTHING = -1
"""The value of an instance that has none."""
ANY = -2
"""A termination that ends whatever value there is."""


@dataclass(frozen=True)
class Made:
    """Intervals by instance, and how many initiations were broken at their own time-point."""

    group: Ints
    value: Ints
    start: Ints
    end: Ints
    conflicts: int


def make_intervals(
    initiated: tuple[Ints, Ints, Ints], terminated: tuple[Ints, Ints, Ints], open_end: int = int(FOREVER)
) -> Made:
    """Intervals from initiations and terminations, each given as (group, time, value).

    >>> g, v = np.zeros(2, np.int64), np.array([7, 7])
    >>> made = make_intervals((g, np.array([3, 5]), v), (g[:1], np.array([8]), v[:1]))
    >>> made.start.tolist(), made.end.tolist()
    ([4], [9])
    """
    group = np.concatenate((initiated[0], terminated[0]))
    time = np.concatenate((initiated[1], terminated[1]))
    value = np.concatenate((initiated[2], terminated[2]))
    if not len(group):
        return Made(group, value, time, time, 0)
    first = len(initiated[0])
    packed = _packed_sort(group, time, value, first)
    if packed is None:
        ends = np.arange(len(group)) >= first
        order = np.lexsort((value, ends, time, group))
        packed = group[order], time[order], value[order], ends[order]
    return _from_sorted(*packed, open_end)


def _packed_sort(group: Ints, time: Ints, value: Ints, first: int) -> tuple[Ints, Ints, Ints, Bools] | None:
    """Rows in order of group, time, kind and value by one sort of one integer column, if all of it fits in 63 bits."""
    base = int(time.min())
    time_bits = (int(time.max()) - base).bit_length()
    codes, rank = _ranked(value)
    value_bits = max(1, (len(codes) - 1).bit_length())
    if int(group.max()).bit_length() + time_bits + 1 + value_bits > 62:
        return None
    key = ((group << time_bits) | (time - base)) << (value_bits + 1)
    key[first:] |= 1 << value_bits
    key |= rank
    # Points come from sorted tables rule by rule; merging such runs is several times faster than sorting them.
    runs = np.count_nonzero(key[1:] < key[:-1])
    key.sort(kind="stable" if runs < 64 else None)
    low = key & ((1 << (value_bits + 1)) - 1)
    moment = key >> (value_bits + 1)
    return (
        moment >> time_bits,
        (moment & ((1 << time_bits) - 1)) + base,
        codes[low & ((1 << value_bits) - 1)],
        low >> value_bits == 1,
    )


def _ranked(value: Ints) -> tuple[Ints, Ints]:
    """The distinct values, of which there are few, and the place of each row's among them."""
    low = int(value.min())
    seen = np.zeros(int(value.max()) - low + 1, np.bool_)
    seen[value - low] = True
    codes = np.flatnonzero(seen)
    place = np.cumsum(seen) - 1
    return codes + low, place[value - low]


def _from_sorted(group: Ints, time: Ints, value: Ints, ends: Bools, open_end: int) -> Made:
    """Rows sorted by group and time, initiations before terminations at one time-point."""
    # Moments: runs of rows with one group and one time.
    new = np.empty(len(group), np.bool_)
    new[0] = True
    np.not_equal(group[1:], group[:-1], out=new[1:])
    new[1:] |= time[1:] != time[:-1]
    moment = np.cumsum(new) - 1
    first = np.flatnonzero(new)
    outcome, conflicts = _outright(moment, first, value, ends)
    keep = _effective(moment, first, value, ends, outcome, group)
    return _joined(group, time, keep, open_end, conflicts)


def _outright(moment: Ints, first: Ints, value: Ints, ends: Bools) -> tuple[Ints, int]:
    """What a moment decides whatever the state is: a value, NOTHING, or (ANY) that it depends on the state."""
    sets = ~ends[first]
    wanted = np.where(sets, value[first], ANY)
    # An initiation is broken by another value initiated, or by its own termination, at the same moment.
    target = wanted[moment]
    contradicts = np.where(ends, (value == target) | (value == ANY), value != target) & sets[moment]
    broken = np.zeros(len(first), np.bool_)
    broken[moment[contradicts]] = True
    cleared = np.zeros(len(first), np.bool_)
    cleared[moment[ends & (value == ANY)]] = True
    outcome = np.where(broken | (cleared & ~sets), NOTHING, wanted)
    return outcome, int(np.count_nonzero(broken))


def _effective(moment: Ints, first: Ints, value: Ints, ends: Bools, outcome: Ints, group: Ints) -> tuple[Ints, Ints]:
    """The moments that change something, as (row, value after it)."""
    decides = outcome != ANY
    if decides.all():
        return first, outcome
    # A conditional clear works if the value decided last, in the same group, is the one it ends.
    last = np.maximum.accumulate(np.where(decides, np.arange(len(first)), -1))
    conditional = np.flatnonzero(ends & ~decides[moment])
    at = moment[conditional]
    before = last[at]
    known = np.flatnonzero(before >= 0)
    at, before, conditional = at[known], before[known], conditional[known]
    hits = (outcome[before] == value[conditional]) & (group[first[before]] == group[conditional])
    changes = decides.copy()
    changes[at[hits]] = True
    kept = np.flatnonzero(changes)
    return first[kept], np.where(decides[kept], outcome[kept], NOTHING)


def _joined(group: Ints, time: Ints, changes: tuple[Ints, Ints], open_end: int, conflicts: int) -> Made:
    rows, after = changes
    groups = group[rows]
    if not len(rows):
        empty = np.empty(0, np.int64)
        return Made(empty, empty, empty, empty, conflicts)
    # Drop moments that leave the value as it was.
    fresh = np.empty(len(rows), np.bool_)
    fresh[0] = True
    fresh[1:] = (groups[1:] != groups[:-1]) | (after[1:] != after[:-1])
    rows, after, groups = rows[fresh], after[fresh], groups[fresh]
    times = time[rows]
    until = np.full(len(rows), open_end, np.int64)
    within = groups[1:] == groups[:-1]
    until[:-1][within] = times[1:][within] + 1
    held = np.flatnonzero(after != NOTHING)
    return Made(groups[held], after[held], times[held] + 1, until[held], conflicts)
