"""Evaluates one bucket of a stage of a stream: reads state and rows, evaluates query times, returns changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Ints
from holdsfor.columns.report import Texts as ColumnTexts
from holdsfor.columns.report import ground_term
from holdsfor.core.engine import Share
from holdsfor.core.program import received
from holdsfor.core.rows import EventRows, Rows
from holdsfor.core.shares import Lost, ShareEngine
from holdsfor.core.vocabulary import Vocabulary
from holdsfor.diagnostics import HoldsforError
from holdsfor.session.changes import MOST_CAUSES, Changes
from holdsfor.session.texts import Texts
from holdsfor.spark.job import Job, StageSpec
from holdsfor.spark.rows import by_tag, engine_rows
from holdsfor.spark.streaming.evaluation import Evaluation
from holdsfor.spark.streaming.regrouping import OldBucket, Regrouping
from holdsfor.spark.streaming.results import CAUSED, UNMATCHED, Results, happened, without_value
from holdsfor.spark.streaming.rows import BACK, BACK_COPY, ROW, kept_schema
from holdsfor.spark.streaming.state import BucketState
from holdsfor.syntax.printer import print_term

MOST_QUERIES = 1_000_000
"""The most query times evaluated in one batch, unless it has nearly as many rows."""


@dataclass
class _Group:
    """Rows of one table from one batch: inserted, retracted, or copies of retractions in other buckets.

    They are ordered by `queries`, the indices of the query times that see them first.
    """

    rows: Rows
    queries: Ints
    mark: int

    def at(self, place: int) -> Rows | None:
        """The rows that a query time sees first."""
        first, last = np.searchsorted(self.queries, (place, place + 1)).tolist()
        return self.rows.take(slice(first, last)) if last > first else None


@dataclass
class EngineBucket:
    """The evaluation of one bucket of a stage. `arrived` are rows with the numbers of their batches."""

    job: Job
    spec: StageSpec
    evaluation: Evaluation
    bucket: int
    state: BucketState
    arrived: Sequence[pa.Table]
    old: Sequence[OldBucket] = ()
    """The old buckets, if their number was different."""
    results: Results = field(default_factory=Results)

    def __post_init__(self) -> None:
        plan, program = received(self.job.program)
        share = Share(self.spec.number - 1, self.bucket, self.job.buckets, self.job.sides)
        size, fluents = self.evaluation.windows.size, self.job.fluents
        origin, events = self.evaluation.origin, self.job.derived_events
        self._engine = ShareEngine(plan, program, share, size, fluents, origin=origin, events=events)
        self._texts = Texts(self._engine.words, self._engine.symbols)
        if self.old:
            regrouping = Regrouping(self.job, self.spec, self._engine, self.bucket, len(self.old))
            known = regrouping.inherited(self.old)
        else:
            waiting = self.state.load_rest(self._engine)
            known = [] if waiting is None else [waiting]
        self._unreported_swap = self.evaluation.unreported_swap
        if self._unreported_swap is not None:
            self.state.load_all(self._engine)
        is_other = self.state.plan is None or self.state.plan != self._engine.identity
        self._is_anew = is_other or self._unreported_swap is not None
        self._take_in([*known, *self.arrived])
        self._evaluated = self._engine.core.evaluated
        self._conflicts = self._engine.core.conflicts()
        self._counted: list[range] = []
        """Numbers of the retractions that this bucket reports."""

    # Rows

    def _take_in(self, tables: Sequence[pa.Table]) -> None:
        table = pa.concat_tables(tables) if tables else None
        self._groups: list[_Group] = []
        self._rest = table
        if table is None:
            return
        is_due = pc.less_equal(table["arrival"], self.evaluation.until)
        self._rest = table.filter(pc.invert(is_due))
        due = table if not len(self._rest) else table.filter(is_due)
        if not len(due):
            return
        batch = due["batch"].to_numpy()
        marks = (
            due["retracted"].fill_null(ROW).to_numpy() if self.evaluation.retracting else np.zeros(len(due), np.int8)
        )
        vocabulary = Vocabulary(Dictionary(), self._engine.words)
        for number in np.unique(batch).tolist():
            # Within a batch, a retraction wins over the same row.
            for mark in (ROW, BACK, BACK_COPY):
                chosen = (batch == number) & (marks == mark)
                if chosen.any():
                    mine = due if chosen.all() else due.filter(pa.array(chosen))
                    for rows, arrival in engine_rows(self._engine, by_tag(mine, self.spec), vocabulary):
                        self._add(rows, arrival, mark)

    def _add(self, rows: Rows, arrival: Ints, mark: int) -> None:
        windows = self.evaluation.windows
        queries = np.maximum(0, -((self.evaluation.before + windows.step - arrival) // windows.step))
        if len(queries) > 1 and (queries[1:] < queries[:-1]).any():
            order = np.argsort(queries, kind="stable")
            rows, queries = rows.take(order), queries[order]
        self._groups.append(_Group(rows, queries, mark))

    def _push(self, place: int) -> None:
        known = self._engine.query
        for group in self._groups:
            rows = group.at(place)
            if rows is None:
                continue
            if group.mark != ROW:
                first = self._engine.retract(rows)
                if group.mark == BACK:
                    self._counted.append(range(first, first + len(rows)))
                continue
            begin = rows.time if isinstance(rows, EventRows) else rows.start
            is_late = begin <= known if known is not None else np.zeros(len(rows), np.bool_)
            # Only late rows can be causes of interest.
            for is_cause in (False, True):
                some = is_late == is_cause
                if some.all():
                    self._engine.push(rows, is_cause=is_cause)
                elif some.any():
                    self._engine.push(rows.take(np.flatnonzero(some)), is_cause=is_cause)

    # Query times

    def sent(self, deliveries: Mapping[int, Sequence[bytes]]) -> Iterator[tuple[int, int, int, bytes]]:
        """Evaluates all query times at which something is due; returns stage, bucket, query time and bytes for other
        buckets.
        """
        engine, state, evaluation = self._engine, self.state, self.evaluation
        step, first = evaluation.windows.step, evaluation.before + evaluation.windows.step
        with_rows = np.unique(np.concatenate([np.array([], np.int64), *(group.queries for group in self._groups)]))
        wanted = sorted({*with_rows.tolist(), *((query - first) // step for query in deliveries)})
        place = last = (evaluation.until - first) // step
        next_wanted, evaluated = 0, 0
        place = -1
        while True:
            after = place + 1
            while next_wanted < len(wanted) and wanted[next_wanted] < after:
                next_wanted += 1
            place = after if self._is_anew or engine.asks_always else last + 1
            if next_wanted < len(wanted):
                place = min(place, wanted[next_wanted])
            wake = min(engine.next_wake, state.wake)
            place = min(place, max(after, -((first - wake) // step)))
            if place > last:
                return
            evaluated, self._is_anew = evaluated + 1, False
            self._require_few(evaluated)
            query = first + place * step
            if engine.query is not None and engine.query < query - step:
                # Nothing happens until then, but rows that arrive now arrive after that query time.
                engine.advance(query - step)
                self._report(query - step)
            state.load_due(engine, query)
            self._push(place)
            for data in deliveries.get(query, ()):
                engine.receive(data)
            state.load_reached(engine, query)
            engine.advance(query)
            # Their causes are those of changes that have not been read yet.
            sent = list(self._deliveries(query))
            self._report(query)
            yield from sent

    def _require_few(self, evaluated: int) -> None:
        """Reports an error if there are far more query times than rows, which would take very long."""
        rows = sum(len(group.rows) for group in self._groups)
        if evaluated > MOST_QUERIES and evaluated > MOST_QUERIES // 1000 * rows:
            raise HoldsforError(
                f"more than {MOST_QUERIES:,} query times from {self.evaluation.before} to {self.evaluation.until} would "
                f"have to be evaluated for {rows:,} rows, and these rules have something to say at each: a time that is far from the "
                "others is set aside with --max-ahead (max_ahead), and --start (start) sets the beginning of the stream"
            )

    def _report(self, query: int) -> None:
        """Reads the changes. Inputs are dropped together with the changes that they caused."""
        engine = self._engine
        lost = [one for one in engine.lost() if any(one.number in known for known in self._counted)]
        self._counted = []
        if lost:
            self.results.unmatched.append(_unmatched(lost, query))
        found = engine.changes(MOST_CAUSES)
        if len(found):
            table = Changes(found, query, self._texts, 1, self.job.time_scale).to_arrow(points=True)
            table = table.cast(CAUSED)
            self.results.changes.append(
                table if self._unreported_swap is None else self._unreported_swap.named_in(table)
            )
        self._unreported_swap = None
        if self.job.derived_events:
            dictionary = Dictionary()
            texts = ColumnTexts(dictionary)
            for symbol, removed, time, args in engine.event_changes(Vocabulary(dictionary, engine.words)):
                terms = texts.terms(symbol, args, len(time))
                self.results.events.append(happened(terms, time, removed > 0, query))
        if engine.has_grown:
            self._texts.forget()
            engine.reclaim([column for group in self._groups for column in _words(group.rows)])

    def _deliveries(self, query: int) -> Iterator[tuple[int, int, int, bytes]]:
        """The messages for engines of later stages at a query time."""
        for stage in range(self.spec.number, self.job.last):
            for bucket, data in self._engine.deliveries_for(stage):
                yield stage + 1, bucket, query, data

    # State and counts

    def save(self) -> dict[str, Any]:
        """Writes the state; returns the note for the driver."""
        none = kept_schema(self.job.wire, retracting=self.evaluation.retracting).empty_table()
        return self.state.save(self._engine, self.evaluation.batch, none if self._rest is None else self._rest)

    def counted(self) -> dict[str, Any]:
        """The reported counts."""
        engine = self._engine
        return {
            **without_value(engine.failures, engine.plan),
            "conflicts": engine.core.conflicts() - self._conflicts,
            "keys_worked": engine.core.evaluated - self._evaluated,
        }


def _words(rows: Rows) -> Iterator[Any]:
    yield rows.words.reshape(-1)
    if not isinstance(rows, EventRows):
        yield rows.value


def _unmatched(lost: Sequence[Lost], query: int) -> pa.Table:
    """Retractions without a matching row, as text."""
    rows = [
        {
            "query_time": query,
            "what": print_term(ground_term(one.symbol, list(one.args))),
            "value": None if one.value is None else print_term(one.value),
            "start": one.start,
            "end": one.end,
        }
        for one in lost
    ]
    return pa.Table.from_pylist(rows, schema=UNMATCHED)
