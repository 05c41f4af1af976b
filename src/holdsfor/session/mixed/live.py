"""Sessions of programs with metric rules: the window is cut into panes, and keys are worked out again from the first
pane in which something changed for them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.diagnostics import HoldsforError
from holdsfor.engine.answer import Answer
from holdsfor.engine.dictionary import Dictionary, Value
from holdsfor.engine.rule_notes import rule_notes
from holdsfor.engine.state import NEVER
from holdsfor.engine.stream import EventColumns, Stream
from holdsfor.incremental.engine import Incremental
from holdsfor.incremental.trace import Trace
from holdsfor.logic.failures import Failure
from holdsfor.session.causes import CauseKind
from holdsfor.session.changes import Changes
from holdsfor.session.dependencies import dependencies
from holdsfor.session.given import Given, PlainEvents
from holdsfor.session.live import Session
from holdsfor.session.mixed.changes import Known, MixedChanges
from holdsfor.session.mixed.edits import Edit, joined
from holdsfor.session.mixed.inputs import Inputs
from holdsfor.session.mixed.ledger import Ledger
from holdsfor.times import TimeInput

_LEAST_IN_A_PANE = 4096
"""So many rows come in before the time before them is put aside as a pane of its own."""


class MixedSession(Session):
    """A session of a program with metric rules."""

    def _begin(self, threads: int | None) -> None:  # noqa: ARG002
        self._inputs = Inputs()
        self._edits = [Edit()]
        self._incremental: Incremental | None = None
        self._shown_at = NEVER
        self._trace = Trace() if self._keeps_changes else None
        self._ledger: Ledger | None = None
        self._numbers = {symbol: number for number, symbol in enumerate(self._plan.analysis.entities.table)}

    # State

    def save(self, path: str | Path) -> None:  # noqa: ARG002
        """There is no state to write."""
        raise HoldsforError("a session with metric rules cannot be saved: keep its input, and push it again")

    def load(self, path: str | Path) -> None:  # noqa: ARG002
        """There is no state to read."""
        raise HoldsforError("a session with metric rules cannot be loaded: push its input again")

    # Input

    def _table(self, symbol: Symbol) -> int:
        return self._numbers[symbol]

    def _dictionary(self) -> Dictionary:
        return self.dictionary

    def _one(self, table: int, symbol: Symbol, kind: CauseKind, time: int, args: tuple[Value, ...]) -> None:  # noqa: ARG002
        codes = tuple(np.array([self.dictionary.code(arg)]) for arg in args)
        times = np.array([time])
        stream = Stream({symbol: EventColumns(codes, times, times)})
        edit = self._take_back if kind is CauseKind.RETRACTED else self._add
        edit(Given(stream, self.dictionary), kind)

    def _plain_tables(self, frames: Mapping[str, Any]) -> tuple[list[PlainEvents], Mapping[str, Any]]:
        return [], frames

    def _add(self, given: Given, kind: CauseKind) -> None:
        self._see(given.last)
        self._edits[-1].arrived.append(self._with_numbers(given.stream, given.dictionary, kind))

    def _take_back(self, given: Given, kind: CauseKind) -> None:
        if self._edits[-1].arrived:
            self._edits.append(Edit())
        self._edits[-1].retracted.append(self._with_numbers(given.stream, given.dictionary, kind))

    @property
    def _known_until(self) -> float:
        return -math.inf if self._now is None else self._now

    def _with_numbers(self, stream: Stream, dictionary: Dictionary, kind: CauseKind) -> Stream:
        """A stream with the numbers of its rows in the place of arrivals."""
        made = Stream()
        for symbol, events in stream.events.items():
            first = self._inputs.add(self._numbers[symbol], symbol, kind, self._known_until, events, dictionary)
            made.events[symbol] = replace(events, arrival=np.arange(first, first + len(events.time)))
        for symbol, reports in stream.fluents.items():
            first = self._inputs.add(self._numbers[symbol], symbol, kind, self._known_until, reports, dictionary)
            made.fluents[symbol] = replace(reports, arrival=np.arange(first, first + len(reports.start)))
        return made

    # Questions

    def _advance(self, now: TimeInput | None) -> int:
        at = self._time(now)
        edits = [(joined(edit.retracted), joined(edit.arrived)) for edit in self._edits]
        engine = self._incremental or self._make_engine([arrived for _, arrived in edits], at)
        self._edits = [Edit()]
        oldest = engine.oldest
        found = engine.update(at, edits)
        if self._ledger is not None:
            self._ledger.note(found)
            if engine.oldest != oldest:
                self._ledger.forget(engine.clock.low)
        self._now = at
        return at

    def _make_engine(self, arrived: Iterable[Stream], now: int) -> Incremental:
        firsts = [stream.moments()[0] for stream in arrived]
        origin = min(0, self._start + 1) if self._start is not None else min(0, now, *firsts)
        engine = Incremental(
            self._plan,
            self.dictionary,
            origin,
            self._window,
            after=self._start,
            least=_LEAST_IN_A_PANE,
            fine=True,
            trace=self._trace,
        )
        self._incremental = engine
        self._stages = {symbol: stage for stage in engine.stages for symbol in stage.members}
        self._read_by = {
            symbol: frozenset(self._numbers[one] for one in read) for symbol, read in dependencies(self._plan).items()
        }
        if self._trace is not None:
            self._ledger = Ledger(engine.stages)
        return engine

    def _answer(self) -> tuple[Answer, Dictionary]:
        assert self._incremental is not None
        return self._incremental.answer(), self.dictionary

    def _told(self, at: int) -> Changes:
        engine, ledger = self._incremental, self._ledger
        assert engine is not None and ledger is not None and self._trace is not None
        entries = ledger.changes(at, engine.clock.low, self._shown_at)
        known = Known(ledger, self._stages, self._read_by, self._trace, self._inputs, self.dictionary, self._tick)
        self._inputs = self._inputs.after(at)
        self._trace = engine.trace = Trace()
        self._shown_at = at
        return MixedChanges(entries, at, known, self.time_scale)

    def _failures(self) -> Iterable[Failure]:
        return (*self.dictionary.failures, *rule_notes(self._plan).failures)

    @property
    def late(self) -> int:
        """How many rows came when the window had left them behind."""
        return 0 if self._incremental is None else self._incremental.late

    @property
    def unmatched(self) -> int:
        """How many retractions were of something that is not known: never pushed, or too old."""
        return self._strangers + (0 if self._incremental is None else self._incremental.unmatched)

    def _goes_on_with(self, plan: Plan) -> bool:
        return self._incremental is None or self._incremental.replan(plan)
