"""Drives the core: push and retract rows, advance in time, read answers and changes.

Times are numbers of clock ticks here; callers convert them.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from holdsfor.columns.answer import Answer
from holdsfor.columns.dictionary import Value
from holdsfor.columns.frames import Codes
from holdsfor.columns.kernels import Ints
from holdsfor.columns.stream import EventColumns, FluentColumns, Stream
from holdsfor.columns.tables import FOREVER, Events, Intervals
from holdsfor.compiler.analysis.entities import EntityKind, Role, Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.core.compiled import compiled_core
from holdsfor.core.domains import DomainRecord, Domains, record_of
from holdsfor.core.host import FOREVER as CORE_FOREVER
from holdsfor.core.host import Host
from holdsfor.core.notes import (
    NONE,
    damaged,
    number_note,
    read_integer,
    read_integer_or_none,
    read_parts,
)
from holdsfor.core.program import EncodedProgram, encoded, encoded_for_trace, plan_shape
from holdsfor.core.rows import EventRows, Rows, event_rows, fluent_rows
from holdsfor.core.vocabulary import NO_WORDS, Vocabulary, WordArray
from holdsfor.core.words import Words
from holdsfor.diagnostics import HoldsforError
from holdsfor.ir import BackgroundRule
from holdsfor.logic.failures import Failures
from holdsfor.logic.solver import Predicate
from holdsfor.physical.lower import Lowered
from holdsfor.records import record
from holdsfor.syntax.terms import Compound, Term, Var


@record
class Share:
    """The keys of one stage, counted from 0, in one bucket of a distributed run. `sides` are the sides of the bucket
    grids, by stage. `ties` contains key numbers that are tied, with the first of each group, by stage; without them, a
    stage with tied keys has one bucket.
    """

    stage: int
    bucket: int
    buckets: int
    sides: tuple[tuple[int, ...], ...]
    ties: tuple[tuple[Ints, Ints] | None, ...] = ()


LEAST_NEW_TERMS = 20_000
"""Up to this number of new terms, a search for unreferenced terms is never worthwhile."""


class Engine:
    """One program and its changing input.

    Only the last `window` time-points can change; without a window, all can. Input up to `start` does not count. Metric
    predicates do not hold before 0, `origin`, and the first row. `threads` is the number of threads; None is one for
    each processor. With `changes` it keeps what `changes()` reports. With a `share` it has some keys of one stage, and
    gets results from engines with the other keys. With `is_traced` it keeps all rows, for `core.trace`. An engine made
    `like` another one has the same words.
    """

    def __init__(
        self,
        plan: Plan,
        window: int | None = None,
        start: int | None = None,
        *,
        origin: int | None = None,
        threads: int | None = None,
        changes: bool = False,
        program: EncodedProgram | None = None,
        share: Share | None = None,
        is_traced: bool = False,
        like: Engine | None = None,
    ) -> None:
        self._program = program = program or (encoded_for_trace if is_traced else encoded)(plan)
        self.plan = plan
        self.symbols = program.lowered.symbols
        self.tables = {symbol: number for number, symbol in enumerate(self.symbols)}
        begin = -math.inf if start is None else start
        self._domains = Domains(plan.analysis, begin) if plan.analysis.fillings else None
        self._host = Host(program.lowered.goals, program.sites, self._rules(), plan.clock_tick)
        shared = None if like is None else like.core
        self.core: Any = compiled_core().Core(program.data, self._host, is_traced, shared)
        self.words: Words = self._host.connect(self.core)
        self._window = window
        self.core.set_window(window, start)
        if origin is not None:
            self.core.begin_at(origin)
        if share is not None:
            self.core.set_share(share.stage, share.bucket, share.buckets, share.sides, list(share.ties))
        self.threads = threads or available_threads()
        self.core.keep_changes(changes)
        fillers = frozenset() if self._domains is None else self._domains.symbols
        self._filling = frozenset(self.tables[symbol] for symbol in fillers)
        """Tables whose rows fill domains."""
        self._conflicts = 0
        self._query: int | None = None
        self._terms: int = self.core.terms
        """The number of terms when they were last reclaimed."""

    # Rows

    def rows(self, symbol: Symbol, columns: EventColumns | FluentColumns, vocabulary: Vocabulary) -> Rows | None:
        """Columns of a stream for the core; None if no rule uses them."""
        table = self.tables.get(symbol)
        if table is None:
            return None
        if isinstance(columns, EventColumns):
            return event_rows(table, columns, vocabulary)
        return fluent_rows(table, columns, vocabulary)

    def table_rows(self, symbol: Symbol, table: Any, latest: int) -> tuple[EventRows, int] | None:
        """The rows of an Arrow table with a column `time` and the arguments of an event, and the last time.

        None if they need more careful reading: see arrow_table.h.
        """
        number = self.tables.get(symbol)
        if number is None or not len(table):
            return None
        found = self.core.table_events(table.__arrow_c_stream__(), symbol.arity, latest)
        if found is None:
            return None
        time, words, last = found
        return EventRows(number, time, words.reshape(len(time), symbol.arity)), last

    def rows_of(self, stream: Stream, vocabulary: Vocabulary) -> Iterator[tuple[Rows, Ints]]:
        """A stream for the core, table by table, with the arrivals of rows."""
        for symbol, columns in stream.tables():
            rows = self.rows(symbol, columns, vocabulary)
            if rows is not None:
                yield rows, columns.arrival

    def push(self, rows: Rows, *, is_correction: bool = False, is_cause: bool = True) -> None:
        """Add rows. Changes mark corrections, and name only rows that may be a cause."""
        if isinstance(rows, EventRows):
            self.core.insert_events(*rows.columns(), is_correction, is_cause)
        else:
            self.core.insert_intervals(*rows.columns(), is_correction, is_cause)
        if self._domains is not None and rows.table in self._filling:
            self._domains.add(self._records(rows))

    def retract(self, rows: Rows, *, is_correction: bool = False) -> int:
        """Retract rows; returns the number of the first as an input, if changes are kept."""
        is_event = isinstance(rows, EventRows)
        number: int = (self.core.retract_events if is_event else self.core.retract_intervals)(
            *rows.columns(), is_correction
        )
        if self._domains is not None and rows.table in self._filling:
            self._domains.remove(self._records(rows))
        return number

    def push_one(self, table: int, time: int, args: tuple[Value, ...]) -> None:
        """Add one event, with text and numbers as arguments."""
        if table in self._filling or not self._edit_one(self.core.push_one, table, time, args):
            self.push(self._one(table, time, args))

    def retract_one(self, table: int, time: int, args: tuple[Value, ...]) -> None:
        """Retracts one event."""
        if table in self._filling or not self._edit_one(self.core.retract_one, table, time, args):
            self.retract(self._one(table, time, args))

    @staticmethod
    def _edit_one(edit: Any, table: int, time: int, args: tuple[Value, ...]) -> bool:
        try:
            edit(table, time, args)
        except TypeError:
            # A number of thousands of digits.
            return False
        return True

    def _one(self, table: int, time: int, args: tuple[Value, ...]) -> EventRows:
        words = np.array([[self.words.of_value(arg) for arg in args]], np.uint64).reshape(1, len(args))
        return EventRows(table, np.array([time], np.int64), words)

    def _records(self, rows: Rows) -> Iterator[DomainRecord]:
        symbol, term = self.symbols[rows.table], self.words.term
        for place, args in enumerate(rows.words.tolist()):
            columns = [term(word) for word in args]
            if isinstance(rows, EventRows):
                yield DomainRecord(record_of(symbol, columns), int(rows.time[place]))
            else:
                start, is_point = int(rows.start[place]), bool(rows.is_point[place])
                end = start + 1 if is_point else int(rows.end[place])
                record = record_of(symbol, columns, term(int(rows.value[place])))
                yield DomainRecord(record, start, math.inf if end == CORE_FOREVER else end, is_point)

    # Time

    def advance(self, query: int, *, is_last: bool = False) -> None:
        """Advance to a query time. After the last one only the answer is read, so less is kept."""
        if self._domains is not None:
            border = float("-inf") if self._window is None else query - self._window
            if self._domains.advance(query, border):
                self._fill()
        self.core.advance(query, self.threads, is_last)
        self._query = query

    def see_everything(self) -> None:
        """Removes the window: from now on rows of any time count. Rows and intervals that were cut or left out stay so."""
        self._window = None
        self.core.set_window(None, None)

    def set_window(self, size: int) -> None:
        """From the next query time on, only the last `size` time-points are visible; earlier ones never become visible
        again.
        """
        self._window = size
        self.core.set_window(size, None)

    def receive(self, data: bytes) -> None:
        """Add the results of an engine of an earlier stage, for the next query time."""
        self.core.receive(data)

    def deliveries_for(self, stage: int) -> list[tuple[int, bytes]]:
        """The results that engines of a later stage need for the last query time: their buckets, and bytes for each."""
        found: list[tuple[int, bytes]] = self.core.deliveries_for(stage)
        return found

    @property
    def query(self) -> int | None:
        """The last query time."""
        return self._query

    @property
    def lowered(self) -> Lowered:
        """The plan, with the data kept outside of it."""
        return self._program.lowered

    @property
    def background(self) -> dict[Predicate, list[BackgroundRule]]:
        """Background knowledge, including the facts that input put into domains."""
        return self._rules()

    @property
    def has_grown(self) -> bool:
        """Whether there are enough new terms since the last reclaim to make another one worthwhile."""
        found: bool = self.core.terms > 2 * self._terms + LEAST_NEW_TERMS
        return found

    def reclaim(self, keep: Sequence[WordArray]) -> None:
        """Drops unreferenced terms. Of the words in Python, only those in `keep` stay valid."""
        # Rows of conditions without a value contain words too; from here on they are terms.
        assert self._host.failures is not None
        self.core.reclaim_terms(np.concatenate([NO_WORDS, *keep]))
        self._terms = self.core.terms

    def _rules(self) -> dict[Predicate, list[BackgroundRule]]:
        """The background knowledge, including the facts that input put into domains."""
        facts = frozenset() if self._domains is None else self._domains.facts
        return self.plan.analysis.background.filled(facts).rules

    def _fill(self) -> None:
        """Continues with changed facts in domains."""
        self._host.replace_rules(self._rules())
        self.core.mark_all_dirty()

    def replan(self, plan: Plan) -> bool:
        """Continue with other background facts: all that is kept is re-evaluated, final results stay.

        False if they change more than answers, so that the state does not fit the plan.
        """
        program = encoded(plan)
        if plan_shape(program.lowered) != plan_shape(self._program.lowered):
            return False
        self.plan, self._program = plan, program
        if self._domains is not None:
            self._domains.analysis = plan.analysis
        self._host.replace(program.lowered.goals, program.sites, self._rules())
        self.core.replan(program.data)
        return True

    def take_rows_of(self, earlier: Sequence[Engine], tables: Sequence[int | None]) -> None:
        """Adds the rows that engines with other rules keep, besides those that were pushed, and nothing else of their
        state.
        """
        nothing = [False] * len(tables)
        for one in earlier:
            self.core.succeed(one.core, list(tables), nothing, [], None, False)
        self.core.resume(self.threads)

    def take_over_domains(self, earlier: Engine) -> None:
        """Continues at the query time of an engine with other rules, with the contents of its domains."""
        self._query = earlier._query
        if earlier._domains is not None:
            self._domains = earlier._domains
            self._domains.analysis = self.plan.analysis
            self._host.replace_rules(self._rules())

    # State

    def save(self, note: Term = NONE) -> bytes:
        """The state as bytes, for an engine with the same rules, background facts, window and start.

        It includes rows that have been pushed and not yet evaluated. `load` returns the `note`.
        """
        found: bytes = self.core.save(self.words.word(self._noted(note)))
        return found

    def load(self, state: bytes) -> Term:
        """Continue from a saved state, which replaces the present one; returns the note that was saved with it.

        Bytes that are no state, or none for this engine, are an error that says why. Then nothing has changed.
        """
        return self._restore(self.core.load, bytes(state), is_merge=False)

    def split(self, parts: int, note: Term = NONE) -> list[bytes]:
        """The state in parts, each with some of the keys. `merge` combines them again, in any order."""
        found: list[bytes] = self.core.split(parts, self.words.word(self._noted(note)))
        return found

    def merge(self, part: bytes) -> Term:
        """Take in a part of a state, or the state of an engine that has other keys; the note that was saved with it.

        The engine continues when it has all parts. A key that it already has is an error, and changes nothing.
        """
        return self._restore(self.core.merge, bytes(part), is_merge=True)

    def _noted(self, note: Term) -> Term:
        query = number_note(self._query)
        domains = NONE if self._domains is None else self._domains.noted()
        return Compound("engine", (query, number_note(self._conflicts), domains, note))

    def _restore(self, restore: Callable[[Any], int], state: Any, *, is_merge: bool) -> Term:
        try:
            word = restore(state)
        except ValueError as reason:
            raise HoldsforError(str(reason)) from None
        noted = self.words.term(word)
        if isinstance(noted, Var):
            # The first part contains the note of the whole.
            return NONE
        query, conflicts, domains, note = read_parts(noted, "engine", 4)
        self._query = read_integer_or_none(query)
        self._conflicts = read_integer(conflicts) + (self._conflicts if is_merge else 0)
        if (domains == NONE) != (self._domains is None):
            raise damaged()
        if self._domains is not None:
            self._domains.load_note(domains, is_merge=is_merge)
            self._fill()
        return note

    @property
    def late(self) -> int:
        """The number of rows that arrived when their time-point had left the window."""
        found: int = self.core.late
        return found

    @property
    def unmatched(self) -> int:
        """The number of retractions of unknown rows."""
        found: int = self.core.unmatched
        return found

    @property
    def keys(self) -> int:
        """The number of keys."""
        found: int = self.core.keys
        return found

    @property
    def kept_rows(self) -> int:
        """The number of input rows that are kept."""
        found: int = self.core.rows
        return found

    @property
    def failures(self) -> Failures:
        """Conditions that failed because an expression in them has no value."""
        return self._host.failures

    # Answers

    def _width(self, table: int) -> int:
        return self._program.lowered.plan.tables[table].columns

    def changes(self, most_causes: int) -> Any:
        """The changes since the last call, each with a maximal number of causes, the latest."""
        return self.core.changes(most_causes)

    def answer(self, vocabulary: Vocabulary) -> Answer:
        """The answer for the window of the last query time."""
        assert self._query is not None
        fluents: dict[Symbol, Intervals] = {}
        events: dict[Symbol, Events] = {}
        # In the order of the program, which users know; the tables of a plan have another order.
        tables = self._program.lowered.plan.tables
        for symbol, entity in self.plan.analysis.entities.table.items():
            number, role = self.tables[symbol], entity.role
            if tables[number].is_hidden:
                continue
            if role is Role.DERIVED_EVENT:
                time, words = self.core.answers(number, self.threads)
                args = tuple(map(Codes, vocabulary.columns(words, self._width(number))))
                events[symbol] = Events(args, time)
            elif symbol.kind is EntityKind.FLUENT and role is not Role.INPUT_FLUENT:
                start, end, value, words = self.core.answers(number, self.threads)
                columns = tuple(vocabulary.columns(words, self._width(number)))
                np.maximum(start, -FOREVER, out=start)
                np.minimum(end, FOREVER, out=end)
                is_simple = role is Role.SIMPLE_FLUENT
                fluents[symbol] = Intervals(columns, vocabulary.codes(value), start, end, is_simple)
        conflicts = self.core.conflicts()
        new, self._conflicts = conflicts - self._conflicts, conflicts
        return Answer(self._query, fluents, events, new)


def available_threads() -> int:
    """The number of processors available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
