"""A live session: events are pushed, corrected and retracted, and answers and changes are read in between."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakSet

import numpy as np

from holdsfor.columns.answer import Answer
from holdsfor.columns.dictionary import Dictionary, Value, value_of
from holdsfor.columns.report import Texts as ColumnTexts
from holdsfor.columns.stream import Stream
from holdsfor.columns.ticks import answer_in_time, stream_in_ticks, whole_ticks
from holdsfor.columns.windows import WindowPlan
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.compile import check
from holdsfor.compiler.plan import Plan, make_plan
from holdsfor.core.engine import Engine
from holdsfor.core.notes import NONE, number_note, read_integer, read_integer_or_none, read_parts, read_text
from holdsfor.core.rows import Rows
from holdsfor.core.vocabulary import Vocabulary
from holdsfor.diagnostics import HoldsforError, ProgramError, errors_of
from holdsfor.facts import facts_of
from holdsfor.io.frames import read_frames
from holdsfor.io.given import as_paths, stranger_sentence, warn_of_rejects
from holdsfor.io.layouts import Layouts
from holdsfor.io.preprocessing_rules import has_preprocessing
from holdsfor.io.rejects import Rejects
from holdsfor.io.rtec_csv import read_rtec
from holdsfor.ir import BackgroundRule, Program
from holdsfor.logic.arithmetic import number_term
from holdsfor.logic.failures import Failure
from holdsfor.physical.exactness import SwapPlan
from holdsfor.physical.model import PhysicalPlan
from holdsfor.recognition import EventsInput, Summary, without_value
from holdsfor.result import Result
from holdsfor.session.causes import CauseKind
from holdsfor.session.changes import MOST_CAUSES, Changes
from holdsfor.session.given import Given, PlainEvents, is_table
from holdsfor.session.swapping import Rules, Swap, plan_of, require_same_time
from holdsfor.session.texts import Texts
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term
from holdsfor.times import (
    LATEST,
    DurationInput,
    TimeInput,
    TimeScale,
    duration_or_none,
    time_point,
    time_point_or_none,
    unit_of,
)


class Size(NamedTuple):
    """The number of keys, and the number of input rows that are kept."""

    keys: int
    rows: int


class Session:
    """A program and its changing input. Made by `Reasoner.session`."""

    def __init__(
        self,
        plan: Plan,
        window: DurationInput | None = None,
        start: TimeInput | None = None,
        *,
        changes: bool = True,
        unit: str | None = None,
        threads: int | None = None,
    ) -> None:
        self._declared: TimeScale | None = plan.analysis.written.time_scale
        known = unit_of(self._declared, unit)
        self.time_scale = self._declared or (None if known is None else TimeScale(known))
        """What one time-point is, if the rules, the input or whoever gave it said so."""
        size, begin = duration_or_none(window, known, "window"), time_point_or_none(start, known, "start")
        if size is not None and size < 1:
            raise HoldsforError(f"the window must be at least one time-point, not {window}")
        if has_preprocessing(plan):
            raise HoldsforError("preProcessing is not executed in sessions; give its result as input")
        self._tick = tick = plan.clock_tick
        # All that follows is counted in clock ticks; times are at the edges.
        self._window = None if size is None else whole_ticks("window", size, tick)
        self._start = None if begin is None else whole_ticks("start", begin, tick)
        self._plan = plan
        self._written: Program = plan.analysis.written
        self.dictionary = Dictionary()
        """For those who push columns of codes."""
        self._layouts = Layouts(plan.analysis.entities)
        self._events: dict[tuple[str, int], tuple[int, Symbol]] = {}
        self._rejects = Rejects()
        self._latest: int | None = None
        self._now: int | None = None
        self._read = 0
        self._strangers = 0
        self._keeps_changes = changes
        self._begin(threads)

    def _begin(self, threads: int | None) -> None:
        """Make the engine."""
        self._engine = self._new_engine(threads)
        self._texts = Texts(self._engine.words, self._engine.symbols)
        self._unread: WeakSet[Changes] = WeakSet()
        """Changes that may still be spelled out."""
        self._unreported: list[Changes] = []
        """Changes by earlier rules or by a swap that `changes` has not returned yet."""

    def _new_engine(self, threads: int | None, plan: Plan | None = None) -> Engine:
        """An engine of the session; with other rules, one that shares the terms of the present one."""
        like = None if plan is None else self._engine
        return Engine(
            plan or self._plan, self._window, self._start, threads=threads, changes=self._keeps_changes, like=like
        )

    # Input

    def push(self, events: EventsInput | Stream, *, unit: str | None = None) -> None:
        """Add events and intervals of input fluents: files, or tables by name, as for `Reasoner.recognise`.

        Timestamps are counted in the `unit` of the session, or in the one given here; the default is seconds. Columns
        of codes of `session.dictionary` can be pushed as a `Stream`.
        """
        self._add(self._given(events, unit), CauseKind.ARRIVED)

    def push_one(self, event: str, time: TimeInput, *args: object) -> None:
        """Add one event by its name, time and arguments. This is the fastest way for single events."""
        self._edit_one(event, time, args, CauseKind.ARRIVED)

    def retract(self, events: EventsInput | Stream, *, unit: str | None = None) -> None:
        """Retract input. Retractions of input that was never pushed, or is too old, are counted."""
        self._take_back(self._given(events, unit), CauseKind.RETRACTED)

    def retract_one(self, event: str, time: TimeInput, *args: object) -> None:
        """Retract one event. This is the fastest way for single events."""
        self._edit_one(event, time, args, CauseKind.RETRACTED)

    def correct(self, old: EventsInput | Stream, new: EventsInput | Stream, *, unit: str | None = None) -> None:
        """Replace rows by others, with another time or other arguments."""
        old_rows, new_rows = self._given(old, unit), self._given(new, unit)
        self._take_back(old_rows, CauseKind.CORRECTED)
        self._add(new_rows, CauseKind.CORRECTION)

    def _edit_one(self, event: str, time: TimeInput, given: tuple[object, ...], kind: CauseKind) -> None:
        found = self._events.get((event, len(given)))
        table, symbol = self._event(event, len(given)) if found is None else found
        at = self._point(time, event) // self._tick
        args = tuple([arg if arg.__class__ in (str, int) else _value(arg, event) for arg in given])
        self._read += 1
        self._one(table, symbol, kind, at, args)

    def _one(self, table: int, symbol: Symbol, kind: CauseKind, time: int, args: tuple[Value, ...]) -> None:  # noqa: ARG002
        """Take in or take back one event."""
        if kind is CauseKind.RETRACTED:
            self._engine.retract_one(table, time, args)
            return
        self._see(time)
        self._engine.push_one(table, time, args)

    def _point(self, time: TimeInput, event: str | None = None) -> int:
        """The time of an event, or of a question."""
        # Plain integers come by the million.
        if type(time) is int and -LATEST <= time <= LATEST:
            return time
        return time_point(time, self._unit, "now" if event is None else f"the time of {event}")

    @property
    def _unit(self) -> str | None:
        return None if self.time_scale is None else self.time_scale.unit

    def _counted_in(self, unit: str | None) -> TimeScale | None:
        """What one time-point is; the session and all that is pushed must agree."""
        wanted = unit_of(self._declared, unit)
        if wanted is not None and self._unit not in (None, wanted):
            raise HoldsforError(f"this session counts time in {self._unit!r}, not {wanted!r}")
        return self.time_scale or (None if wanted is None else TimeScale(wanted))

    def _given(self, events: EventsInput | Stream, unit: str | None) -> Given:
        """Rows that were pushed and read, before the engine gets them."""
        entities = self._plan.analysis.entities
        if isinstance(events, Stream):
            self._read += events.rows
            return Given(stream_in_ticks(events, self._tick, len(self.dictionary)), self.dictionary)
        skipped, shown = self._rejects.count, len(self._rejects.first)
        plain: list[PlainEvents] = []
        if isinstance(events, Mapping):
            for name in events:
                self._require_known(name)
            known = self._counted_in(unit)
            plain, events = self._plain_tables(events)
            if not events:
                self._read += sum(len(one.rows) for one in plain)
                self.time_scale = known
                return Given(Stream(), self.dictionary, plain)
            unit = "s" if known is None else known.unit
            dictionary = self._dictionary()
            reading = read_frames(events, entities, unit, dictionary, self._rejects)
            self.time_scale = known or reading.time_scale
        else:
            dictionary = self._dictionary()
            reading = read_rtec(as_paths(events, self._plan), entities, dictionary, self._rejects)
        self._read += reading.rows + sum(len(one.rows) for one in plain)
        warn_of_rejects(self._rejects.count - skipped, self._rejects.first[shown:])
        return Given(stream_in_ticks(reading.stream, self._tick, len(dictionary)), dictionary, plain)

    def _plain_tables(self, frames: Mapping[str, Any]) -> tuple[list[PlainEvents], Mapping[str, Any]]:
        """Tables of events that the core can read by itself, and the others."""
        plain: list[PlainEvents] = []
        others: dict[str, Any] = {}
        for name, frame in frames.items():
            found = self._plain_events(name, frame) if is_table(frame) else None
            if found is None:
                others[name] = frame
            else:
                plain.append(found)
        return plain, others

    def _plain_events(self, name: str, table: Any) -> PlainEvents | None:
        symbol = self._layouts.find(name, EntityKind.EVENT, table.num_columns - 1)
        if symbol is None or self._layouts.is_fluent(name):
            return None
        found = self._engine.table_rows(symbol, table, LATEST)
        if found is None:
            return None
        rows, last = found
        if self._tick != 1:
            rows, last = replace(rows, time=rows.time // self._tick), last // self._tick
        return PlainEvents(rows, last)

    def _dictionary(self) -> Dictionary:
        """The dictionary of what is read: a new one each time, so that none grows for ever."""
        return Dictionary()

    def _add(self, given: Given, kind: CauseKind) -> None:
        """Take in rows."""
        self._see(given.last)
        for rows in given.rows(self._engine):
            self._engine.push(rows, is_correction=kind is CauseKind.CORRECTION)

    def _take_back(self, given: Given, kind: CauseKind) -> None:
        for rows in given.rows(self._engine):
            self._engine.retract(rows, is_correction=kind is CauseKind.CORRECTED)

    def _see(self, time: int | None) -> None:
        if time is not None and (self._latest is None or time > self._latest):
            self._latest = time

    def _event(self, event: str, arity: int) -> tuple[int, Symbol]:
        self._require_known(event)
        symbol = self._layouts.find(event, EntityKind.EVENT, arity)
        if symbol is None:
            if EntityKind.EVENT not in self._layouts.kinds(event):
                raise HoldsforError(f"{event} is an input fluent: push({{{event!r}: [(start, end, value, …)]}})")
            raise HoldsforError(f"{self._layouts.arguments(event)}, not {arity}")
        found = self._events[event, arity] = self._table(symbol), symbol
        return found

    def _table(self, symbol: Symbol) -> int:
        return self._engine.tables[symbol]

    def _require_known(self, name: str) -> None:
        if not self._layouts.knows(name):
            raise HoldsforError(stranger_sentence([name], self._plan))

    # Background knowledge

    def add_background(self, facts: Mapping[str, Any]) -> None:
        """Add facts, as tables by predicate. The whole window is re-evaluated."""
        known = _by_text(self._written)
        new = [rule for text, rule in _by_text(facts_of(facts)).items() if text not in known]
        self._replan(replace(self._written, rules=(*self._written.rules, *new)))

    def retract_background(self, facts: Mapping[str, Any]) -> None:
        """Retract facts; unknown ones are counted. The whole window is re-evaluated."""
        known = _by_text(self._written)
        back = _by_text(facts_of(facts)).keys()
        self._strangers += len(back - known.keys())
        gone = {id(known[text]) for text in back & known.keys()}
        self._replan(replace(self._written, rules=tuple(rule for rule in self._written.rules if id(rule) not in gone)))

    def _replan(self, program: Program) -> None:
        analysis, found = check(program)
        if errors_of(found):
            raise ProgramError(errors_of(found))
        plan = replace(make_plan(analysis), max_delayed_effects=self._plan.max_delayed_effects)
        if not self._goes_on_with(plan):
            raise HoldsforError("these facts change how the rules are evaluated; start a new session with background=…")
        self._plan, self._written = plan, program

    def _goes_on_with(self, plan: Plan) -> bool:
        """Whether the engine can, and does."""
        return self._engine.replan(plan)

    # Other rules

    def plan_swap(self, rules: Rules, *, backfill: bool = False) -> SwapPlan:
        """What `swap` would mean: which answers are exact at once, which later, and which need a backfill."""
        return self._swap(rules, is_filled=backfill).plan

    def swap(self, rules: Rules, *, backfill: EventsInput | None = None, unit: str | None = None) -> SwapPlan:
        """Replace the rules, at the time of the last query.

        The new rules are applied to all rows that are kept. Values and pending effects stay if the edit does not reach
        them. `changes` then begins with the differences, with the cause *rule changed*. The returned plan says which
        answers are exact. `backfill` has earlier rows for the other answers, in the form that `push` accepts: all
        accepted rows of the inputs that the plan names. It can include rows that the session still has.
        """
        swap = self._swap(rules, is_filled=backfill is not None)
        filled = None
        if backfill is not None and self._now is not None:
            filler = swap.filler()
            filled = filler, self._rows_from_before(filler, backfill, unit)
        if self._keeps_changes and self._now is not None:
            self._unreported.append(self._changes_at(self._now))
            self._engine.core.retire(swap.gone)
            self._unreported.append(self._changes_at(self._now, swap))
        swap.carry_out(filled)
        self._plan = swap.now.plan
        self._written = self._plan.analysis.written
        self._layouts = Layouts(self._plan.analysis.entities)
        self._events.clear()
        self._engine = swap.now
        self._texts = Texts(self._engine.words, self._engine.symbols)
        if self._keeps_changes and self._now is not None:
            self._unreported.append(self._changes_at(self._now, swap))
        return swap.plan

    def _swap(self, rules: Rules, *, is_filled: bool) -> Swap:
        plan = plan_of(rules)
        require_same_time(self._plan, plan)
        now = self._new_engine(self._engine.threads, plan)
        return Swap(self._engine, now, self._tick, is_filled=is_filled)

    def _rows_from_before(self, filler: Engine, rows: EventsInput, unit: str | None) -> list[Rows]:
        """What was given as a backfill, as an engine takes it."""
        entities = filler.plan.analysis.entities
        dictionary = Dictionary()
        if isinstance(rows, Mapping):
            known = self._counted_in(unit)
            reading = read_frames(rows, entities, "s" if known is None else known.unit, dictionary, self._rejects)
        else:
            reading = read_rtec(as_paths(rows, filler.plan), entities, dictionary, self._rejects)
        given = Given(stream_in_ticks(reading.stream, self._tick, len(dictionary)), dictionary)
        return list(given.rows(filler))

    # Questions

    def query(self, now: TimeInput | None = None) -> Result:
        """All intervals that reach into the window at a time; the default is the latest time that was pushed."""
        self._advance(now)
        answer, dictionary = self._answer()
        summary = self.summary
        summary.intervals = sum(len(table) for table in answer.fluents.values())
        summary.derived_events = sum(len(table) for table in answer.events.values())
        size = self._window
        texts = ColumnTexts(dictionary)
        answer = answer_in_time(answer, self._tick)
        if size is None:
            return Result([answer], texts, summary, time_scale=self.time_scale, program=self._written)
        size *= self._tick
        windows = WindowPlan(size, size, answer.query_time - size, answer.query_time)
        return Result([answer], texts, summary, windows, time_scale=self.time_scale, program=self._written)

    def _answer(self) -> tuple[Answer, Dictionary]:
        dictionary = Dictionary()
        return self._engine.answer(Vocabulary(dictionary, self._engine.words)), dictionary

    def changes(self, now: TimeInput | None = None) -> Changes:
        """The changes since the last call, up to a time; the default is the latest time that was pushed."""
        if not self._keeps_changes:
            raise HoldsforError("this session keeps no changes: make it with session(changes=True)")
        found = self._changes_at(self._advance(now), before=self._unreported)
        self._unreported = []
        return found

    def _changes_at(self, at: int, swap: Swap | None = None, before: Sequence[Changes] = ()) -> Changes:
        found = Changes(
            self._engine.changes(MOST_CAUSES),
            at,
            self._texts,
            self._tick,
            self.time_scale,
            before=[some for some in before if len(some)],
            cause_of=None if swap is None else swap.cause,
        )
        self._unread.add(found)
        return found

    def _reclaim(self) -> None:
        """Forget constants that only rows and keys had that are gone. Changes that somebody holds keep theirs."""
        self._texts.forget()
        self._engine.reclaim([changes.words() for changes in self._unread])

    # State

    def save(self, path: str | Path) -> None:
        """Write the state to a file. `load` continues from it, also in another process.

        An existing file is replaced only when the new one is complete. If the process ends before, the old file stays.
        """
        if self._unreported:
            raise HoldsforError("there are changes from before a swap of rules: ask for changes() before save()")
        data = self._engine.save(self._noted())
        target = Path(path)
        written = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            with written.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            written.replace(target)
        except OSError as problem:
            written.unlink(missing_ok=True)
            raise HoldsforError(f"the state cannot be written to {target}: {problem.strerror or problem}") from None

    def load(self, path: str | Path) -> None:
        """Continue from a state that a session with the same rules has saved. The present state is replaced.

        Background facts, window, start and `changes` must be the same. A file that does not fit is rejected with a
        reason, and the session stays unchanged.
        """
        try:
            data = Path(path).read_bytes()
        except OSError as problem:
            raise HoldsforError(f"the state cannot be read from {path}: {problem.strerror or problem}") from None
        engine = self._new_engine(self._engine.threads)
        try:
            self._take_up(read_parts(engine.load(data), "session", 8), engine)
        except HoldsforError as problem:
            raise HoldsforError(f"{path}: {problem}") from None

    def _noted(self) -> Term:
        scale = self.time_scale
        texts = (NONE, NONE) if scale is None else (Const(scale.unit), Const(scale.zone))
        numbers = (self._tick, self._read, self._rejects.count, self._strangers)
        times = (number_note(self._latest), number_note(self._now))
        return Compound("session", (*map(Const, numbers), *times, *texts))

    def _take_up(self, noted: tuple[Term, ...], engine: Engine) -> None:
        *numbers, latest, now, unit, zone = noted
        tick, read, malformed, strangers = map(read_integer, numbers)
        scale = None if unit == NONE else TimeScale(read_text(unit), read_text(zone))
        if tick != self._tick:
            raise HoldsforError(
                f"the state was saved with a clock tick of {tick}, not {self._tick}: load it with the same"
            )
        if None not in (scale, self.time_scale) and scale != self.time_scale:
            raise HoldsforError(f"the state was saved with times in {scale}, not {self.time_scale}")
        latest_time, now_time = read_integer_or_none(latest), read_integer_or_none(now)
        # Nothing can go wrong from here on.
        self._latest, self._now = latest_time, now_time
        self._read, self._strangers, self._rejects = read, strangers, Rejects(count=malformed)
        self.time_scale = scale or self.time_scale
        self._engine, self._texts = engine, Texts(engine.words, engine.symbols)
        # Those that were given out belong to the engine before.
        self._unread.clear()
        self._unreported = []
        self._events.clear()

    @property
    def physical_plan(self) -> PhysicalPlan:
        """What is run, and what it promises to keep."""
        return self._engine.lowered.plan

    @property
    def size(self) -> Size:
        """How much is known."""
        return Size(self._engine.keys, self._engine.kept_rows)

    @property
    def now(self) -> int | None:
        """The time of the last question."""
        return None if self._now is None else self._now * self._tick

    @property
    def summary(self) -> Summary:
        """The numbers of rows so far. Late rows lie before the window; `unmatched` counts retractions of unknown input."""
        malformed = self._rejects.count
        late = self.late
        read = self._read - malformed
        found = Summary(read, {}, malformed, self._rejects.first, used=read - late, late=late, query_times=1)
        found.without_value = without_value(self._plan, self._failures())
        return found

    def _failures(self) -> Iterable[Failure]:
        return self._engine.failures

    @property
    def late(self) -> int:
        """The number of rows that arrived when their time-point had left the window."""
        return self._engine.late

    @property
    def unmatched(self) -> int:
        """The number of retractions of unknown input: never pushed, or too old."""
        return self._strangers + self._engine.unmatched

    @property
    def malformed(self) -> int:
        """How many rows could not be read."""
        return self._rejects.count

    def _advance(self, now: TimeInput | None) -> int:
        at = self._time(now)
        self._engine.advance(at)
        self._now = at
        if self._engine.has_grown:
            self._reclaim()
        return at

    def _time(self, now: TimeInput | None) -> int:
        if now is None:
            known = [time for time in (self._latest, self._now) if time is not None]
            if not known:
                raise HoldsforError("nothing has been pushed yet: give a time, as in query(10)")
            return max(known)
        at = self._point(now) // self._tick
        if self._now is not None and at < self._now:
            raise HoldsforError(f"the session is at {self.now} and cannot go back to {now}")
        return at

    def __repr__(self) -> str:
        at = "before the first query time" if self._now is None else f"at {self.now}"
        return f"<Session {at}: {self._read} rows, {self.late} late, {self.unmatched} unmatched>"


def _by_text(program: Program) -> dict[str, BackgroundRule]:
    """The facts of a program."""
    facts = (rule for rule in program.rules if isinstance(rule, BackgroundRule) and not rule.body)
    return {print_term(rule.head): rule for rule in facts}


def _value(arg: Any, event: str) -> Value:
    if isinstance(arg, bool | np.bool_):
        return str(bool(arg)).lower()
    if isinstance(arg, str | int):
        return arg
    if isinstance(arg, np.generic):
        return _value(arg.item(), event)
    if isinstance(arg, float) and not math.isnan(arg):
        return value_of(number_term(arg))
    raise HoldsforError(f"{event}: the argument {arg!r} is neither text nor a number")
