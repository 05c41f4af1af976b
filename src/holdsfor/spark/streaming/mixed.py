"""Streams of programs with metric rules, which the engine does not run yet: everything from scratch, in one bucket.

At every query time the whole window is evaluated by the evaluators of `holdsfor.engine`. This file goes when metric rules
run on the core. No other stream uses it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.engine import saved
from holdsfor.engine.answer import Answer
from holdsfor.engine.changelog import SHOWN, compare
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.evaluation import Evaluation
from holdsfor.engine.expressions import codes_of
from holdsfor.engine.report import Texts, event_table, interval_table
from holdsfor.engine.retractions import Arrived, has_rows, take_back
from holdsfor.engine.state import State
from holdsfor.engine.stream import Stream
from holdsfor.engine.tables import FOREVER, Events, Intervals
from holdsfor.io.builder import Builder
from holdsfor.spark.job import Job, StageSpec, prepared
from holdsfor.spark.rows import by_tag, piece_of, whole_column
from holdsfor.spark.steps import advance
from holdsfor.spark.streaming.happenings import HAPPENED, compare_events
from holdsfor.spark.streaming.results import UNMATCHED, Results, without_causes, without_value
from holdsfor.spark.streaming.rows import BACK, kept_schema
from holdsfor.spark.streaming.state import BucketState, Place
from holdsfor.spark.streaming.store import packed, unpacked
from holdsfor.spark.streaming.turns import Turn
from holdsfor.spark.wire import table_of
from holdsfor.spreading.stages import Delivery, Stage, StagePlan, stage_plan

_NOTHING = pa.schema([(name, SHOWN.field(name).type) for name in SHOWN.names[:-1]]).empty_table()


def mixed_stages(plan: Plan) -> StagePlan:
    """All strata in one stage with one bucket."""
    stages = stage_plan(plan, tied=False).stages
    inputs = {one.symbol for stage in stages for one in stage.deliveries if one.is_input}
    whole = Stage(
        1,
        tuple(stratum for stage in stages for stratum in stage.strata),
        tuple((symbol, ()) for stage in stages for symbol, _ in stage.members),
        tuple(Delivery(symbol, ((),), None, is_input=True) for symbol in sorted(inputs)),
        (),
    )
    return StagePlan(plan, (whole,), "metric rules: in a stream, all work is done in one bucket")


@dataclass
class MixedBucket:
    """The work on the only bucket."""

    job: Job
    spec: StageSpec
    turn: Turn
    bucket: int
    state: BucketState
    arrived: Sequence[pa.Table]
    results: Results = field(default_factory=Results)
    conflicts: int = 0

    def __post_init__(self) -> None:
        self._prepared = prepared(self.job, self.spec)
        self._texts = Texts(self._prepared.dictionary)
        waiting = self.state.load_rest(None)
        if waiting is None:
            self._known = State.beginning(self.turn.origin)
            self._shown, self._happened = SHOWN.empty_table(), HAPPENED.empty_table()
        else:
            table, self._shown, self._happened = unpacked(self.state.content("rest"))
            self._known = saved.from_table(table, self._prepared)
        none = kept_schema(self.job.wire, retracting=self.turn.retracting).empty_table()
        table = pa.concat_tables([none, *([] if waiting is None else [waiting]), *self.arrived])
        is_due = pc.less_equal(table["arrival"], self.turn.until)
        self._rest, self._due = table.filter(pc.invert(is_due)), table.filter(is_due)

    # Query times

    def sent(self, deliveries: Mapping[int, Sequence[bytes]]) -> Iterator[tuple[int, int, int, bytes]]:
        """Ask every query time; there are no other stages to send anything to."""
        del deliveries
        windows = self.turn.windows
        for query, arrived in self._queries():
            size, step = windows.size, windows.step
            found, self._known = advance(
                self._prepared, self._known, arrived, query, size=size, step=step, given=(), owns=None
            )
            self.conflicts += found.conflicts
            self._report(found)
        yield from ()

    def _queries(self) -> Iterator[tuple[int, Stream]]:
        """Query times, and what arrived for each."""
        dictionary, windows = self._prepared.dictionary, self.turn.windows
        flag = np.zeros(len(self._due), np.int8)
        if self.turn.retracting:
            flag = self._due["retracted"].fill_null(0).to_numpy()
        plain = self._columns(self._due.filter(pa.array(flag == 0)), dictionary)
        back = self._columns(self._due.filter(pa.array(flag > 0)), dictionary)
        for query in range(self.turn.before + windows.step, self.turn.until + 1, windows.step):
            after = max(query - windows.step, query - windows.size)
            arrived, lost = plain.part(after, query), back.part(after, query)
            if not has_rows(lost.stream):
                yield query, arrived.stream
                continue
            low = query - windows.size
            self._known, stream, unmatched = take_back(self._known, arrived, lost, low, dictionary)
            if has_rows(unmatched):
                self.results.unmatched.append(_unmatched_rows(unmatched, query, self._texts))
            yield query, stream

    def _columns(self, table: pa.Table, dictionary: Dictionary) -> Arrived:
        builder, made = Builder(), Arrived()
        batch: dict[Symbol, list[Any]] = {}
        flags: dict[Symbol, list[Any]] = {}
        numbers = table["tag"].to_numpy()
        for number in np.unique(numbers).tolist():
            rows = table.filter(pa.array(numbers == number))
            for tag, columns in by_tag(rows, self.spec):
                builder.add(piece_of(tag, columns))
                batch.setdefault(tag.symbol, []).append(rows["batch"].to_numpy())
                marks = rows["retracted"].fill_null(0).to_numpy() if self.turn.retracting else np.zeros(len(rows))
                flags.setdefault(tag.symbol, []).append(marks == BACK)
        made.stream = builder.finish(dictionary).stream
        made.batch = {symbol: np.concatenate(parts) for symbol, parts in batch.items()}
        made.is_first = {symbol: np.concatenate(parts) for symbol, parts in flags.items()}
        return made

    # What is found

    def _report(self, evaluation: Evaluation) -> None:
        moment = evaluation.moment
        found = [self._found(symbol, table) for symbol, table in self._in_sight(evaluation) if len(table)]
        before = moment.now - self.turn.windows.step
        changes, self._shown = compare(
            self._shown, pa.concat_tables([_NOTHING, *found]), moment.now, moment.low, before
        )
        self.results.changes.append(without_causes(changes))
        if self.job.derived_events:
            happened = pa.concat_tables([HAPPENED.empty_table(), *self._derived(evaluation)])
            self.results.events.append(compare_events(self._happened, happened, moment.now, moment.low))
            self._happened = happened

    def _derived(self, evaluation: Evaluation) -> Iterator[pa.Table]:
        """The derived events that the window sees."""
        for symbol in self.spec.members:
            if symbol.kind is EntityKind.EVENT:
                events = evaluation.derived[symbol]
                rows = np.flatnonzero(events.time > evaluation.moment.low)
                args = [codes_of(column, self._prepared.dictionary)[rows] for column in events.args]
                yield pa.table(
                    [self._texts.terms(symbol, args, len(rows)), pa.array(events.time[rows])], schema=HAPPENED
                )

    def _in_sight(self, evaluation: Evaluation) -> Iterator[tuple[Symbol, Intervals]]:
        """Intervals, with those that ended since the border: they may have been shown as open."""
        after = min(evaluation.moment.low + 1, evaluation.moment.border)
        for symbol in self.spec.members:
            wanted = self.job.fluents is None or symbol.name in self.job.fluents
            if symbol.kind is not EntityKind.EVENT and wanted:
                table = evaluation.fluents[symbol]
                yield symbol, table.take(np.flatnonzero(table.end > after))

    def _found(self, symbol: Symbol, table: Intervals) -> pa.Table:
        """Intervals as text."""
        columns = {
            "fluent": self._texts.terms(symbol, table.args, len(table)),
            "value": self._texts.values(table.value),
            "start": pa.array(table.start, mask=table.start <= -FOREVER),
            "end": pa.array(table.end, mask=table.end >= FOREVER),
        }
        return pa.table(columns)

    def save(self) -> Place:
        """Write the state; where it is. Something may happen at any query time."""
        table = saved.to_table(self._known, self._prepared)
        data = packed([table, self._shown, self._happened], "zstd").to_pybytes()
        place = self.state.write(self.turn.batch, self._rest, {"rest": data}, wake=self.turn.until)
        sizes = {"rows": len(table) + len(self._rest), "shown": len(self._shown)}
        return replace(place, sizes={**place.sizes, **sizes})

    def counted(self) -> dict[str, Any]:
        """What is reported beside changes."""
        failures = self._prepared.dictionary.failures
        return {**without_value(failures, self._prepared.plan), "conflicts": self.conflicts}


def _unmatched_rows(stream: Stream, query: int, texts: Texts) -> pa.Table:
    """Retractions that found nothing, as text."""
    events = {s: Events(table.columns, table.time) for s, table in stream.events.items()}
    fluents = {
        symbol: Intervals(table.args, table.value, table.start, table.end, single_valued=False)
        for symbol, table in stream.fluents.items()
    }
    answer = Answer(query, fluents, events, 0)
    happened, held = event_table(answer, texts), interval_table(answer, texts)
    named = happened.rename_columns({"event": "what", "time": "start"})
    found = [table_of(UNMATCHED, len(named), {name: whole_column(named[name]) for name in named.column_names})]
    found.append(held.rename_columns({"fluent": "what"}).select(UNMATCHED.names).cast(UNMATCHED))
    return pa.concat_tables(found)
