"""The sweep method: components that depend on themselves, and delayed effects."""

from __future__ import annotations

import numpy as np

from holdsfor.compiler.analysis.entities import EntityKind, Role, Symbol
from holdsfor.compiler.analysis.instant import DELAYED, INITIATED, TERMINATED
from holdsfor.compiler.plan import Stratum
from holdsfor.engine.cyclic.delays import settled
from holdsfor.engine.cyclic.grounding import SLOT, VALUE, Grounding, plain
from holdsfor.engine.cyclic.memory import Memory
from holdsfor.engine.cyclic.pairs import pair_keys
from holdsfor.engine.cyclic.rows import RowWriter, assembled
from holdsfor.engine.cyclic.sweep import NOTHING, Found, Pending, Start, Swept, sweep
from holdsfor.engine.cyclic.sweep_loop import (
    DELAY,
    DELAY_RANK,
    EFFECT,
    EFFECT_VALUE,
    ENTRY,
    POSTPONABLE,
    STARTED,
    TRIGGER,
    TRIGGER_VALUE,
)
from holdsfor.engine.evaluation import Evaluation
from holdsfor.engine.expressions import evaluate
from holdsfor.engine.frames import Codes, is_in, numbering, order_of, ranges, row_keys
from holdsfor.engine.kernels import EMPTY, Bools, Ints, true_rows
from holdsfor.engine.state import Attempts
from holdsfor.engine.statics import run_static
from holdsfor.engine.tables import Events, Intervals, Points
from holdsfor.engine.variants import NotSupported
from holdsfor.ir import DelayRule, EffectKind
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.syntax.printer import print_term

_LAST_RANK = 1 << 30
"""After everything else at a time-point: where effects on fluents outside the component are decided."""


def run_sweep(evaluation: Evaluation, stratum: Stratum) -> None:
    """Evaluate a component by sweeping over its rows."""
    run = _Run(evaluation, stratum)
    run.go()
    for symbol in stratum.members:
        if evaluation.entities[symbol].role is Role.STATIC_FLUENT:
            run_static(evaluation, symbol)


