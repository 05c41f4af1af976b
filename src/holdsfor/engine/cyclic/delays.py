"""Delayed effects outside cycles, all instances at once.

Where no rule asks about the component itself and every effect stays with its instance, nothing has to be swept: the
values of a fluent are taken in the order of their delayed effects, and for each of them the initiations that reach
their deadline are found by sorting and searching. What decides about an initiation of a value are the points that break
the value: they cut its initiations into *stretches*, in each of which the value holds from the first one on, as long as
no deadline is reached.

Law: equal to the sweep.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

import numpy as np

from holdsfor.engine.cyclic.pairs import pair_keys
from holdsfor.engine.cyclic.rows import Batch, written_out
from holdsfor.engine.cyclic.sweep import Found, Start, Swept
from holdsfor.engine.cyclic.sweep_loop import (
    CLEARED,
    DELAY,
    EFFECT,
    EFFECT_VALUE,
    ENDED,
    ENDS_TRIGGER,
    HAPPENED,
    POSTPONABLE,
    STARTED,
    TRIGGER,
    TRIGGER_VALUE,
)
from holdsfor.engine.frames import is_in, numbering, order_of
from holdsfor.engine.inertia import ANY, make_intervals
from holdsfor.engine.kernels import EMPTY, Bools, Ints, is_sorted, search, true_rows

_MOST_VALUES = 64


@dataclass
class _Points:
    """Things that happen to slots; more are added as deadlines are reached."""

    slot: Ints
    time: Ints
    value: Ints

    @classmethod
    def of(cls, batches: list[Batch], actions: tuple[int, ...], until: int) -> _Points:
        chosen = [batch for batch in batches if batch.action in actions]
        slot = np.concatenate([EMPTY, *(batch.slot for batch in chosen)])
        time = np.concatenate([EMPTY, *(batch.time for batch in chosen)])
        values = (written_out(int(ANY) if b.action == CLEARED else b.value, len(b.time)) for b in chosen)
        value = np.concatenate([EMPTY, *values])
        seen = true_rows(time <= until)
        return cls(slot[seen], time[seen], value[seen])

    def where(self, rows: Bools) -> _Points:
        return _Points(self.slot[rows], self.time[rows], self.value[rows])

    def add(self, slot: Ints, time: Ints, value: Ints) -> None:
        self.slot = np.concatenate((self.slot, slot))
        self.time = np.concatenate((self.time, time))
        self.value = np.concatenate((self.value, value))


def settled(batches: list[Batch], delays: Ints, start: Start, span: tuple[int, int]) -> Swept | None:
    """What a sweep over some rows would find, or None if it takes a sweep to find it."""
    order = _order_of_values(delays)
    if order is None or not _are_plain(batches, delays):
        return None
    run = _Run(batches, delays, start, span)
    if run.bits > 62:
        return None
    for value in order:
        run.reach_deadlines(value)
    return None if run.has_ties() else run.found()


def _are_plain(batches: list[Batch], delays: Ints) -> bool:
    """Whether rows ask nothing of the component, and each pair has one delayed effect, on its own instance."""
    if any(batch.clauses or batch.root is not None or batch.action == HAPPENED for batch in batches):
        return False
    is_elsewhere = (delays[:, EFFECT] >= 0) & (delays[:, EFFECT] != delays[:, TRIGGER])
    pairs = pair_keys(delays[:, TRIGGER], delays[:, TRIGGER_VALUE])
    is_open = (delays[:, TRIGGER_VALUE] < 0) | ((delays[:, EFFECT] != ENDS_TRIGGER) & (delays[:, EFFECT_VALUE] < 0))
    return not is_elsewhere.any() and not is_open.any() and len(_in_order([pairs])) == len(pairs)


def _order_of_values(delays: Ints) -> list[int] | None:
    """The values that have delayed effects, each after those whose effects lead to it; None if they go in circles."""
    first, _ = numbering(pair_keys(delays[:, TRIGGER_VALUE] + 1, delays[:, EFFECT_VALUE]))
    edges = delays[first][:, [TRIGGER_VALUE, EFFECT_VALUE]].tolist()
    if len(edges) > _MOST_VALUES:
        return None
    graph: dict[int, set[int]] = {}
    for trigger, effect in edges:
        graph.setdefault(trigger, set())
        if effect >= 0:
            graph.setdefault(effect, set()).add(trigger)
    try:
        order = list(TopologicalSorter(graph).static_order())
    except CycleError:
        return None
    triggers = {trigger for trigger, _ in edges}
    return [value for value in order if value in triggers]


class _Run:
    def __init__(self, batches: list[Batch], delays: Ints, start: Start, span: tuple[int, int]) -> None:
        self._until, self._border = span
        self._delays, self._start = delays, start
        self._initiated = _Points.of(batches, (STARTED,), self._until)
        self._terminated = _Points.of(batches, (ENDED, CLEARED), self._until)
        self._delayed = _Points(EMPTY, EMPTY, EMPTY)
        self._kept: list[Ints] = [np.empty((3, 0), np.int64)]
        self._waiting = self._under_way()
        times = [points.time for points in (self._initiated, self._terminated, self._waiting)]
        self._base = min((int(column.min()) for column in times if len(column)), default=0)
        self._time_bits = max(1, (self._until + 1 - self._base).bit_length())
        slots = len(start.delay_at)
        self.bits = self._time_bits + slots.bit_length()

    def _under_way(self) -> _Points:
        """Attempts made before the border whose pair has held ever since."""
        _, initiated, slot, _, value = self._start.pending
        current = np.full(len(self._start.delay_at), -1)
        since = np.zeros(len(self._start.delay_at), np.int64)
        current[self._start.held], since[self._start.held] = self._start.value, self._start.since
        return _Points(slot, initiated, value).where((current[slot] == value) & (since[slot] <= initiated + 1))

    def _key(self, slot: Ints, time: Ints) -> Ints:
        return (slot << self._time_bits) | np.minimum(time - self._base, (1 << self._time_bits) - 1)

    def reach_deadlines(self, value: int) -> None:
        """Add the delayed effects of a value."""
        every = _in_order([self._key(p.slot, p.time) for p in self._of(value, self._waiting)])
        breaks = _in_order(list(self._breaks(value)))
        inits = every[~is_in(every, breaks)]
        slot = inits >> self._time_bits
        entry = self._entry(slot, value)
        has_entry = true_rows(entry >= 0)
        inits, slot, entry = inits[has_entry], slot[has_entry], entry[has_entry]
        time = (inits & ((1 << self._time_bits) - 1)) + self._base
        due = time + self._delays[entry, DELAY]
        self._keep(slot, time, due, value)
        place = search(breaks, inits, "right")
        ended = np.append(breaks, np.int64(1 << 62))[place]
        lasts = ended >= self._key(slot, due)
        is_new = np.ones(len(inits), np.bool_)
        is_new[1:] = (place[1:] != place[:-1]) | (slot[1:] != slot[:-1])
        is_postponable = self._delays[entry, POSTPONABLE] == 1
        goes = lasts & (due <= self._until)
        if is_postponable.any():
            is_last = self._is_last(time, due, is_new) & ~is_in(self._key(slot, due), every)
            goes &= is_last | ~is_postponable
        if not is_postponable.all():
            goes &= self._is_first(inits, slot, due, place, is_new) | is_postponable
        rows = true_rows(goes)
        effect = self._delays[entry[rows], EFFECT_VALUE]
        self._take_effect(
            slot[rows], due[rows], np.where(self._delays[entry[rows], EFFECT] == ENDS_TRIGGER, -1, effect), value
        )

    def _of(self, value: int, *more: _Points) -> Iterator[_Points]:
        for points in (self._initiated, self._delayed, *more):
            yield points.where(points.value == value)

    def _breaks(self, value: int) -> Iterator[Ints]:
        ends = self._terminated.where((self._terminated.value == value) | (self._terminated.value == ANY))
        yield self._key(ends.slot, ends.time)
        for points in (self._initiated, self._delayed):
            others = points.where(points.value != value)
            yield self._key(others.slot, others.time)

    def _entry(self, slot: Ints, value: int) -> Ints:
        """The delayed effect that a value has for each of some slots, -1 where it has none."""
        at, end = self._start.delay_at[slot], self._start.delay_end[slot]
        entry = np.full(len(slot), -1)
        has_value = np.append(self._delays[:, TRIGGER_VALUE] == value, False)
        while (at < end).any():
            np.putmask(entry, (at < end) & has_value[at], at)
            at = np.minimum(at + 1, end)
        return entry

    def _keep(self, slot: Ints, time: Ints, due: Ints, value: int) -> None:
        rows = true_rows((time <= self._border) & (due > self._border))
        self._kept.append(np.stack([slot[rows], np.full(len(rows), value), time[rows]]))

    @staticmethod
    def _is_last(time: Ints, due: Ints, is_new: Bools) -> Bools:
        """With postponement: no further initiation of the stretch comes up to the deadline."""
        last = np.ones(len(time), np.bool_)
        last[:-1] = is_new[1:] | (time[1:] > due[:-1])
        return last

    def _is_first(self, inits: Ints, slot: Ints, due: Ints, place: Ints, is_new: Bools) -> Bools:
        """Without postponement: the first initiation of a stretch counts, and the first after each deadline.

        From each initiation there is a jump to the one that counts next; jumps of 1, 2, 4, … reach them all.
        """
        count = len(inits)
        jump = np.searchsorted(inits, self._key(slot, due), side="right")
        padded_place, padded_slot = np.append(place, -1), np.append(slot, -1)
        leaves = (padded_place[jump] != place) | (padded_slot[jump] != slot)
        jump = np.append(np.where(leaves, count, jump), count)
        counts = np.append(is_new, False)
        while (jump[:-1] < count).any():
            counts[jump[true_rows(counts)]] = True
            jump = jump[jump]
        return counts[:count]

    def _take_effect(self, slot: Ints, due: Ints, effect: Ints, value: int) -> None:
        is_end = effect < 0
        self._delayed.add(slot[~is_end], due[~is_end], effect[~is_end])
        self._terminated.add(slot[is_end], due[is_end], np.full(int(is_end.sum()), value))

    def has_ties(self) -> bool:
        """Whether a delayed effect comes together with an initiation that was taken for valid without it."""
        delayed = self._delayed
        keys = self._key(delayed.slot, delayed.time)
        if not len(keys):
            return False
        order = order_of(keys)
        keys = keys[order]
        if (keys[1:] == keys[:-1]).any():
            return True
        with_effects = self._initiated.where(np.isin(self._initiated.value, self._delays[:, TRIGGER_VALUE]))
        wanted = self._key(with_effects.slot, with_effects.time)
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        differs = delayed.value[order[at]] != with_effects.value
        return bool((differs & (keys[at] == wanted)).any())

    def found(self) -> Swept:
        start, initiated, delayed = self._start, self._initiated, self._delayed
        carried = (start.held, start.since - 1, start.value)
        begun = [(points.slot, points.time, points.value) for points in (initiated, delayed)]
        ends = self._terminated
        made = make_intervals([carried, *begun], [(ends.slot, ends.time, ends.value)])
        both = [
            np.concatenate((getattr(initiated, name), getattr(delayed, name))) for name in ("slot", "value", "time")
        ]
        none, named = Found(EMPTY, EMPTY, EMPTY), true_rows(ends.value != ANY)
        slot, value, time = np.concatenate(self._kept, axis=1)
        return Swept(
            Found(made.group, made.value, made.start),
            made.end,
            Found(both[0], both[1], both[2]),
            Found(ends.slot[named], ends.value[named], ends.time[named]),
            none,
            none,
            Found(slot, value, time),
            (made.broken_group, made.broken),
        )


def _in_order(columns: list[Ints]) -> Ints:
    """Distinct keys, sorted."""
    keys = np.concatenate([EMPTY, *columns])
    if not is_sorted(keys):
        keys.sort()
    return keys[true_rows(np.append(True, keys[1:] != keys[:-1]))] if len(keys) else keys
