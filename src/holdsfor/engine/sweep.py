"""The generic sweep: rows in time order through one loop, the same for every program.

A row is a ground rule instance whose conditions outside the component are already known to be true. What is left of it
asks about slots of the component itself. Rows of one time-point are tried rank by rank, in the order of the
dependencies inside a time-point, and then applied together; delayed effects wait in a heap.

Law: the compiled loop and the plain one give the same; either is linear in the rows and in what they set off.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from holdsfor.engine.kernels import Ints
from holdsfor.engine.memory import Memory
from holdsfor.engine.sweep_loop import (
    COUNTS,
    DEPTH,
    ENDED,
    HAPPENED,
    HELPERS,
    MISSING,
    SCHEDULED,
    STARTED,
    Sheet,
    State,
    sweep_loop,
)
from holdsfor.engine.tables import FOREVER

_WORTH_COMPILING = 200_000
"""So many rows take plain Python about as long as it takes to load the compiler and the compiled loop."""
_TOO_SMALL = 64
"""Below so many rows handing columns over to the compiled loop costs more than the loop."""

Pending = tuple[Ints, Ints, Ints, Ints]
Loop = Callable[..., tuple[Ints, Ints, Ints, Ints, Ints]]


@dataclass(frozen=True)
class Start:
    """The state at the border: slots that have a value, and attempts under way."""

    slots: int
    held: Ints
    value: Ints
    since: Ints
    pending: Pending
    """(due, initiated, delay, value) of each attempt."""


@dataclass(frozen=True)
class Found:
    """Things that happened to slots."""

    slot: Ints
    value: Ints
    time: Ints


@dataclass(frozen=True)
class Swept:
    """What a sweep found: intervals, points, and the attempts under way at the next border."""

    spans: Found
    end: Ints
    initiated: Found
    terminated: Found
    happened: Found
    scheduled: Found
    kept: Pending
    """(initiated, due, delay, value) of each attempt that was staged before the border and is due after it."""
    conflicts: Ints
    """The time of each."""


def sweep(
    sheet: Sheet,
    start: Start,
    span: tuple[int, int],
    memory: Memory,
    *,
    wants_log: bool,
    compiled: bool | None = None,
) -> Swept:
    """Run through time up to the first of a span, which says what is to be known of the attempts at the second.

    Unless told, decide by what pays whether to compile.
    """
    until, border = span
    use_compiled = _METER.pays(len(sheet.time) + len(start.pending[0])) if compiled is None else compiled
    loop: Loop = _compiled_loop() if use_compiled else sweep_loop
    state, pending = _state(start, sheet), start.pending
    if use_compiled:
        memory.as_arrays()
    else:
        sheet, state = Sheet(*map(_listed, sheet)), State(*map(_listed, state))
    parts: list[list[Ints]] = [[], [], [], []]
    while True:
        at = pending if use_compiled else tuple(map(_listed, pending))
        spans, log, kept, coming, conflicts = loop(sheet, state, memory.memo, at, until, border, wants_log)
        for part, new in zip(parts, (spans, log, kept, conflicts), strict=True):
            part.append(new)
        if state.count[MISSING] < 0:
            break
        due, initiated, entry, value = coming.reshape(-1, 4).T
        pending = (due.copy(), initiated.copy(), entry.copy(), value.copy())
        memory.learn(int(state.count[MISSING]), [int(value) for value in memory.memo.values[: state.count[DEPTH]]])
        state.count[MISSING] = -1
    return _swept([np.concatenate(part) for part in parts], State(*map(_array, state)))


def _listed(column: Ints) -> list[int]:
    items: list[int] = column.tolist()
    return items


def _array(column: Any) -> Ints:
    return np.asarray(column, np.int64)


def _state(start: Start, sheet: Sheet) -> State:
    current, since, renewed, touched, chain, applied, conflicted = (np.zeros(start.slots, np.int64) for _ in range(7))
    current.fill(-1)
    renewed.fill(-FOREVER)
    current[start.held] = start.value
    since[start.held] = start.since
    # A slot has at most one value at the border, and only attempts of that value can still succeed.
    _, initiated, entry, value = start.pending
    slots = sheet.delay_slot[entry]
    mine = np.flatnonzero(current[slots] == value)
    np.maximum.at(renewed, slots[mine], initiated[mine])
    count = np.zeros(COUNTS, np.int64)
    count[MISSING] = -1
    return State(current, since, renewed, touched, chain, applied, conflicted, count)


def _swept(parts: list[Ints], state: State) -> Swept:
    spans, log, kept, conflicts = parts
    slot, value, start, end = spans.reshape(-1, 4).T
    still = np.flatnonzero(state.current >= 0)
    kind, who, what, when = log.reshape(-1, 4).T
    points = {}
    for wanted in (STARTED, ENDED, HAPPENED, SCHEDULED):
        rows = np.flatnonzero(kind == wanted)
        points[wanted] = Found(who[rows], what[rows], when[rows])
    initiated, due, entry, values = kept.reshape(-1, 4).T
    return Swept(
        Found(
            np.concatenate((slot, still)),
            np.concatenate((value, state.current[still])),
            np.concatenate((start, state.since[still])),
        ),
        np.concatenate((end, np.full(len(still), FOREVER))),
        points[STARTED],
        points[ENDED],
        points[HAPPENED],
        points[SCHEDULED],
        (initiated, due, entry, values),
        conflicts,
    )


class _Meter:
    """Decides when compiling pays: as soon as plain Python has cost as much as loading the compiled loop would have.

    Small windows never pay for the compiler, and nothing ever costs more than twice what it must.
    """

    def __init__(self) -> None:
        self._spent = 0

    def pays(self, rows: int) -> bool:
        """Whether so many rows more are worth the compiled loop."""
        if self._spent + rows >= _WORTH_COMPILING:
            self._spent = _WORTH_COMPILING
            return rows >= _TOO_SMALL
        self._spent += rows
        return False


_METER = _Meter()


@cache
def _compiled_loop() -> Loop:
    """The loop as machine code; it is kept on disk, so that only the first process on a machine compiles it."""
    import numba
    from numba.extending import register_jitable

    for helper in HELPERS:
        register_jitable(helper)
    compiled: Any = numba.njit(cache=True)(sweep_loop)
    loop: Loop = compiled
    return loop