class _Run:
    def __init__(self, evaluation: Evaluation, stratum: Stratum) -> None:
        self._evaluation = evaluation
        self._component = evaluation.prepared.component(stratum)
        self._grounding = Grounding(evaluation, self._component)
        self._possible = self._grounding.possible
        self._memory = Memory(evaluation.dictionary)
        self._writer = RowWriter(self._grounding, self._memory)

    def go(self) -> None:
        self._grounding.find()
        if not self._possible.slots:
            self._publish(NOTHING)
            return
        batches = self._writer.rows()
        delays = self._delays()
        start = self._start(delays)
        span = (self._evaluation.moment.now, self._evaluation.moment.next_border)
        swept = settled(batches, delays, start, span)
        if swept is None:
            sheet = assembled(batches, delays.reshape(-1))
            swept = sweep(sheet, start, span, self._memory, wants_log=self._component.wants_log)
        self._keep_attempts(swept, start.pending, delays)
        self._publish(swept)

    def _outside(self) -> Ints:
        outside = np.zeros(self._possible.slots, np.int64)
        for symbol, known in self._possible.known.items():
            if symbol not in self._component.members:
                outside[known.slot] = 1
        return outside

    # Delayed effects

    def _delays(self) -> Ints:
        """The records of all delayed effects, by trigger."""
        found = [np.empty((0, ENTRY), np.int64)]
        postponed = self._grounding.postponed()
        for rule in self._component.delays:
            frame, effect, effect_value = self._grounding.delay_frame(rule)
            if not frame.rows:
                continue
            slot, value = plain(frame, SLOT), plain(frame, VALUE)
            postponable = _postponable(slot, value, postponed)
            records = np.empty((frame.rows, ENTRY), np.int64)
            records[:, TRIGGER], records[:, TRIGGER_VALUE] = slot, value
            records[:, DELAY] = self._amounts(rule, evaluate(rule.delay, frame, self._evaluation.dictionary))
            records[:, EFFECT], records[:, EFFECT_VALUE] = effect, effect_value
            records[:, POSTPONABLE] = postponable
            records[:, DELAY_RANK] = self._ranks(rule, value if rule.effect is None else effect_value, postponable > 0)
            found.append(records)
        records = np.concatenate(found)
        return records[order_of(records[:, TRIGGER])]

    @staticmethod
    def _amounts(rule: DelayRule, amounts: np.typing.NDArray[np.generic]) -> Ints:
        whole = amounts.astype(np.int64)
        wrong = true_rows((amounts != whole) | (whole < 1))
        if len(wrong):
            shown = print_term(rule.trigger.fluent)
            raise EvaluationError(f"the delay of {shown} is {amounts[wrong[0]]}; it must be a positive whole number")
        return whole

    def _ranks(self, rule: DelayRule, value: Ints, postponable: Bools) -> Ints:
        symbol = self._evaluation.entities.fluent((rule.effect or rule.trigger).fluent)
        if symbol not in self._component.members:
            return np.full(len(value), _LAST_RANK)
        if rule.effect is None:
            return self._writer.ranks(STARTED, symbol, value, len(value), TERMINATED)
        later = self._writer.ranks(STARTED, symbol, value, len(value), DELAYED)
        return np.where(postponable, later, self._writer.ranks(STARTED, symbol, value, len(value), INITIATED))

    # State

    def _start(self, delays: Ints) -> Start:
        delay_at = np.searchsorted(delays[:, TRIGGER], np.arange(self._possible.slots + 1))
        held: list[Ints] = [EMPTY]
        value: list[Ints] = [EMPTY]
        since: list[Ints] = [EMPTY]
        pending: list[Pending] = [(EMPTY, EMPTY, EMPTY, EMPTY)]
        border = self._evaluation.border
        for symbol in self._component.members:
            holding = border.holding.get(symbol)
            if holding is not None and self._evaluation.entities[symbol].role is Role.SIMPLE_FLUENT:
                held.append(self._possible.find_slots(symbol, holding.args, len(holding.value)))
                value.append(holding.value)
                since.append(holding.since)
            attempts = border.attempts.get(symbol)
            if attempts is not None:
                slot = self._possible.find_slots(symbol, attempts.args, len(attempts.value))
                pending.append(self._pending(delays, delay_at, slot, attempts))
        columns = tuple(np.concatenate(parts) for parts in zip(*pending, strict=True))
        return Start(
            delay_at,
            self._outside(),
            np.concatenate(held),
            np.concatenate(value),
            np.concatenate(since),
            (columns[0], columns[1], columns[2], columns[3]),
        )

    def _pending(self, delays: Ints, delay_at: Ints, slot: Ints, attempts: Attempts) -> Pending:
        """The delayed effects that attempts made before the border still have to come to."""
        first = delay_at[slot]
        count = delay_at[slot + 1] - first
        entry = ranges(first, count)
        row = np.repeat(np.arange(len(slot)), count)
        initiated, value = attempts.initiated[row], attempts.value[row]
        due = initiated + delays[entry, DELAY]
        is_mine = (delays[entry, TRIGGER_VALUE] == value) | (delays[entry, TRIGGER_VALUE] < 0)
        keep = true_rows(is_mine & (due > self._evaluation.moment.border))
        return due[keep], initiated[keep], entry[keep], value[keep]

    def _keep_attempts(self, swept: Swept, pending: Pending, delays: Ints) -> None:
        """Remember the initiations whose delayed effects are still to come at the next border."""
        border = self._evaluation.moment.next_border
        due, before, earlier, old = pending
        still = true_rows((before <= border) & (due > border))
        initiated, _, entry, value = swept.kept
        slot = delays[np.concatenate((entry, earlier[still])), TRIGGER]
        value = np.concatenate((value, old[still]))
        initiated = np.concatenate((initiated, before[still]))
        owner = self._owner()[slot]
        for number, symbol in enumerate(self._possible.known):
            mine = true_rows(owner == number)
            if len(mine):
                rows = mine[_first_of_each(slot[mine], value[mine], initiated[mine])]
                points = self._grounding.points(symbol, slot[rows], value[rows], initiated[rows])
                self._evaluation.next_border.attempts[symbol] = Attempts(points.args, points.value, points.time)

    def _owner(self) -> Ints:
        """For every slot, the number of its symbol."""
        owner = np.zeros(self._possible.slots, np.int64)
        for number, known in enumerate(self._possible.known.values()):
            owner[known.slot] = number
        return owner

    # Results

    def _publish(self, swept: Swept) -> None:
        evaluation, owner = self._evaluation, self._owner()
        slot, time = swept.conflicts
        conflicts = Found(slot, slot, time)
        for number, symbol in enumerate(self._possible.known):
            broken = self._points(symbol, conflicts, owner == number)
            evaluation.add_conflicts(broken.time, symbol, broken.args)
            if symbol not in self._component.members:
                points = self._points(symbol, swept.scheduled, owner == number)
                evaluation.scheduled.setdefault(symbol, []).append(points)
            elif symbol.kind is EntityKind.EVENT:
                points = self._points(symbol, swept.happened, owner == number)
                evaluation.derived[symbol] = Events(tuple(Codes(column) for column in points.args), points.time)
            elif evaluation.entities[symbol].role is Role.SIMPLE_FLUENT:
                for kind, log in ((EffectKind.INITIATED, swept.initiated), (EffectKind.TERMINATED, swept.terminated)):
                    evaluation.set_points(symbol, kind, self._points(symbol, log, owner == number))
                evaluation.set_fluent(symbol, self._intervals(symbol, swept, owner == number))

    def _points(self, symbol: Symbol, found: Found, is_mine: Bools) -> Points:
        rows = true_rows(is_mine[found.slot])
        return self._grounding.points(symbol, found.slot[rows], found.value[rows], found.time[rows])

    def _intervals(self, symbol: Symbol, swept: Swept, is_mine: Bools) -> Intervals:
        spans = swept.spans
        rows = true_rows(is_mine[spans.slot])
        points = self._grounding.points(symbol, spans.slot[rows], spans.value[rows], spans.time[rows])
        columns = [*points.args, points.time]
        order = order_of(row_keys(columns))
        return Intervals(
            tuple(column[order] for column in points.args),
            points.value[order],
            points.time[order],
            swept.end[rows][order],
            single_valued=True,
        )


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


def _first_of_each(slot: Ints, value: Ints, time: Ints) -> Ints:
    """One row of each that are about the same attempt."""
    return numbering(row_keys([slot, value, time]))[0]
