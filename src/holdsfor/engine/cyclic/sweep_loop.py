"""The loop of the sweep: one source, which Numba compiles for large inputs and plain Python runs for small ones.

Everything is records of whole numbers, one after the other in a flat column, so that a column may be an array
(compiled) or a list (not compiled: lists are faster there), and compiled functions pass on few arguments. A record is
known by the place of its first number; `BATCH`, `QUESTION` and so on are the sizes of records, the names next to them
the places of their numbers.

What happens at the present time-point is *marked*: each mark belongs to a slot, the marks of a slot form a chain, and
nothing takes effect before all of them are there. So a time-point can be begun again.

All of it is in one file: the compiler keeps what it made until that file changes.
"""

from __future__ import annotations

import heapq
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from holdsfor.engine.kernels import Ints

Cells: TypeAlias = Any
"""A column of whole numbers: an array when compiled, a list when not."""

FIRST, ACTION, TARGET_AT, VALUE, VALUE_AT, ROOT_AT, AGAIN, CLAUSE_AT, CLAUSE_END, READ_AT, READ_END = range(11)
BATCH = 11
"""A batch of rule instances, one to a row, the first of which is row FIRST of all. Each does its action to a slot and a
value if its clauses are true. What ends in AT is the place of a column in the pool, or of records in the notes; VALUE
is for all rows if there is no column. With a root the values are what the memo knows for the present values of the
slots read. With AGAIN rows may become true later at the same rank.
"""
STARTS_AT, QUESTION_AT, QUESTION_END = range(3)
CLAUSE = 3
"""For each of its answers, one of a clause's questions must be answered as it must be. A row has one answer, or where
there is a column of starts, as many as it says.
"""
ASKS, MUST_BE, ASKED_AT, ASKED_VALUE, ASKED_VALUE_AT = range(5)
QUESTION = 5
"""A question is asked of a slot and a value, in columns with one row for each answer of its clause. A slot of -1 is
none: nothing is true of it.
"""
TRIGGER, TRIGGER_VALUE, DELAY, EFFECT, EFFECT_VALUE, POSTPONABLE, DELAY_RANK, QUEUE = range(8)
ENTRY = 8
"""A delayed effect: TRIGGER is a slot, or negative where many slots have the same effects, TRIGGER_VALUE -1 is any
value, EFFECT -1 the end of the trigger, -2 another value of it, EFFECT_VALUE -1 the same value.
A new initiation postpones it never (POSTPONABLE 0), always (1), or if it is of one value (2 + that value). Effects
with the same delay wait in the same queue.
"""
DUE, BEGUN, WAITING, WAITING_FOR, WAITING_VALUE = range(5)
"""An attempt under way: when it is due and when it began, of which slot, for which delayed effect, with which value."""
CURRENT, SINCE, RENEWED, TOUCHED, CHAIN, APPLIED, CONFLICTED, OUTSIDE, DELAY_AT, DELAY_END, LENGTH, MARKED = range(12)
SLOT = 12
"""Where an instance stands: its value (or -1), since when, when last initiated; its chain of marks, if TOUCHED now;
whether it is outside the component; where its delayed effects begin and end; and how many delayed effects in a row led
to its value, and to the marks that it has now.
"""
ENDS_TRIGGER, ON_TRIGGER = -1, -2
"""What a delayed effect is about, if not another slot."""
MARK_KIND, MARK_SLOT, MARK_VALUE, MARK_BEFORE = range(4)
MARK = 4
KEY_STATE, KEY_VALUE, FOLLOWING = range(3)
KEY = 3
GIVEN, REST = range(2)
ITEM = 2

STARTED, ENDED, CLEARED, HAPPENED, SCHEDULED = range(5)
"""What a row does to its slot, and what a mark says of it. CLEARED ends whatever value there is; SCHEDULED is the
delayed effect on a fluent outside the component.
"""
HOLDS, HAS_VALUE, STARTS, ENDS, INITIATED, TERMINATED, OCCURS, READS = range(8)
"""What a literal asks; READS asks whether a memorised tail, whose root is the value, succeeds for the slot's value."""
STAMP, POSITION, MARKS, MISSING, DEPTH, NOW, IN_A_ROW, LIMIT, TOO_MANY, EFFECTS, PAUSE = range(11)
"""Places in the counts: the number of the time-point, the next row, how many marks there are, the root that lacks an
answer (or -1) and how many values it was asked for; the time; how many delayed effects in a row led to what is marked
next, how many there may be, and the delayed effect (or -1) that was one too many; how many there were since the last
pause, and after how many to pause.
"""
COUNTS = 11
FALSE, TRUE, UNKNOWN = range(3)
_NO_RANK = 1 << 62


