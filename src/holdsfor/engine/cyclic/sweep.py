"""The generic sweep: rows in time order through one loop, the same for every program.

A row is a ground rule instance whose conditions outside the component are already known to be true. What is left of it
asks about slots of the component itself. Rows of one time-point are tried rank by rank, in the order of the
dependencies inside a time-point, and then applied together; delayed effects wait in queues, one for each delay.

Law: the compiled loop and the plain one give the same; either is linear in the rows and in what they set off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np

from holdsfor.compiler.limits import MAX_DELAYED_EFFECTS
from holdsfor.engine.cyclic.memory import Memory
from holdsfor.engine.cyclic.sweep_loop import (
    COUNTS,
    CURRENT,
    DELAY_AT,
    DELAY_END,
    DEPTH,
    EFFECTS,
    ENDED,
    ENTRY,
    HAPPENED,
    HELPERS,
    LIMIT,
    MARK,
    MARKS,
    MISSING,
    NOW,
    OUTSIDE,
    PAUSE,
    QUEUE,
    RENEWED,
    SCHEDULED,
    SINCE,
    SLOT,
    STARTED,
    TOO_MANY,
    Cells,
    Sheet,
    State,
    sweep_loop,
)
from holdsfor.engine.kernels import EMPTY, Ints, true_rows
from holdsfor.engine.tables import FOREVER

_WORTH_COMPILING = 200_000
"""So many rows take plain Python about as long as it takes to load the compiler and the compiled loop."""
_FEW_MARKS, _MANY_MARKS = 1 << 8, 1 << 14
"""Room for marks at one time-point, at least and at first; there will be more if need be."""
_SETTLED_FASTER = 4
"""So many times faster than plain Python sweeps them, rows are settled where that can be."""
_TOO_SMALL = 64
"""Below so many rows handing columns over to the compiled loop costs more than the loop."""

_PAUSE_PLAIN, _PAUSE_COMPILED = 50_000, 2_000_000
"""After so many delayed effects, a second or so, whoever watches is told."""

Pending = tuple[Ints, Ints, Ints, Ints, Ints]
Loop = Callable[..., tuple[Ints, Ints, Ints, Ints, Ints]]


@dataclass(frozen=True)
class Start:
    """The state at the border: slots that have a value, and attempts under way."""

    delay_at: Ints
    delay_end: Ints
    """Where the delayed effects of each slot begin, and where they end."""
    outside: list[Ints]
    """Slots outside the component."""
    held: Ints
    value: Ints
    since: Ints
    pending: Pending
    """(due, initiated, slot, delay, value) of each attempt."""


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
    kept: Found
    """Initiations up to the border that have delayed effects due after it."""
    conflicts: tuple[Ints, Ints]
    """The slot and the time of each."""


_NONE = Found(EMPTY, EMPTY, EMPTY)
NO_PENDING: Pending = (EMPTY, EMPTY, EMPTY, EMPTY, EMPTY)
NOTHING = Swept(_NONE, EMPTY, _NONE, _NONE, _NONE, _NONE, _NONE, (EMPTY, EMPTY))
"""What is found where nothing can hold or happen."""


class TooManyEffectsError(Exception):
    """More delayed effects follow from each other than there may be: the last of them, and its time."""

    def __init__(self, entry: int, time: int) -> None:
        super().__init__(entry, time)
        self.entry, self.time = entry, time


def sweep(
    sheet: Sheet,
    start: Start,
    span: tuple[int, int],
    memory: Memory,
    *,
    wants_log: bool,
    compiled: bool | None = None,
    limit: int = MAX_DELAYED_EFFECTS,
) -> Swept:
    """Run through time up to the first of a span, which says what is to be known of the attempts at the second.

    Unless told, decide by what pays whether to compile. More than `limit` delayed effects in a row are an error.
    """
    until, border = span
    use_compiled = _METER.pays(len(sheet.times) + len(start.pending[0])) if compiled is None else compiled
    loop: Loop = _compiled_loop() if use_compiled else sweep_loop
    rows = len(sheet.times)
    state, pending = _state(start, sheet, rows if use_compiled else 0), _by_due(start.pending)
    state.counts[LIMIT], state.counts[PAUSE] = limit, _PAUSE_COMPILED if use_compiled else _PAUSE_PLAIN
    if use_compiled:
        memory.as_arrays()
    else:
        sheet, state = Sheet(*map(_listed, sheet)), State(*map(_listed, state))
    parts: list[tuple[Ints, Ints, Ints, Ints]] = []
    while True:
        at = pending if use_compiled else tuple(map(_listed, pending))
        spans, log, kept, coming, conflicts = loop(sheet, state, memory.memo, at, until, border, wants_log)
        parts.append((spans, log, kept, conflicts))
        missing, room = int(state.counts[MISSING]), len(state.marks)
        if state.counts[TOO_MANY] >= 0:
            raise TooManyEffectsError(int(state.counts[TOO_MANY]), int(state.counts[NOW]))
        has_room, is_pause = state.counts[MARKS] * MARK <= room, state.counts[EFFECTS] >= state.counts[PAUSE]
        if missing < 0 and has_room and not is_pause:
            break
        due, initiated, slot, entry, value = coming.reshape(-1, 5).T
        pending = _by_due((due, initiated, slot, entry, value))
        state = state._replace(queues=_filled(state.queues, -1))
        if is_pause:
            state.counts[EFFECTS] = 0
        if missing >= 0:
            memory.learn(missing, [int(value) for value in memory.memo.values[: state.counts[DEPTH]]])
            state.counts[MISSING] = -1
        elif not has_room:
            state = state._replace(marks=state.marks * 2 if isinstance(state.marks, list) else np.tile(state.marks, 2))
            state.counts[MARKS] = 0
    found = parts[0] if len(parts) == 1 else [np.concatenate(part) for part in zip(*parts, strict=True)]
    return _swept(found, np.asarray(state.slots, np.int64))


def _listed(column: Ints) -> list[int]:
    items: list[int] = column.tolist()
    return items


def _filled(column: Cells, fill: int) -> Cells:
    """A column of the same kind and size with one number everywhere."""
    return [fill] * len(column) if isinstance(column, list) else np.full(len(column), fill)


def _by_due(pending: Pending) -> Pending:
    """Attempts in the order in which they are due."""
    order = np.argsort(pending[0], kind="stable")
    due, initiated, slot, entry, value = pending
    return due[order], initiated[order], slot[order], entry[order], value[order]


def _state(start: Start, sheet: Sheet, rows: int) -> State:
    slots = np.zeros((len(start.delay_at), SLOT), np.int64)
    slots[:, CURRENT] = -1
    slots[:, RENEWED] = -FOREVER
    slots[:, DELAY_AT] = start.delay_at
    slots[:, DELAY_END] = start.delay_end
    for outside in start.outside:
        slots[outside, OUTSIDE] = 1
    slots[start.held, CURRENT] = start.value
    slots[start.held, SINCE] = start.since
    # A slot has at most one value at the border, and only attempts of that value can still succeed.
    _, initiated, triggers, _, value = start.pending
    if len(triggers):
        mine = true_rows(slots[triggers, CURRENT] == value)
        np.maximum.at(slots[:, RENEWED], triggers[mine], initiated[mine])
    counts = np.zeros(COUNTS, np.int64)
    counts[MISSING] = counts[TOO_MANY] = -1
    queues = 1 + int(sheet.delays[QUEUE::ENTRY].max(initial=0))
    marks = min(max(rows, _FEW_MARKS), _MANY_MARKS)
    return State(slots.reshape(-1), np.zeros(marks * MARK, np.int64), counts, np.full(2 * (queues + 1), -1))


def _swept(parts: Sequence[Ints], slots: Ints) -> Swept:
    spans, log, kept, conflicts = parts
    slot, value, start, end = spans.reshape(-1, 4).T
    current = slots[CURRENT::SLOT]
    still = true_rows(current >= 0)
    if len(still):
        since = slots[SINCE::SLOT]
        slot, value = np.concatenate((slot, still)), np.concatenate((value, current[still]))
        start, end = np.concatenate((start, since[still])), np.concatenate((end, np.full(len(still), FOREVER)))
    begun, ended, happened, scheduled = _by_kind(log, (STARTED, ENDED, HAPPENED, SCHEDULED))
    _, who, what, when = kept.reshape(-1, 4).T
    return Swept(
        Found(slot, value, start),
        end,
        begun,
        ended,
        happened,
        scheduled,
        Found(who, what, when),
        (conflicts[::2], conflicts[1::2]),
    )


def _by_kind(log: Ints, kinds: Sequence[int]) -> list[Found]:
    """What a log says of each of some kinds of things."""
    if not len(log):
        return [_NONE] * len(kinds)
    kind, who, what, when = log.reshape(-1, 4).T
    rows = [true_rows(kind == wanted) for wanted in kinds]
    return [Found(who[mine], what[mine], when[mine]) for mine in rows]


class _Meter:
    """Decides when compiling pays: as soon as plain Python has cost as much as loading the compiled loop would have.

    Small windows never pay for the compiler, and nothing ever costs more than twice what it must. Where Numba is not
    installed, plain Python is all there is.
    """

    def __init__(self) -> None:
        self._spent = 0

    def has_paid(self, rows: int) -> bool:
        """Whether the loop is compiled already, and so many rows are enough for it."""
        return self._spent >= _WORTH_COMPILING and rows >= _TOO_SMALL and _can_compile()

    def add_settled(self, rows: int) -> None:
        """Count rows that were settled without a sweep, which the compiled loop would have been faster at as well."""
        self._spent = min(self._spent + rows // _SETTLED_FASTER, _WORTH_COMPILING)

    def pays(self, rows: int) -> bool:
        """Whether so many rows more are worth the compiled loop."""
        if self._spent + rows >= _WORTH_COMPILING:
            self._spent = _WORTH_COMPILING
            return rows >= _TOO_SMALL and _can_compile()
        self._spent += rows
        return False


_METER = _Meter()


def is_compiled(rows: int) -> bool:
    """Whether so many rows would be swept by machine code that is there already."""
    return _METER.has_paid(rows)


def note_settled(rows: int) -> None:
    """Take note of rows that needed no sweep."""
    _METER.add_settled(rows)


@cache
def _can_compile() -> bool:
    return find_spec("numba") is not None


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
