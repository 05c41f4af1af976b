"""The loop of the sweep: one source, which Numba compiles for large inputs and plain Python runs for small ones.

Every function here reads and writes whole numbers by index and nothing else, so that columns may be arrays (compiled)
or lists (not compiled: lists are faster there). `Sheet` is what there is to do and is only read; `State` is where
every instance stands. What happens at the present time-point is *marked*: each mark belongs to a slot, the marks of a
slot form a chain, and nothing takes effect before all of them are there. So a time-point can be begun again.
"""

from __future__ import annotations

import heapq
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from holdsfor.engine.kernels import Ints

Cells: TypeAlias = Any
"""A column of whole numbers: an array when compiled, a list when not."""

STARTED, ENDED, CLEARED, HAPPENED, SCHEDULED = range(5)
"""What a row does to its slot, and what a mark says of it. CLEARED ends whatever value there is; SCHEDULED is the
delayed effect on a fluent outside the component.
"""
HOLDS, HAS_VALUE, STARTS, ENDS, INITIATED, TERMINATED, OCCURS, READS = range(8)
"""What a literal asks of its slot and value; READS asks whether a memorised tail succeeds for the slot's value."""
STAMP, POSITION, MISSING, DEPTH = range(4)
"""Places in `State.count`. MISSING is the memo state that lacks an answer, or -1."""
COUNTS = 4
FALSE, TRUE, UNKNOWN = range(3)
_NO_RANK = 1 << 62


class Sheet(NamedTuple):
    """What the sweep has to do, as columns.

    *Rows* come in order of time and rank. Row i does `action` to `slot` and `value` if its clauses
    `clause_at[i]:clause_at[i+1]` are true, each of which is true if one of its literals is. With a `root` its value is
    what the memo knows for the present values of the slots `read_at[i]:read_at[i+1]`. Rows with `again` may become true
    later at the same rank. `delay_at` gives the delayed effects of each slot; one with `delay_value` -1 is there for
    any value, and one with `effect` -1 ends the value itself.
    """

    time: Cells
    rank: Cells
    action: Cells
    slot: Cells
    value: Cells
    root: Cells
    again: Cells
    read_at: Cells
    read: Cells
    clause_at: Cells
    literal_at: Cells
    asks: Cells
    positive: Cells
    asked_slot: Cells
    asked_value: Cells
    delay_at: Cells
    delay_slot: Cells
    delay_value: Cells
    delay: Cells
    effect: Cells
    effect_value: Cells
    postponable: Cells
    delay_rank: Cells
    is_outside: Cells


class State(NamedTuple):
    """Where every slot stands: its value (or -1), since when, when last initiated; and its chain of marks."""

    current: Cells
    since: Cells
    renewed: Cells
    touched: Cells
    chain: Cells
    applied: Cells
    conflicted: Cells
    count: Cells


class Memo(NamedTuple):
    """What tails of rules give for values: a hash table from (state, value) to the next state, and for the last
    states the values they give. A tail that reads several slots passes through several states.
    """

    key_state: Cells
    key_value: Cells
    following: Cells
    first: Cells
    given: Cells
    rest: Cells
    values: Cells
    """The values for which an answer was missing."""


class Marks(NamedTuple):
    """What happens now, in order; `before` is the mark that the chain of a slot goes on with."""

    kind: Cells
    slot: Cells
    value: Cells
    before: Cells


