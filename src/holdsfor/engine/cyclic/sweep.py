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

from holdsfor.engine.cyclic.memory import Memory
from holdsfor.engine.cyclic.sweep_loop import (
    COUNTS,
    CURRENT,
    DELAY_AT,
    DEPTH,
    ENDED,
    ENTRY,
    HAPPENED,
    HELPERS,
    MARK,
    MARKS,
    MISSING,
    OUTSIDE,
    RENEWED,
    ROW,
    SCHEDULED,
    SINCE,
    SLOT,
    STARTED,
    TRIGGER,
    Sheet,
    State,
    sweep_loop,
)
from holdsfor.engine.kernels import EMPTY, Ints, true_rows
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

    delay_at: Ints
    """Where the delayed effects of each slot begin, and where the last end."""
    is_outside: Ints
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
    conflicts: tuple[Ints, Ints]
    """The slot and the time of each."""


_NONE = Found(EMPTY, EMPTY, EMPTY)
NOTHING = Swept(_NONE, EMPTY, _NONE, _NONE, _NONE, _NONE, (EMPTY, EMPTY, EMPTY, EMPTY), (EMPTY, EMPTY))
"""What is found where nothing can hold or happen."""


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
    rows = len(sheet.rows) // ROW
    use_compiled = _METER.pays(rows + len(start.pending[0])) if compiled is None else compiled
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
        missing, room = int(state.counts[MISSING]), len(state.marks)
        if missing < 0 and state.counts[MARKS] * MARK <= room:
            break
        due, initiated, entry, value = coming.reshape(-1, 4).T
        pending = (due.copy(), initiated.copy(), entry.copy(), value.copy())
        if missing >= 0:
            memory.learn(missing, [int(value) for value in memory.memo.values[: state.counts[DEPTH]]])
            state.counts[MISSING] = -1
        else:
            state = state._replace(marks=state.marks * 2 if isinstance(state.marks, list) else np.tile(state.marks, 2))
            state.counts[MARKS] = 0
    return _swept([np.concatenate(part) for part in parts], np.asarray(state.slots, np.int64))


def _listed(column: Ints) -> list[int]:
    items: list[int] = column.tolist()
    return items


def _state(start: Start, sheet: Sheet) -> State:
    slots = np.zeros((len(start.delay_at), SLOT), np.int64)
    slots[:, CURRENT] = -1
    slots[:, RENEWED] = -FOREVER
    slots[:-1, OUTSIDE] = start.is_outside
    slots[:, DELAY_AT] = start.delay_at
    slots[start.held, CURRENT] = start.value
    slots[start.held, SINCE] = start.since
    # A slot has at most one value at the border, and only attempts of that value can still succeed.
    _, initiated, entry, value = start.pending
    triggers = sheet.delays[entry * ENTRY + TRIGGER]
    mine = true_rows(slots[triggers, CURRENT] == value)
    np.maximum.at(slots[:, RENEWED], triggers[mine], initiated[mine])
    counts = np.zeros(COUNTS, np.int64)
    counts[MISSING] = -1
    return State(slots.reshape(-1), np.zeros(1024 * MARK, np.int64), counts)


def _swept(parts: list[Ints], slots: Ints) -> Swept:
    spans, log, kept, conflicts = parts
    slot, value, start, end = spans.reshape(-1, 4).T
    current, since = slots[CURRENT::SLOT], slots[SINCE::SLOT]
    still = true_rows(current >= 0)
    kind, who, what, when = log.reshape(-1, 4).T
    points = {}
    for wanted in (STARTED, ENDED, HAPPENED, SCHEDULED):
        rows = true_rows(kind == wanted)
        points[wanted] = Found(who[rows], what[rows], when[rows])
    initiated, due, entry, values = kept.reshape(-1, 4).T
    return Swept(
        Found(
            np.concatenate((slot, still)),
            np.concatenate((value, current[still])),
            np.concatenate((start, since[still])),
        ),
        np.concatenate((end, np.full(len(still), FOREVER))),
        points[STARTED],
        points[ENDED],
        points[HAPPENED],
        points[SCHEDULED],
        (initiated, due, entry, values),
        (conflicts[::2], conflicts[1::2]),
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
