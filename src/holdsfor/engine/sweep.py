"""The generic sweep: one loop over rows in time order, the same for every program.

A row is a ground rule instance whose conditions outside the component are already known to be true. What is left of
it are residual conditions on pairs (fluent instances with a value, or event instances) of the component itself, as a
conjunction of clauses. Rows of one time-point are tried rank by rank, in the order of the dependencies inside a
time-point, and then applied together; delayed effects wait in a heap.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import numpy as np

from holdsfor.engine.kernels import Ints
from holdsfor.engine.tables import FOREVER

INITIATE, TERMINATE, TERMINATE_ALL, HAPPEN = range(4)
"""What a row does to its pair; TERMINATE_ALL ends every value of the pair's instance."""
HOLDS, STARTS, ENDS, INITIATED, TERMINATED, HAPPENED = range(6)
"""What a residual condition asks of its pair."""


@dataclass
class Rows:
    """Rows as columns. Row i has clauses `clause_at[i]:clause_at[i+1]`, clause j literals
    `literal_at[j]:literal_at[j+1]`; a clause is true if one of its literals is.
    """

    time: Ints
    rank: Ints
    action: Ints
    pair: Ints
    clause_at: Ints
    literal_at: Ints
    asks: Ints
    asked: Ints
    positive: Ints


@dataclass
class Delays:
    """Delayed effects by trigger pair: entries `at[pair]:at[pair+1]`. Effect -1 terminates the trigger."""

    at: Ints
    delay: Ints
    effect: Ints
    postponable: Ints
    rank: Ints


@dataclass
class Pairs:
    """The pairs of a component: the instance of each, and the state at the border."""

    slot: Ints
    slots: int
    holding: list[tuple[int, int]] = field(default_factory=list)
    """Pairs that hold at the border, with the time-point from which they do."""
    pending: list[tuple[int, int, int]] = field(default_factory=list)
    """Attempts under way at the border: (due, initiated, index into the delays)."""
    trigger: dict[int, int] = field(default_factory=dict)


@dataclass
class Swept:
    """What a sweep found."""

    pair: list[int] = field(default_factory=list)
    start: list[int] = field(default_factory=list)
    end: list[int] = field(default_factory=list)
    initiated: list[tuple[int, int]] = field(default_factory=list)
    terminated: list[tuple[int, int]] = field(default_factory=list)
    happened: list[tuple[int, int]] = field(default_factory=list)
    attempts: list[tuple[int, int, int]] = field(default_factory=list)
    """(initiated, due, index into the delays) of every attempt that was staged."""
    conflicts: int = 0


def sweep(rows: Rows, pairs: Pairs, delays: Delays, until: int) -> Swept:
    """Run through time up to and including `until`."""
    run = _Run(rows, pairs, delays, until)
    run.go()
    return run.out