def sweep_loop(
    sheet: Sheet,
    state: State,
    memo: Memo,
    pending: tuple[Cells, Cells, Cells, Cells],
    until: int,
    border: int,
    wants_log: bool,
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Run through time up to and including `until`, or until the memo lacks an answer.

    `pending` are attempts under way: (due, initiated, delay, value). Returns spans (slot, value, start, end), a log
    (kind, slot, value, time), attempts staged that are under way at `border`, those still to come, and the times of
    conflicts.
    """
    due, initiated, entry, value = pending
    heap = [(due[place], initiated[place], entry[place], value[place]) for place in range(len(due))]
    heapq.heapify(heap)
    # A comprehension over nothing is how the compiler learns the type of an empty list.
    spans = [np.int64(0) for _ in range(0)]
    log = [np.int64(0) for _ in range(0)]
    kept = [np.int64(0) for _ in range(0)]
    conflicts = [np.int64(0) for _ in range(0)]
    agenda = [np.int64(0) for _ in range(0)]
    arrived = [heap[0] for _ in range(0)]
    marks = Marks(
        [np.int64(0) for _ in range(0)],
        [np.int64(0) for _ in range(0)],
        [np.int64(0) for _ in range(0)],
        [np.int64(0) for _ in range(0)],
    )
    rows = len(sheet.time)
    while True:
        position = state.count[POSITION]
        now = until + 1
        if position < rows:
            now = min(now, sheet.time[position])
        if len(heap) > 0:
            now = min(now, heap[0][0])
        if now > until:
            break
        state.count[STAMP] += 1
        marks.kind.clear()
        marks.slot.clear()
        marks.value.clear()
        marks.before.clear()
        arrived.clear()
        while len(heap) > 0 and heap[0][0] == now:
            arrived.append(heapq.heappop(heap))
        position = _decide(sheet, state, memo, marks, arrived, agenda, now)
        if position < 0:
            for item in arrived:
                heapq.heappush(heap, item)
            break
        state.count[POSITION] = position
        _apply(state, marks, now, spans, log, conflicts, wants_log)
        _stage(sheet, state, marks, now, border, heap, kept)
    coming = [np.int64(0) for _ in range(0)]
    for item in heap:
        _note(coming, item[0], item[1], item[2], item[3])
    return _column(spans), _column(log), _column(kept), _column(coming), _column(conflicts)


def _column(items: list[Any]) -> Ints:
    return np.array(items, dtype=np.int64)


def _note(notes: list[Any], one: int, two: int, three: int, four: int) -> None:
    notes.append(one)
    notes.append(two)
    notes.append(three)
    notes.append(four)


# Deciding a time-point, rank by rank


def _decide(
    sheet: Sheet, state: State, memo: Memo, marks: Marks, arrived: list[Any], agenda: list[Any], now: int
) -> int:
    """Mark everything that happens now; returns the first row that comes later, or -1 if an answer is missing."""
    rank = -1
    position: int = state.count[POSITION]
    while True:
        rank = _next_rank(sheet, position, now, rank, arrived)
        if rank == _NO_RANK:
            return position
        for item in arrived:
            if sheet.delay_rank[item[2]] == rank:
                _come_due(sheet, state, marks, item[1], item[2], item[3])
        agenda.clear()
        while position < len(sheet.time) and sheet.time[position] == now and sheet.rank[position] == rank:
            outcome = _try(sheet, state, memo, marks, position)
            if outcome == UNKNOWN:
                return -1
            if outcome == FALSE and sheet.again[position] == 1:
                agenda.append(position)
            position += 1
        if not _settle(sheet, state, memo, marks, agenda):
            return -1


def _next_rank(sheet: Sheet, position: int, now: int, before: int, arrived: list[Any]) -> int:
    rank = _NO_RANK
    if position < len(sheet.time) and sheet.time[position] == now:
        rank = sheet.rank[position]
    for item in arrived:
        found = sheet.delay_rank[item[2]]
        if before < found < rank:
            rank = found
    return rank


def _settle(sheet: Sheet, state: State, memo: Memo, marks: Marks, agenda: list[Any]) -> bool:
    """Positive loops inside a time-point: try what did not fire as long as something does."""
    fired = len(agenda) > 0
    while fired:
        fired = False
        for place in range(len(agenda)):
            if agenda[place] >= 0:
                outcome = _try(sheet, state, memo, marks, agenda[place])
                if outcome == UNKNOWN:
                    return False
                if outcome == TRUE:
                    agenda[place] = -1
                    fired = True
    return True


def _come_due(sheet: Sheet, state: State, marks: Marks, initiated: int, entry: int, value: int) -> None:
    """An attempt takes effect if its trigger has held ever since, and was not renewed."""
    slot = sheet.delay_slot[entry]
    if state.current[slot] != value or state.since[slot] > initiated + 1:
        return
    is_renewed = state.renewed[slot] > initiated or _is_marked(state, marks, STARTED, slot, value)
    if is_renewed and sheet.postponable[entry] == 1:
        return
    effect = sheet.effect[entry]
    given = sheet.effect_value[entry]
    if effect < 0:
        _mark(state, marks, ENDED, slot, value)
    else:
        kind = SCHEDULED if sheet.is_outside[effect] == 1 else STARTED
        _mark(state, marks, kind, effect, given if given >= 0 else value)


# Conditions


def _try(sheet: Sheet, state: State, memo: Memo, marks: Marks, row: int) -> int:
    """Mark what a row does if its conditions are true."""
    for clause in range(sheet.clause_at[row], sheet.clause_at[row + 1]):
        outcome = _clause(sheet, state, memo, marks, clause)
        if outcome != TRUE:
            return outcome
    slot, action = sheet.slot[row], sheet.action[row]
    if sheet.root[row] < 0:
        _mark(state, marks, action, slot, sheet.value[row])
        return TRUE
    memory = sheet.root[row]
    for place in range(sheet.read_at[row], sheet.read_at[row + 1]):
        value = state.current[sheet.read[place]]
        if value < 0:
            return FALSE
        depth = place - sheet.read_at[row]
        memo.values[depth] = value
        following = _recall(memo, memory, value)
        if following < 0:
            for later in range(place, sheet.read_at[row + 1]):
                memo.values[later - sheet.read_at[row]] = state.current[sheet.read[later]]
                if memo.values[later - sheet.read_at[row]] < 0:
                    return FALSE
            state.count[MISSING] = sheet.root[row]
            state.count[DEPTH] = sheet.read_at[row + 1] - sheet.read_at[row]
            return UNKNOWN
        memory = following
    item = memo.first[memory]
    if item < 0:
        return FALSE
    while item >= 0:
        _mark(state, marks, action, slot, memo.given[item])
        item = memo.rest[item]
    return TRUE


def _recall(memo: Memo, memory: int, value: int) -> int:
    """The state that follows a state for a value, or -1 if it was never worked out."""
    mask = len(memo.key_state) - 1
    place = hash_of(memory, value) & mask
    while memo.key_state[place] >= 0:
        if memo.key_state[place] == memory and memo.key_value[place] == value:
            return int(memo.following[place])
        place = (place + 1) & mask
    return -1


def hash_of(memory: int, value: int) -> int:
    """A number in which all bits of a state and a value have a say; small enough not to overflow."""
    mixed = (memory & 0x3FFFFFFF) * 0x9E3779B1 + (value & 0x3FFFFFFF) * 0x85EBCA6B
    mixed = (mixed ^ (mixed >> 29)) & 0x3FFFFFFF
    return mixed * 0x27D4EB2F >> 13


def _clause(sheet: Sheet, state: State, memo: Memo, marks: Marks, clause: int) -> int:
    unknown = False
    for place in range(sheet.literal_at[clause], sheet.literal_at[clause + 1]):
        asks, slot, value = sheet.asks[place], sheet.asked_slot[place], sheet.asked_value[place]
        if asks == READS:
            answer = _reads(state, memo, slot, value)
            if answer == UNKNOWN:
                unknown = True
        else:
            answer = TRUE if _answer(state, marks, asks, slot, value) else FALSE
        if answer != UNKNOWN and answer == sheet.positive[place]:
            return TRUE
    return UNKNOWN if unknown else FALSE


def _reads(state: State, memo: Memo, slot: int, root: int) -> int:
    value = state.current[slot]
    if value < 0:
        return FALSE
    following = _recall(memo, root, value)
    if following < 0:
        memo.values[0] = value
        state.count[MISSING] = root
        state.count[DEPTH] = 1
        return UNKNOWN
    return TRUE if memo.first[following] >= 0 else FALSE


def _answer(state: State, marks: Marks, asks: int, slot: int, value: int) -> bool:
    if asks == HOLDS:
        return bool(state.current[slot] == value)
    if asks == HAS_VALUE:
        return bool(state.current[slot] >= 0)
    if asks == OCCURS:
        return _is_marked(state, marks, HAPPENED, slot, value)
    if asks == INITIATED:
        return _is_marked(state, marks, STARTED, slot, value)
    if asks == TERMINATED:
        return _is_marked(state, marks, ENDED, slot, value) or _is_marked(state, marks, CLEARED, slot, 0)
    held = bool(state.current[slot] == value)
    then = (held or _is_marked(state, marks, STARTED, slot, value)) and not _is_broken(state, marks, slot, value)
    return then and not held if asks == STARTS else held and not then


# Marks


def _mark(state: State, marks: Marks, kind: int, slot: int, value: int) -> None:
    if kind == CLEARED:
        value = 0
    if _is_marked(state, marks, kind, slot, value):
        return
    before = state.chain[slot] if state.touched[slot] == state.count[STAMP] else -1
    marks.before.append(before)
    marks.kind.append(kind)
    marks.slot.append(slot)
    marks.value.append(value)
    state.chain[slot] = len(marks.kind) - 1
    state.touched[slot] = state.count[STAMP]


def _is_marked(state: State, marks: Marks, kind: int, slot: int, value: int) -> bool:
    if state.touched[slot] != state.count[STAMP]:
        return False
    place = state.chain[slot]
    while place >= 0:
        if marks.kind[place] == kind and marks.value[place] == value:
            return True
        place = marks.before[place]
    return False


def _is_broken(state: State, marks: Marks, slot: int, value: int) -> bool:
    """Whether a value is ended now, or another value of its slot is initiated."""
    if state.touched[slot] != state.count[STAMP]:
        return False
    place = state.chain[slot]
    while place >= 0:
        kind, other = marks.kind[place], marks.value[place]
        if kind == CLEARED or (kind == ENDED and other == value) or (kind == STARTED and other != value):
            return True
        place = marks.before[place]
    return False


# The next state


def _apply(
    state: State,
    marks: Marks,
    now: int,
    spans: list[Any],
    log: list[Any],
    conflicts: list[Any],
    wants_log: bool,
) -> None:
    """End what is broken, and write down what happened."""
    stamp = state.count[STAMP]
    for place in range(len(marks.kind)):
        kind, slot, value = marks.kind[place], marks.slot[place], marks.value[place]
        if wants_log or kind >= HAPPENED:
            _note(log, kind, slot, value, now)
        if state.applied[slot] != stamp:
            state.applied[slot] = stamp
            held = state.current[slot]
            if held >= 0 and _is_broken(state, marks, slot, held):
                _note(spans, slot, held, state.since[slot], now + 1)
                state.current[slot] = -1
        if kind == STARTED and state.conflicted[slot] != stamp and _is_broken(state, marks, slot, value):
            state.conflicted[slot] = stamp
            conflicts.append(now)


def _stage(sheet: Sheet, state: State, marks: Marks, now: int, border: int, heap: list[Any], kept: list[Any]) -> None:
    """Begin what is initiated and not broken, and stage its delayed effects."""
    for place in range(len(marks.kind)):
        slot, value = marks.slot[place], marks.value[place]
        if marks.kind[place] != STARTED or _is_broken(state, marks, slot, value):
            continue
        if state.current[slot] != value:
            state.current[slot] = value
            state.since[slot] = now + 1
        state.renewed[slot] = now
        for entry in range(sheet.delay_at[slot], sheet.delay_at[slot + 1]):
            trigger = sheet.delay_value[entry]
            if trigger == value or trigger < 0:
                due = now + sheet.delay[entry]
                heapq.heappush(heap, (due, now, entry, value))
                if now <= border < due:
                    _note(kept, now, due, entry, value)


HELPERS = (
    _column,
    _note,
    _is_marked,
    _is_broken,
    _mark,
    hash_of,
    _recall,
    _reads,
    _answer,
    _clause,
    _try,
    _come_due,
    _settle,
    _next_rank,
    _decide,
    _apply,
    _stage,
)
"""What `sweep_loop` calls, for the compiler: each after those it calls."""