class Sheet(NamedTuple):
    """What the sweep has to do. `rows` are the numbers of all rows in order of time and rank, and `owners`, `times` and
    `ranks` go with them; a last row is none. `notes` are the records of batches, clauses and questions, and the places
    of columns that are read; `pool` has the columns.
    """

    rows: Cells
    owners: Cells
    times: Cells
    ranks: Cells
    notes: Cells
    pool: Cells
    delays: Cells


class State(NamedTuple):
    """Where the sweep stands; `marks` has room for as many as there can be at one time-point, `queues` the first and the
    last attempt of each queue, the first -1 if there is none.
    """

    slots: Cells
    marks: Cells
    counts: Cells
    queues: Cells


class Memo(NamedTuple):
    """What tails of rules give for values: a hash table from (state, value) to the next state, and for the last
    states the values they give. A tail that reads several slots passes through several states. `values` are those
    for which an answer was missing.
    """

    keys: Cells
    first: Cells
    items: Cells
    values: Cells


def sweep_loop(
    sheet: Sheet,
    state: State,
    memo: Memo,
    pending: tuple[Cells, Cells, Cells, Cells, Cells],
    until: int,
    border: int,
    wants_log: bool,
) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Run through time up to and including `until`, or until the memo lacks an answer, the marks lack room, delayed
    effects in a row are too many, or it is time for a pause.

    `pending` are attempts under way: (due, initiated, slot, delay, value). Returns spans (slot, value, start, end), a
    log (kind, slot, value, time), initiations (0, slot, value, time) that have delayed effects under way at `border`,
    attempts still to come, and the slots and times of conflicts.
    """
    due, initiated, trigger, entry, value = pending
    times, delays, slots, marks, counts = sheet.times, sheet.delays, state.slots, state.marks, state.counts
    # Of attempts with the same delay, the one that began first is due first: only the first of each queue is in the heap.
    # Those under way come sorted and have a queue of their own, the first: instances may go on from different times, and
    # what one of them begins now may be due before what another had begun.
    heap = [(due[place], due[place]) for place in range(0)]
    # A comprehension over nothing is how the compiler learns the type of an empty list.
    waiting = [(due[0], due[0], due[0], due[0], due[0]) for _ in range(0)]
    behind = [np.int64(0) for _ in range(0)]
    for place in range(len(due)):
        attempt = (due[place], initiated[place], trigger[place], entry[place], value[place])
        _wait(attempt, 0, waiting, behind, state.queues, heap)
    spans = [np.int64(0) for _ in range(0)]
    log = [np.int64(0) for _ in range(0)]
    kept = [np.int64(0) for _ in range(0)]
    conflicts = [np.int64(0) for _ in range(0)]
    agenda = [np.int64(0) for _ in range(0)]
    arrived = [np.int64(0) for _ in range(0)]
    last = len(times) - 1
    while True:
        position = counts[POSITION]
        now = until + 1
        if position < last:
            now = min(now, times[position])
        if len(heap) > 0:
            now = min(now, heap[0][0])
        if now > until or counts[EFFECTS] >= counts[PAUSE]:
            break
        counts[NOW] = now
        counts[STAMP] += 1
        counts[MARKS] = 0
        arrived.clear()
        while len(heap) > 0 and heap[0][0] == now:
            _arrive(waiting, behind, state.queues, heap, arrived)
        position = _decide(sheet, memo, slots, marks, counts, waiting, arrived, agenda, now)
        if position < 0 or counts[MARKS] * MARK > len(marks) or counts[TOO_MANY] >= 0:
            break
        counts[POSITION] = position
        _apply(slots, marks, counts, now, spans, log, conflicts, wants_log)
        _stage(slots, marks, counts, delays, now, border, waiting, behind, state.queues, heap, kept)
        arrived.clear()
    coming = [np.int64(0) for _ in range(0)]
    for late in arrived:
        _come(coming, waiting, late)
    for queue in range(0, len(state.queues), 2):
        following = state.queues[queue]
        while following >= 0:
            _come(coming, waiting, following)
            following = behind[following]
    return _column(spans), _column(log), _column(kept), _column(coming), _column(conflicts)


def _wait(
    attempt: tuple[Any, Any, Any, Any, Any],
    queue: int,
    waiting: list[Any],
    behind: list[Any],
    queues: Cells,
    heap: list[Any],
) -> None:
    """Put an attempt at the end of a queue."""
    place = len(waiting)
    waiting.append(attempt)
    behind.append(-1)
    if queues[queue] < 0:
        queues[queue] = place
        heapq.heappush(heap, (attempt[DUE], queue))
    else:
        behind[queues[queue + 1]] = place
    queues[queue + 1] = place


def _arrive(waiting: list[Any], behind: list[Any], queues: Cells, heap: list[Any], arrived: list[Any]) -> None:
    """Take out of the first queue in the heap all that are due."""
    now, queue = heapq.heappop(heap)
    place = queues[queue]
    while place >= 0 and waiting[place][DUE] == now:
        arrived.append(place)
        place = behind[place]
    queues[queue] = place
    if place >= 0:
        heapq.heappush(heap, (waiting[place][DUE], queue))


def _come(coming: list[Any], waiting: list[Any], place: Any) -> None:
    due, begun, slot, entry, value = waiting[place]
    _note(coming, due, begun, slot, entry)
    coming.append(value)


def _column(items: list[Any]) -> Ints:
    return np.array(items, dtype=np.int64)


def _note(notes: list[Any], one: int, two: int, three: int, four: int) -> None:
    notes.append(one)
    notes.append(two)
    notes.append(three)
    notes.append(four)


# Deciding a time-point, rank by rank


def _decide(  # noqa: PLR0915 -- a call for every row would cost more than what it does
    sheet: Sheet,
    memo: Memo,
    slots: Cells,
    marks: Cells,
    counts: Cells,
    waiting: list[Any],
    arrived: list[Any],
    agenda: list[Any],
    now: int,
) -> int:
    """Mark everything that happens now; returns the first row that comes later, or -1 if an answer is missing."""
    rows, owners, times, ranks, notes, pool, delays = sheet
    rank = -1
    position: int = counts[POSITION]
    while True:
        rank = _next_rank(times, ranks, delays, position, now, rank, waiting, arrived)
        if rank == _NO_RANK:
            return position
        for attempt in arrived:
            if delays[waiting[attempt][WAITING_FOR] * ENTRY + DELAY_RANK] == rank:
                _come_due(delays, slots, marks, counts, waiting, attempt)
        agenda.clear()
        # All rows of the rank, then as long as something fires those again that may become true: positive loops inside
        # a time-point.
        is_again, fired, place = False, True, 0
        while True:
            if not is_again and times[position] == now and ranks[position] == rank:
                at = position
                position += 1
            else:
                if not is_again or place == len(agenda):
                    if not fired or len(agenda) == 0:
                        break
                    is_again, fired, place = True, False, 0
                at = agenda[place]
                place += 1
                if at < 0:
                    continue
            batch = owners[at] * BATCH
            row = rows[at] - notes[batch + FIRST]
            outcome = TRUE
            for clause in range(notes[batch + CLAUSE_AT], notes[batch + CLAUSE_END], CLAUSE):
                starts = notes[clause + STARTS_AT]
                first, last = row, row + 1
                if starts >= 0:
                    first, last = pool[starts + row], pool[starts + row + 1]
                for answer in range(first, last):
                    outcome = FALSE
                    for question in range(notes[clause + QUESTION_AT], notes[clause + QUESTION_END], QUESTION):
                        slot = pool[notes[question + ASKED_AT] + answer] * SLOT
                        value = notes[question + ASKED_VALUE]
                        if notes[question + ASKED_VALUE_AT] >= 0:
                            value = pool[notes[question + ASKED_VALUE_AT] + answer]
                        if slot < 0:
                            found = FALSE
                        elif notes[question + ASKS] == HOLDS:
                            found = TRUE if slots[slot + CURRENT] == value else FALSE
                        else:
                            found = _found(memo, slots, marks, counts, notes[question + ASKS], slot, value)
                        if found == UNKNOWN:
                            outcome = UNKNOWN
                        elif found == notes[question + MUST_BE]:
                            outcome = TRUE
                            break
                    if outcome != TRUE:
                        break
                if outcome != TRUE:
                    break
            if outcome == TRUE:
                if notes[batch + AGAIN] == 1 and len(arrived) > 0:
                    counts[IN_A_ROW] = _in_a_row(notes, pool, slots, counts[STAMP], batch, row)
                slot = pool[notes[batch + TARGET_AT] + row] * SLOT
                if notes[batch + ROOT_AT] >= 0:
                    outcome = _do(notes, pool, memo, slots, marks, counts, batch, row)
                else:
                    value = notes[batch + VALUE]
                    if notes[batch + VALUE_AT] >= 0:
                        value = pool[notes[batch + VALUE_AT] + row]
                    _mark(slots, marks, counts, notes[batch + ACTION], slot, value)
                counts[IN_A_ROW] = 0
            if outcome == UNKNOWN:
                return -1
            if is_again:
                if outcome == TRUE:
                    agenda[place - 1] = -1
                    fired = True
            elif outcome == FALSE and notes[batch + AGAIN] == 1:
                agenda.append(at)


def _in_a_row(notes: Cells, pool: Cells, slots: Cells, stamp: int, batch: int, row: int) -> int:
    """How many delayed effects in a row led to what a row asks of the present time-point."""
    found = 0
    for clause in range(notes[batch + CLAUSE_AT], notes[batch + CLAUSE_END], CLAUSE):
        if notes[clause + STARTS_AT] >= 0:
            continue
        for question in range(notes[clause + QUESTION_AT], notes[clause + QUESTION_END], QUESTION):
            slot = pool[notes[question + ASKED_AT] + row] * SLOT
            if slot >= 0 and STARTS <= notes[question + ASKS] <= OCCURS and slots[slot + TOUCHED] == stamp:
                found = max(found, slots[slot + MARKED])
    return found


def _next_rank(
    times: Cells,
    ranks: Cells,
    delays: Cells,
    position: int,
    now: int,
    before: int,
    waiting: list[Any],
    arrived: list[Any],
) -> int:
    rank = _NO_RANK
    if times[position] == now:
        rank = ranks[position]
    for attempt in arrived:
        found = delays[waiting[attempt][WAITING_FOR] * ENTRY + DELAY_RANK]
        if before < found < rank:
            rank = found
    return rank


def _come_due(delays: Cells, slots: Cells, marks: Cells, counts: Cells, waiting: list[Any], attempt: int) -> None:
    """An attempt takes effect if its trigger has held ever since, and was not renewed."""
    _, initiated, trigger, entry, value = waiting[attempt]
    slot, entry = trigger * SLOT, entry * ENTRY
    if slots[slot + CURRENT] != value or slots[slot + SINCE] > initiated + 1:
        return
    if delays[entry + POSTPONABLE] == 1 or delays[entry + POSTPONABLE] == value + 2:
        is_renewed = slots[slot + RENEWED] > initiated
        if is_renewed or _is_marked(slots, marks, counts[STAMP], STARTED, slot, value):
            return
    counts[EFFECTS] += 1
    counts[IN_A_ROW] = slots[slot + LENGTH] + 1
    if counts[IN_A_ROW] > counts[LIMIT]:
        counts[TOO_MANY] = entry // ENTRY
    effect = delays[entry + EFFECT]
    given = delays[entry + EFFECT_VALUE]
    if effect == ENDS_TRIGGER:
        _mark(slots, marks, counts, ENDED, slot, value)
    else:
        effect = slot if effect == ON_TRIGGER else effect * SLOT
        kind = SCHEDULED if slots[effect + OUTSIDE] == 1 else STARTED
        _mark(slots, marks, counts, kind, effect, given if given >= 0 else value)
    counts[IN_A_ROW] = 0


# Conditions


def _found(memo: Memo, slots: Cells, marks: Cells, counts: Cells, asks: int, slot: int, value: int) -> int:
    """The answer to a question other than whether something holds."""
    if asks == READS:
        return _reads(memo, slots, counts, slot, value)
    return TRUE if _answer(slots, marks, counts[STAMP], asks, slot, value) else FALSE


def _reads(memo: Memo, slots: Cells, counts: Cells, slot: int, root: int) -> int:
    value = slots[slot + CURRENT]
    if value < 0:
        return FALSE
    following = recall(memo.keys, root, value)
    if following < 0:
        memo.values[0] = value
        counts[MISSING] = root
        counts[DEPTH] = 1
        return UNKNOWN
    return TRUE if memo.first[following] >= 0 else FALSE


def _answer(slots: Cells, marks: Cells, stamp: int, asks: int, slot: int, value: int) -> bool:
    if asks == HAS_VALUE:
        return bool(slots[slot + CURRENT] >= 0)
    if asks == OCCURS:
        return _is_marked(slots, marks, stamp, HAPPENED, slot, value)
    if asks == INITIATED:
        return _is_marked(slots, marks, stamp, STARTED, slot, value)
    if asks == TERMINATED:
        is_ended = _is_marked(slots, marks, stamp, ENDED, slot, value)
        return is_ended or _is_marked(slots, marks, stamp, CLEARED, slot, 0)
    held = bool(slots[slot + CURRENT] == value)
    then = held or _is_marked(slots, marks, stamp, STARTED, slot, value)
    then = then and not _is_broken(slots, marks, stamp, slot, value)
    return then and not held if asks == STARTS else held and not then


# What rows do


def _do(notes: Cells, pool: Cells, memo: Memo, slots: Cells, marks: Cells, counts: Cells, batch: int, row: int) -> int:
    """Mark what a row does whose conditions are true and whose values depend on what it reads."""
    action, slot = notes[batch + ACTION], pool[notes[batch + TARGET_AT] + row] * SLOT
    root = pool[notes[batch + ROOT_AT] + row]
    first = notes[batch + READ_AT]
    depth = notes[batch + READ_END] - first
    for place in range(depth):
        read = pool[notes[first + place] + row] * SLOT
        memo.values[place] = slots[read + CURRENT] if read >= 0 else -1
        if memo.values[place] < 0:
            return FALSE
    memory = root
    for place in range(depth):
        memory = recall(memo.keys, memory, memo.values[place])
        if memory < 0:
            counts[MISSING] = root
            counts[DEPTH] = depth
            return UNKNOWN
    item = memo.first[memory]
    if item < 0:
        return FALSE
    while item >= 0:
        _mark(slots, marks, counts, action, slot, memo.items[item * ITEM + GIVEN])
        item = memo.items[item * ITEM + REST]
    return TRUE


def recall(keys: Cells, memory: int, value: int) -> int:
    """The state that follows a state for a value, or -1 if it was never worked out."""
    mask = len(keys) // KEY - 1
    place = hash_of(memory, value) & mask
    while keys[place * KEY + KEY_STATE] >= 0:
        if keys[place * KEY + KEY_STATE] == memory and keys[place * KEY + KEY_VALUE] == value:
            return int(keys[place * KEY + FOLLOWING])
        place = (place + 1) & mask
    return -1


def hash_of(memory: int, value: int) -> int:
    """A number in which all bits of a state and a value have a say; small enough not to overflow."""
    mixed = (memory & 0x3FFFFFFF) * 0x9E3779B1 + (value & 0x3FFFFFFF) * 0x85EBCA6B
    mixed = (mixed ^ (mixed >> 29)) & 0x3FFFFFFF
    return mixed * 0x27D4EB2F >> 13


# Marks


def _mark(slots: Cells, marks: Cells, counts: Cells, kind: int, slot: int, value: int) -> None:
    if kind == CLEARED:
        value = 0
    before = -1
    if slots[slot + TOUCHED] == counts[STAMP]:
        # What an event does as well is no effect in a row.
        slots[slot + MARKED] = min(slots[slot + MARKED], counts[IN_A_ROW])
        if _is_marked(slots, marks, counts[STAMP], kind, slot, value):
            return
        before = slots[slot + CHAIN]
    else:
        slots[slot + MARKED] = counts[IN_A_ROW]
    place = counts[MARKS] * MARK
    counts[MARKS] += 1
    if place >= len(marks):
        return
    marks[place + MARK_BEFORE] = before
    marks[place + MARK_KIND] = kind
    marks[place + MARK_SLOT] = slot
    marks[place + MARK_VALUE] = value
    slots[slot + CHAIN] = place
    slots[slot + TOUCHED] = counts[STAMP]


def _is_marked(slots: Cells, marks: Cells, stamp: int, kind: int, slot: int, value: int) -> bool:
    if slots[slot + TOUCHED] != stamp:
        return False
    place = slots[slot + CHAIN]
    while place >= 0:
        if marks[place + MARK_KIND] == kind and marks[place + MARK_VALUE] == value:
            return True
        place = marks[place + MARK_BEFORE]
    return False


def _is_broken(slots: Cells, marks: Cells, stamp: int, slot: int, value: int) -> bool:
    """Whether a value is ended now, or another value of its slot is initiated."""
    if slots[slot + TOUCHED] != stamp:
        return False
    place = slots[slot + CHAIN]
    while place >= 0:
        kind, other = marks[place + MARK_KIND], marks[place + MARK_VALUE]
        if kind == CLEARED or (kind == ENDED and other == value) or (kind == STARTED and other != value):
            return True
        place = marks[place + MARK_BEFORE]
    return False


# The next state


def _apply(
    slots: Cells,
    marks: Cells,
    counts: Cells,
    now: int,
    spans: list[Any],
    log: list[Any],
    conflicts: list[Any],
    wants_log: bool,
) -> None:
    """End what is broken, and write down what happened."""
    stamp = counts[STAMP]
    for place in range(0, counts[MARKS] * MARK, MARK):
        kind, slot, value = marks[place + MARK_KIND], marks[place + MARK_SLOT], marks[place + MARK_VALUE]
        if wants_log or kind >= HAPPENED:
            _note(log, kind, slot // SLOT, value, now)
        if slots[slot + APPLIED] != stamp:
            slots[slot + APPLIED] = stamp
            held = slots[slot + CURRENT]
            if held >= 0 and _is_broken(slots, marks, stamp, slot, held):
                _note(spans, slot // SLOT, held, slots[slot + SINCE], now + 1)
                slots[slot + CURRENT] = -1
        if kind == STARTED and slots[slot + CONFLICTED] != stamp and _is_broken(slots, marks, stamp, slot, value):
            slots[slot + CONFLICTED] = stamp
            conflicts.append(slot // SLOT)
            conflicts.append(now)


def _stage(
    slots: Cells,
    marks: Cells,
    counts: Cells,
    delays: Cells,
    now: int,
    border: int,
    waiting: list[Any],
    behind: list[Any],
    queues: Cells,
    heap: list[Any],
    kept: list[Any],
) -> None:
    """Begin what is initiated and not broken, and stage its delayed effects."""
    for place in range(0, counts[MARKS] * MARK, MARK):
        slot, value = marks[place + MARK_SLOT], marks[place + MARK_VALUE]
        if marks[place + MARK_KIND] != STARTED or _is_broken(slots, marks, counts[STAMP], slot, value):
            continue
        if slots[slot + CURRENT] != value:
            slots[slot + CURRENT] = value
            slots[slot + SINCE] = now + 1
        slots[slot + RENEWED] = now
        slots[slot + LENGTH] = slots[slot + MARKED]
        is_under_way = False
        for entry in range(slots[slot + DELAY_AT], slots[slot + DELAY_END]):
            trigger = delays[entry * ENTRY + TRIGGER_VALUE]
            if trigger == value or trigger < 0:
                due = now + delays[entry * ENTRY + DELAY]
                queue = (delays[entry * ENTRY + QUEUE] + 1) * 2
                _wait((due, now, slot // SLOT, entry, value), queue, waiting, behind, queues, heap)
                is_under_way = is_under_way or now <= border < due
        if is_under_way:
            _note(kept, 0, slot // SLOT, value, now)


HELPERS = (
    _column,
    _note,
    _wait,
    _arrive,
    _come,
    _is_marked,
    _is_broken,
    _mark,
    hash_of,
    recall,
    _reads,
    _answer,
    _found,
    _do,
    _come_due,
    _in_a_row,
    _next_rank,
    _decide,
    _apply,
    _stage,
)
"""What `sweep_loop` calls, for the compiler."""
