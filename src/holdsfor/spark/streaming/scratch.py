"""One stage of a micro-batch on one bucket, from scratch: its whole state is read, worked on and written again.

For programs with metric rules, and for windows that do not overlap. All others are worked out by what changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.engine import saved
from holdsfor.engine.changelog import SHOWN, compare
from holdsfor.engine.evaluation import Evaluation
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.retractions import has_rows, take_back
from holdsfor.engine.state import NEVER, State
from holdsfor.engine.stream import Stream
from holdsfor.engine.tables import FOREVER, Intervals
from holdsfor.spark.given import GivenTable
from holdsfor.spark.job import Job, StageSpec, prepared
from holdsfor.spark.output import Output, Owner, Share
from holdsfor.spark.steps import advance
from holdsfor.spark.streaming.arrivals import Arrivals, by_tag, unmatched_rows
from holdsfor.spark.streaming.happenings import HAPPENED, compare_events
from holdsfor.spark.streaming.results import Results, without_causes, without_value
from holdsfor.spark.streaming.store import Store, new_attempt, packed, state_file, unpacked
from holdsfor.spark.streaming.turns import Turn

_NOTHING = pa.schema([(name, SHOWN.field(name).type) for name in SHOWN.names[:-1]]).empty_table()


class ScratchBucket:
    """The work on one bucket of a stage."""

    def __init__(self, job: Job, spec: StageSpec, store: Store, turn: Turn, bucket: int) -> None:
        self._job, self._spec, self._store, self._turn, self._bucket = job, spec, store, turn, bucket
        self._prepared: Prepared = prepared(job, spec)
        self._conflicts = 0
        self._results = Results()
        self._owner = Owner(job, spec, bucket, self._prepared.dictionary)
        self._out = Output(job, spec, bucket)
        self._out._owner = self._owner
        rest = None
        if turn.states is None:
            self._state, self._shown = State.beginning(turn.origin), SHOWN.empty_table()
            self._happened = HAPPENED.empty_table()
        else:
            attempt = turn.attempt(spec.number, bucket)
            file = unpacked(store.read_sealed(state_file(turn.states, spec.number, bucket, attempt)))
            self._state, self._shown = saved.from_table(file[0], self._prepared), file[1]
            rest, self._happened = file[2], file[3]
        self._arrivals = Arrivals(job, spec, turn, rest, store, bucket)

    # Query times

    def sent(self, given: pa.Table) -> Iterator[pa.Table]:
        """Ask every query time; what later stages need to know."""
        dictionary = self._prepared.dictionary
        tables = [GivenTable.of(tag, rows, dictionary) for tag, rows in by_tag(self._spec, given)]
        windows = self._turn.windows
        for query, arrived in self._queries():
            given = [table.at(query) for table in tables]
            size, step = windows.size, windows.step
            evaluation, self._state = advance(
                self._prepared, self._state, arrived, query, size=size, step=step, given=given, owns=self._owner.owns
            )
            self._conflicts += evaluation.conflicts
            self._report(evaluation)
            share = Share(query, evaluation.moment.low, int(FOREVER))
            for way in self._spec.exits:
                yield from (pa.Table.from_batches([batch]) for batch in self._out.leaving(way, evaluation, share))

    def _queries(self) -> Iterator[tuple[int, Stream]]:
        """Query times, and what arrived for each."""
        dictionary = self._prepared.dictionary
        step = self._turn.windows.step
        for query, arrived, lost in self._arrivals.queries(dictionary):
            if NEVER != self._state.query < query - step:
                # Query times that were left out would have found what is known, and nothing else.
                self._state = replace(self._state, query=query - step)
            if not has_rows(lost.stream):
                yield query, arrived.stream
                continue
            low = query - self._turn.windows.size
            self._state, stream, unmatched = take_back(self._state, arrived, lost, low, dictionary)
            if has_rows(unmatched):
                self._results.unmatched.append(unmatched_rows(unmatched, query, self._owner.texts))
            yield query, stream

    # What is found

    def _report(self, evaluation: Evaluation) -> None:
        moment = evaluation.moment
        found = [_found(s, table, self._owner) for s, table in self._in_sight(evaluation) if len(table)]
        table = pa.concat_tables([_NOTHING, *found])
        before = moment.now - self._turn.windows.step
        changes, self._shown = compare(self._shown, table, moment.now, moment.low, before)
        self._results.changes.append(without_causes(changes))
        if self._job.derived_events:
            happened = pa.concat_tables([HAPPENED.empty_table(), *self._derived(evaluation)])
            self._results.events.append(compare_events(self._happened, happened, moment.now, moment.low))
            self._happened = happened

    def _derived(self, evaluation: Evaluation) -> Iterator[pa.Table]:
        """The derived events of this bucket that the window sees."""
        for symbol in self._spec.members:
            if symbol.kind is EntityKind.EVENT:
                events = evaluation.derived[symbol]
                args = [codes_of(column, self._prepared.dictionary) for column in events.args]
                owned = self._owner.owns(symbol, args, len(events))
                rows = np.flatnonzero((events.time > evaluation.moment.low) & owned)
                terms = self._owner.texts.terms(symbol, [column[rows] for column in args], len(rows))
                yield pa.table([terms, pa.array(events.time[rows])], schema=HAPPENED)

    def _in_sight(self, evaluation: Evaluation) -> Iterator[tuple[Symbol, Intervals]]:
        """The intervals of this bucket, with those that ended since the border: they may have been shown as open."""
        after = min(evaluation.moment.low + 1, evaluation.moment.border)
        for symbol in self._spec.members:
            wanted = self._job.fluents is None or symbol.name in self._job.fluents
            if symbol.kind is not EntityKind.EVENT and wanted:
                table = evaluation.fluents[symbol]
                owned = self._owner.owns(symbol, list(table.args), len(table))
                yield symbol, table.take(np.flatnonzero((table.end > after) & owned))

    def finish(self) -> dict[str, Any]:
        """Write everything, and say what there is."""
        place = f"{self._spec.number}-{self._bucket}"
        counted = self._results.write(self._store, self._turn.batch, place, self._job.time_scale)
        state = saved.to_table(self._state, self._prepared)
        data = packed([state, self._shown, self._arrivals.rest, self._happened], "zstd")
        attempt = new_attempt()
        self._store.write_sealed(state_file(self._turn.batch, self._spec.number, self._bucket, attempt), data)
        return {
            **counted,
            **without_value(self._prepared),
            "conflicts": self._conflicts,
            "intervals": len(self._shown),
            "state_rows": len(state) + len(self._arrivals.rest),
            "state_bytes": data.size,
            "files": [self._turn.batch],
            "attempt": attempt,
        }


def _found(symbol: Symbol, table: Intervals, owner: Owner) -> pa.Table:
    """Intervals as text."""
    columns = {
        "fluent": owner.texts.terms(symbol, table.args, len(table)),
        "value": owner.texts.values(table.value),
        "start": pa.array(table.start, mask=table.start <= -FOREVER),
        "end": pa.array(table.end, mask=table.end >= FOREVER),
    }
    return pa.table(columns)