class _Run:
    def __init__(self, rows: Rows, pairs: Pairs, delays: Delays, until: int) -> None:
        self.rows, self.delays, self.until = rows, delays, until
        self.slot = pairs.slot.tolist()
        count = len(self.slot)
        self.current = [-1] * pairs.slots
        self.since = [0] * pairs.slots
        self.renewed = [-FOREVER.item()] * count
        self.out = Swept()
        self.heap = [(due, initiated, entry) for due, initiated, entry in pairs.pending]
        heapq.heapify(self.heap)
        self.entry_trigger = np.repeat(np.arange(count), np.diff(delays.at)).tolist()
        for pair, since in pairs.holding:
            self.current[self.slot[pair]] = pair
            self.since[self.slot[pair]] = since
        for _, initiated, entry in pairs.pending:
            trigger = self.entry_trigger[entry]
            self.renewed[trigger] = max(self.renewed[trigger], initiated)
        self._start_moment()

    def _start_moment(self) -> None:
        self.starting: dict[int, list[int]] = {}
        self.ending: dict[int, set[int]] = {}
        self.cleared: set[int] = set()
        self.fired: set[int] = set()

    def go(self) -> None:
        rows = self.rows
        order = np.lexsort((rows.rank, rows.time))
        times = rows.time[order].tolist()
        ranks = rows.rank[order].tolist()
        self.order = order.tolist()
        position, count = 0, len(times)
        while position < count or self.heap:
            now = min(
                times[position] if position < count else FOREVER.item(),
                self.heap[0][0] if self.heap else FOREVER.item(),
            )
            if now > self.until:
                break
            stop = position
            while stop < count and times[stop] == now:
                stop += 1
            self._moment(now, self.order[position:stop], ranks[position:stop])
            position = stop
        for slot, pair in enumerate(self.current):
            if pair >= 0:
                self._emit(pair, self.since[slot], FOREVER.item())

    # One time-point

    def _moment(self, now: int, numbers: list[int], ranks: list[int]) -> None:
        self._start_moment()
        due: dict[int, list[tuple[int, int]]] = {}
        while self.heap and self.heap[0][0] == now:
            _, initiated, entry = heapq.heappop(self.heap)
            due.setdefault(int(self.delays.rank[entry]), []).append((initiated, entry))
        by_rank: dict[int, list[int]] = {}
        for number, rank in zip(numbers, ranks, strict=True):
            by_rank.setdefault(rank, []).append(number)
        for rank in sorted(by_rank.keys() | due.keys()):
            for initiated, entry in due.get(rank, ()):
                self._attempt(initiated, entry, now)
            waiting = by_rank.get(rank, [])
            fired = True
            # Positive loops inside a time-point: try again what did not fire as long as something does.
            while fired and waiting:
                left = [number for number in waiting if not self._try(number)]
                fired = len(left) < len(waiting)
                waiting = left
        self._apply(now)

    def _attempt(self, initiated: int, entry: int, now: int) -> None:
        trigger = self.entry_trigger[entry]
        slot = self.slot[trigger]
        if self.current[slot] != trigger or self.since[slot] > initiated + 1:
            return
        again = trigger in self.starting.get(slot, ())
        if self.delays.postponable[entry] and (again or self.renewed[trigger] > initiated):
            return
        effect = int(self.delays.effect[entry])
        if effect < 0:
            self.ending.setdefault(slot, set()).add(trigger)
        elif self.slot[effect] < 0:
            self.out.happened.append((effect, now))
        else:
            self._initiate(effect)

    def _initiate(self, pair: int) -> None:
        started = self.starting.setdefault(self.slot[pair], [])
        if pair not in started:
            started.append(pair)

    def _try(self, number: int) -> bool:
        rows = self.rows
        for clause in range(rows.clause_at[number], rows.clause_at[number + 1]):
            literals = range(rows.literal_at[clause], rows.literal_at[clause + 1])
            if not any(self._ask(rows.asks[i], int(rows.asked[i])) == rows.positive[i] for i in literals):
                return False
        pair, action = int(rows.pair[number]), rows.action[number]
        if action == INITIATE:
            self._initiate(pair)
        elif action == TERMINATE:
            self.ending.setdefault(self.slot[pair], set()).add(pair)
        elif action == TERMINATE_ALL:
            self.cleared.add(self.slot[pair])
        else:
            self.fired.add(pair)
        return True

    def _ask(self, what: int, pair: int) -> bool:
        slot = self.slot[pair]
        if what == HOLDS:
            return bool(self.current[slot] == pair)
        if what == HAPPENED:
            return pair in self.fired
        if what == INITIATED:
            return pair in self.starting.get(slot, ())
        if what == TERMINATED:
            return slot in self.cleared or pair in self.ending.get(slot, ())
        held = self.current[slot] == pair
        then = (held or pair in self.starting.get(slot, ())) and not self._is_broken(pair)
        return bool(then and not held) if what == STARTS else bool(held and not then)

    def _is_broken(self, pair: int) -> bool:
        slot = self.slot[pair]
        if slot in self.cleared or pair in self.ending.get(slot, ()):
            return True
        return any(other != pair for other in self.starting.get(slot, ()))

    def _apply(self, now: int) -> None:
        for pair in self.fired:
            self.out.happened.append((pair, now))
        for ended in self.ending.values():
            self.out.terminated.extend((pair, now) for pair in ended)
        for slot in self.starting.keys() | self.ending.keys() | self.cleared:
            pair = self.current[slot]
            if pair >= 0 and self._is_broken(pair):
                self._emit(pair, self.since[slot], now + 1)
                self.current[slot] = -1
            for started in self.starting.get(slot, ()):
                self.out.initiated.append((started, now))
                if self._is_broken(started):
                    self.out.conflicts += 1
                    continue
                if self.current[slot] != started:
                    self.current[slot], self.since[slot] = started, now + 1
                self.renewed[started] = now
                self._stage(started, now)

    def _stage(self, pair: int, now: int) -> None:
        for entry in range(self.delays.at[pair], self.delays.at[pair + 1]):
            due = now + int(self.delays.delay[entry])
            self.out.attempts.append((now, due, entry))
            heapq.heappush(self.heap, (due, now, entry))

    def _emit(self, pair: int, start: int, end: int) -> None:
        self.out.pair.append(pair)
        self.out.start.append(start)
        self.out.end.append(end)
