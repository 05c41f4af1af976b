"""The sweep method: components that depend on themselves, and delayed effects."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar, cast
from weakref import ref

import numpy as np

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.analysis.instant import DELAYED, INITIATED, TERMINATED
from holdsfor.compiler.analysis.variants import NotSupported
from holdsfor.compiler.limits import too_many_delayed_effects
from holdsfor.compiler.plan import Stratum
from holdsfor.engine.cyclic.deadlines import Deadline
from holdsfor.engine.cyclic.delays import settled
from holdsfor.engine.cyclic.grounding import Grounding
from holdsfor.engine.cyclic.memory import Memory
from holdsfor.engine.cyclic.moments import SLOT, VALUE
from holdsfor.engine.cyclic.pairs import Stretch, pair_keys
from holdsfor.engine.cyclic.rows import RowWriter
from holdsfor.engine.cyclic.sheet import assembled
from holdsfor.engine.cyclic.sweep import (
    NO_PENDING,
    NOTHING,
    Found,
    Pending,
    Start,
    Swept,
    TooManyEffectsError,
    is_compiled,
    note_settled,
    sweep,
)
from holdsfor.engine.cyclic.sweep_loop import (
    DELAY,
    DELAY_RANK,
    EFFECT,
    EFFECT_VALUE,
    ENDS_TRIGGER,
    ENTRY,
    ON_TRIGGER,
    POSTPONABLE,
    QUEUE,
    TRIGGER,
    TRIGGER_VALUE,
)
from holdsfor.engine.dictionary import value_of
from holdsfor.engine.evaluation import Evaluation
from holdsfor.engine.expressions import evaluate
from holdsfor.engine.frames import Codes, is_in, numbering, order_of, ranges
from holdsfor.engine.kernels import EMPTY, Ints, is_sorted, true_rows
from holdsfor.engine.numbers import clipped
from holdsfor.engine.state import Attempts
from holdsfor.engine.statics import run_static
from holdsfor.engine.tables import Events, Intervals, Points
from holdsfor.ir import DelayRule, EffectKind
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.syntax.printer import print_term

_Columns = TypeVar("_Columns", bound=tuple[Ints, ...])
_LAST_RANK = 1 << 30
"""After everything else at a time-point: where effects on fluents outside the component are decided."""


def run_sweep(evaluation: Evaluation, stratum: Stratum) -> None:
    """Evaluate a component by sweeping over its rows."""
    run = _Run(evaluation, stratum)
    run.go()
    for symbol in run.component.static:
        run_static(evaluation, symbol)


class _Run:
    def __init__(self, evaluation: Evaluation, stratum: Stratum) -> None:
        self._evaluation = evaluation
        self.component = evaluation.prepared.component(stratum)
        self._grounding = Grounding(evaluation, self.component)
        self._possible = self._grounding.possible
        self._delays = np.empty((0, ENTRY), np.int64)
        self._delay_rules: list[DelayRule] = []
        self._still: dict[Symbol, tuple[Attempts, Ints]] = {}
        """Attempts made before the border that are still under way at the next one."""
        self._place: Ints | None = None

    def go(self) -> None:
        self._grounding.find()
        if not self._possible.slots:
            self._publish(NOTHING)
            return
        swept = self._swept()
        while not self._grounding.is_complete and self._grounding.find_more(
            [(found.slot, found.time) for found in (swept.initiated, swept.terminated)]
        ):
            swept = self._swept()
        self._publish(swept)

    def _swept(self) -> Swept:
        self._memory = Memory(self._evaluation.dictionary)
        self._writer = RowWriter(self._grounding, self._memory)
        batches = self._writer.rows()
        start = self._start()
        delays = self._delays
        span = (self._evaluation.moment.now, self._evaluation.moment.next_border)
        rows = sum(len(batch.time) for batch in batches)
        # Machine code sweeps faster than columns are searched.
        swept = None if is_compiled(rows) else settled(batches, delays, start, span)
        if swept is None:
            sheet = assembled(batches, delays.reshape(-1))
            wants_log = self.component.wants_log or not self._grounding.is_complete
            limit = self._evaluation.plan.max_delayed_effects
            try:
                return sweep(sheet, start, span, self._memory, wants_log=wants_log, limit=limit)
            except TooManyEffectsError as problem:
                raise too_many_delayed_effects(self._delay_rules[problem.entry], limit, problem.time) from None
        note_settled(rows)
        return swept

    # Delayed effects

    def _deadlines(self) -> tuple[Ints, Ints]:
        """The records of all delayed effects, and where those of each slot begin and end."""
        delay_at, delay_end = np.zeros(self._possible.slots, np.int64), np.zeros(self._possible.slots, np.int64)
        begin = 0
        for symbol, deadlines in self.component.deadlines.own.items():
            slot, end = self._possible.known[symbol].slot, begin + len(deadlines)
            delay_at[slot], delay_end[slot] = begin, end
            begin = end
        found = self._records()
        self._delay_rules = [one.rule for deadlines in self.component.deadlines.own.values() for one in deadlines]
        if self.component.deadlines.others:
            others = self._other_deadlines()
            at = len(found) + np.searchsorted(others[:, TRIGGER], np.arange(self._possible.slots + 1))
            mine = true_rows(at[1:] > at[:-1])
            delay_at[mine], delay_end[mine] = at[mine], at[mine + 1]
            found = _queued(np.concatenate((found, others)))
        self._delays = found
        return delay_at, delay_end

    def _records(self) -> Ints:
        """The records of deadlines that all instances of a fluent have; they change with the dictionary only."""
        component, dictionary = self.component, self._evaluation.dictionary
        if component.records is None or component.records[0]() is not dictionary:
            records = [
                self._record(-1 - number, deadline)
                for number, deadlines in enumerate(component.deadlines.own.values())
                for deadline in deadlines
            ]
            found = _queued(np.array(records, np.int64).reshape(-1, ENTRY))
            component.records = ref(dictionary), found
        return component.records[1]

    def _record(self, trigger: int, deadline: Deadline) -> list[int]:
        code = self._evaluation.dictionary.code
        value = code(value_of(deadline.value))
        effect, given = ENDS_TRIGGER, -1
        if deadline.effect is not None:
            effect, given = ON_TRIGGER, code(value_of(deadline.effect))
        rank = self._rank(deadline.rule, is_postponable=deadline.is_postponable)
        return [trigger, value, deadline.delay, effect, given, int(deadline.is_postponable), rank, 0]

    def _rank(self, rule: DelayRule, *, is_postponable: bool) -> int:
        """Where in the order inside a time-point a delayed effect is decided."""
        if self._evaluation.entities.fluent(rule.effect or rule.trigger) not in self.component.members:
            return _LAST_RANK
        kind = TERMINATED if rule.effect is None else DELAYED if is_postponable else INITIATED
        return self._writer.delay_rank(rule, kind)

    def _other_deadlines(self) -> Ints:
        """The records of delayed effects that differ from slot to slot, by trigger."""
        found = [np.empty((0, ENTRY), np.int64)]
        rules: list[DelayRule] = []
        postponed = self._grounding.postponed()
        for rule in self.component.deadlines.others:
            frame, effect, effect_value = self._grounding.delay_frame(rule)
            if not frame.rows:
                continue
            slot, value = frame.ints(SLOT), frame.ints(VALUE)
            postponable = _postponable(slot, value, postponed)
            records = np.empty((frame.rows, ENTRY), np.int64)
            records[:, TRIGGER], records[:, TRIGGER_VALUE] = slot, value
            records[:, DELAY] = self._amounts(rule, evaluate(rule.delay, frame, self._evaluation.dictionary))
            records[:, EFFECT], records[:, EFFECT_VALUE] = effect, effect_value
            records[:, POSTPONABLE] = postponable
            later, now = self._rank(rule, is_postponable=True), self._rank(rule, is_postponable=False)
            records[:, DELAY_RANK] = np.where(postponable > 0, later, now)
            found.append(records)
            rules += [rule] * frame.rows
        records = np.concatenate(found)
        order = order_of(records[:, TRIGGER])
        self._delay_rules += [rules[row] for row in order.tolist()]
        return records[order]

    @staticmethod
    def _amounts(rule: DelayRule, amounts: np.typing.NDArray[np.generic]) -> Ints:
        amounts = clipped(amounts)
        whole = amounts.astype(np.int64)
        wrong = true_rows((amounts != whole) | (whole < 1))
        if len(wrong):
            shown = print_term(rule.trigger.fluent)
            raise EvaluationError(f"the delay of {shown} is {amounts[wrong[0]]}; it must be a positive whole number")
        return whole

    # State

    def _start(self) -> Start:
        delay_at, delay_end = self._deadlines()
        held: list[tuple[Ints, Ints, Ints]] = []
        pending: list[Pending] = []
        border, possible = self._evaluation.border, self._possible
        for (symbol, is_attempt), slot in self._grounding.carried.items():
            if is_attempt:
                attempts = border.attempts[symbol]
                pending.append(self._pending(delay_at[slot], delay_end[slot], symbol, slot, attempts))
            elif symbol in self.component.simple:
                holding = border.holding[symbol]
                held.append((slot, holding.value, holding.since))
        outside = [known.slot for symbol, known in possible.known.items() if symbol not in self.component.members]
        slot, value, since = _below_each_other(held, (EMPTY, EMPTY, EMPTY))
        return Start(delay_at, delay_end, outside, slot, value, since, _below_each_other(pending, NO_PENDING))

    def _pending(self, first: Ints, end: Ints, symbol: Symbol, slot: Ints, attempts: Attempts) -> Pending:
        """The delayed effects that attempts made before the border still have to come to."""
        count = end - first
        entry = ranges(first, count)
        row = np.repeat(np.arange(len(slot)), count)
        initiated, value = attempts.initiated[row], attempts.value[row]
        due = initiated + self._delays[entry, DELAY]
        is_mine = (self._delays[entry, TRIGGER_VALUE] == value) | (self._delays[entry, TRIGGER_VALUE] < 0)
        border = self._evaluation.moment.next_border
        still = np.zeros(len(slot), np.bool_)
        still[row[is_mine & (initiated <= border) & (due > border)]] = True
        self._still[symbol] = attempts, true_rows(still)
        keep = true_rows(is_mine & (due > self._evaluation.moment.border))
        return due[keep], initiated[keep], slot[row[keep]], entry[keep], value[keep]

    # Results

    def _publish(self, swept: Swept) -> None:
        evaluation = self._evaluation
        self._place, stretches = self._possible.layout()
        spans, end = self._in_order(swept)
        conflicts = Found(swept.conflicts[0], swept.conflicts[0], swept.conflicts[1])
        for mine in stretches:
            symbol = mine.symbol
            if len(conflicts.slot):
                broken = self._points(mine, conflicts)
                evaluation.add_conflicts(broken.time, symbol, broken.args)
            self._keep_attempts(mine, swept.kept)
            if symbol not in self.component.members:
                evaluation.scheduled.setdefault(symbol, []).append(self._points(mine, swept.scheduled))
            elif symbol.kind is EntityKind.EVENT:
                points = self._points(mine, swept.happened)
                evaluation.derived[symbol] = Events(tuple(Codes(column) for column in points.args), points.time)
            elif symbol in self.component.simple:
                evaluation.set_points(symbol, EffectKind.INITIATED, self._points(mine, swept.initiated))
                evaluation.set_points(symbol, EffectKind.TERMINATED, self._points(mine, swept.terminated))
                evaluation.set_fluent(symbol, _intervals(mine, spans, end))

    def _in_order(self, swept: Swept) -> tuple[Found, Ints]:
        """Intervals in order of the places of their slots; those of a slot are in order of time already."""
        slot = swept.spans.slot if self._place is None else self._place[swept.spans.slot]
        if is_sorted(slot):
            return replace(swept.spans, slot=slot), swept.end
        order = order_of(slot)
        return Found(slot[order], swept.spans.value[order], swept.spans.time[order]), swept.end[order]

    def _points(self, mine: Stretch, found: Found) -> Points:
        """What happened to the slots of a symbol, with their arguments spelled out."""
        slot, value, time = found.slot, found.value, found.time
        if len(slot):
            slot = slot if self._place is None else self._place[slot]
            if mine.last - mine.first < self._possible.slots:
                rows = true_rows((slot >= mine.first) & (slot < mine.last))
                slot, value, time = slot[rows], value[rows], time[rows]
            if mine.first:
                slot = slot - mine.first
        return Points(tuple([column[slot] for column in mine.args]), value, time)

    def _keep_attempts(self, mine: Stretch, kept: Found) -> None:
        """Remember the initiations whose delayed effects are still to come at the next border."""
        begun = self._points(mine, kept)
        parts = [(begun.args, begun.value, begun.time)] if len(begun) else []
        attempts, rows = self._still.get(mine.symbol, (None, EMPTY))
        if attempts is not None and len(rows):
            args = tuple([column[rows] for column in attempts.args])
            parts.append((args, attempts.value[rows], attempts.initiated[rows]))
        if parts:
            args, value, initiated = parts[0]
            if len(parts) > 1:
                args = tuple(np.concatenate(columns) for columns in zip(*(part[0] for part in parts), strict=True))
                value, initiated = (np.concatenate((parts[0][place], parts[1][place])) for place in (1, 2))
            self._evaluation.next_border.attempts[mine.symbol] = Attempts(args, value, initiated)


def _intervals(mine: Stretch, spans: Found, end: Ints) -> Intervals:
    first, last = np.searchsorted(spans.slot, (mine.first, mine.last)).tolist()
    slot = spans.slot[first:last]
    if mine.first:
        slot = slot - mine.first
    args = tuple([column[slot] for column in mine.args])
    return Intervals(args, spans.value[first:last], spans.time[first:last], end[first:last], single_valued=True)


def _below_each_other(parts: list[_Columns], none: _Columns) -> _Columns:
    if len(parts) < 2:
        return parts[0] if parts else none
    found: Any = tuple(np.concatenate(columns) for columns in zip(*parts, strict=True))
    return cast("_Columns", found)


def _queued(records: Ints) -> Ints:
    """Records of delayed effects, with the numbers of their queues."""
    _, records[:, QUEUE] = numbering(records[:, DELAY])
    return records


def _postponable(slot: Ints, value: Ints, postponed: tuple[Ints, Ints]) -> Ints:
    """Whether new initiations postpone the effects of pairs; -1 stands for any value, on either side."""
    slots, values = postponed
    always = is_in(pair_keys(slot, value), pair_keys(slots, values)) | is_in(slot, slots[values < 0])
    found = always.astype(np.int64)
    # An effect of any value is postponed by the one value that says so.
    rows = true_rows((value < 0) & ~always & is_in(slot, slots))
    order = order_of(slots)
    first = np.searchsorted(slots[order], slot[rows])
    found[rows] = 2 + values[order[first]]
    others = values[order[np.searchsorted(slots[order], slot[rows], side="right") - 1]]
    if (others != values[order[first]]).any():
        raise NotSupported("a delayed effect of any value that only some values postpone; write one rule per value")
    return found
