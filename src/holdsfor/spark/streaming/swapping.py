"""Continues a stream with edited rules: computes the states of the buckets of the new rules from those of the earlier ones.

The driver does this at the beginning of the first batch with the new rules. It merges the states of all buckets, one engine for each stage,
and a whole engine with the new rules takes over from them. The new state is divided among the buckets of the new plan and belongs
to the batch: a batch that is repeated does it again, and the earlier states stay until the batch is committed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.report import Texts as ColumnTexts
from holdsfor.compiler.analysis.entities import EntityKind
from holdsfor.core.engine import Engine, Share
from holdsfor.core.program import received
from holdsfor.core.rows import Rows
from holdsfor.core.shares import ShareEngine, identity_of
from holdsfor.core.succession import Position, require_same_domains
from holdsfor.core.vocabulary import Vocabulary
from holdsfor.diagnostics import HoldsforError
from holdsfor.physical.buckets import grid_sides
from holdsfor.physical.exactness import SwapPlan
from holdsfor.physical.model import FOREVER, Role
from holdsfor.session.changes import MOST_CAUSES, Changes
from holdsfor.session.swapping import Swap
from holdsfor.session.texts import Texts
from holdsfor.spark.job import Job, StageSpec
from holdsfor.spark.rows import by_tag, engine_rows, whole_column
from holdsfor.spark.streaming.clock import Clock, Windows
from holdsfor.spark.streaming.commits import Commit
from holdsfor.spark.streaming.regrouping import OldBucket
from holdsfor.spark.streaming.results import CAUSED, EVENT_CHANGES, happened
from holdsfor.spark.streaming.state import ALL, Place
from holdsfor.spark.streaming.unreported_swap import UnreportedSwap
from holdsfor.spark.streaming.waiting import WaitingRows, homes
from holdsfor.times import TimeScale


class States(Protocol):
    """The storage of the states of a stream, for any form."""

    def earlier(self, stage: int, bucket: int) -> OldBucket:
        """A bucket of the earlier rules: its state, and the rows that have arrived since."""

    def save(self, stage: int, bucket: int, engine: ShareEngine, rows: pa.Table) -> Place:
        """Saves the state of a bucket of the new rules, with rows that no query time has seen yet."""


class Swapped(NamedTuple):
    """A stream that continues with other rules: its last commit, as if the new rules had made it, and rows for its
    changelogs.

    `changes` retract intervals of fluents that no rule defines any more. The first query time reports the other
    differences of intervals. `events` are the differences of derived events.
    """

    commit: Commit
    changes: pa.Table
    events: pa.Table


@dataclass(frozen=True)
class RuleSwap:
    """Edited rules for a stream. `earlier` is the job of the rules that made the checkpoint, `rules` their fingerprint."""

    earlier: Job
    now: Job
    rules: str
    windows: Windows
    retracting: bool
    history: pa.Table | None = None
    """All rows from the beginning, on their way to one bucket of `now`: a backfill. Perhaps none, for the plan."""

    def is_due(self, commit: Commit, rules: str) -> bool:
        """Whether a commit is one of the earlier rules, and the new ones have the fingerprint `rules`."""
        if commit.link is None or commit.settings["rules"] != self.rules:
            return False
        made_with = {place.plan for place in commit.places.values()}
        return _identity(self.now) not in made_with if made_with else rules != self.rules

    def require_possible(self, commit: Commit) -> None:
        """Reports a checkpoint whose rules cannot be changed."""
        require_same_domains(received(self.earlier.program)[0], received(self.now.program)[0])
        if any(place.plan != _identity(self.earlier) for place in commit.places.values()):
            raise HoldsforError(
                "the rules given with swap (--swap) are those of the checkpoint, but not its background facts: give the "
                "facts that the stream had last, too"
            )
        if commit.unreported_swap is not None:
            raise HoldsforError(
                "the rules of this stream have just been changed, and no query time was evaluated since: go on with them "
                "until one is, and change them again then"
            )

    def plan(self, commit: Commit) -> SwapPlan:
        """Which answers are exact at once, which later, and which need a backfill."""
        plan, program = received(self.earlier.program)
        earlier = Engine(plan, self.windows.size, threads=1, changes=True, program=program)
        return self._swap(earlier, (), commit.clock).plan

    def _swap(self, earlier: Engine, others: Sequence[Engine], clock: Clock) -> Swap:
        plan, program = received(self.now.program)
        size, origin = self.windows.size, clock.origin(self.windows) if clock.start is not None else None
        now = Engine(plan, size, origin=origin, changes=True, program=program, like=earlier)
        at = position(clock, self.windows, earlier.lowered.plan.settle)
        return Swap(earlier, now, 1, is_filled=self.history is not None, at=at, others=others)

    # The swap

    def carry_out(self, before: Commit, settings: Mapping[str, Any], states: States) -> Swapped:
        """Computes the new states."""
        self.require_possible(before)
        earlier = replace(
            self.earlier, buckets=before.settings["buckets"], sides=_sides(self.earlier, before.settings["buckets"])
        )
        waiting = WaitingRows(earlier, self.now, self.retracting)
        engines: list[ShareEngine] = []
        for stage in earlier.stages:
            engines.append(self._merged(earlier, stage, before.clock, engines[:1]))
            for bucket in range(earlier.buckets):
                old = states.earlier(stage.number, bucket)
                rows = old.state.load_rest(engines[-1])
                old.state.load_all(engines[-1])
                waiting.take(stage, bucket, [*([] if rows is None else [rows]), *old.arrived])
            if before.places:
                assert before.clock.query is not None
                # Nothing has happened since, but an engine that has been loaded begins only now.
                engines[-1].advance(before.clock.query)
                engines[-1].changes(MOST_CAUSES)
        swap, whole = self._swap(engines[0], engines[1:], before.clock), None
        gone, events = CAUSED.empty_table(), EVENT_CHANGES.empty_table()
        if before.places:
            events, gone = _happened(engines), self._retired(engines, swap, before.clock)
            swap.carry_out(self._backfill(swap, before.clock))
            whole = swap.now.save()
            events = self._event_changes(events, _happened([swap.now]), before.clock)
        places: dict[str, Place] = {}
        for stage in self.now.stages:
            pieces = [] if whole is None else self._of_stage(stage, whole)
            for bucket, rows in enumerate(waiting.given(stage)):
                engine = self._engine(self.now, stage, bucket, before.clock)
                for piece in pieces:
                    engine.load_share([piece])
                places[f"{stage.number}-{bucket}"] = states.save(stage.number, bucket, engine, rows)
        # Before the first query time there are no differences, but every bucket is evaluated then.
        causes = _causes(swap, self.now.time_scale) if before.places else {}
        unreported_swap = UnreportedSwap(before.clock.query or 0, causes)
        commit = replace(before, settings=settings, places=places, rows={}, unreported_swap=unreported_swap)
        return Swapped(commit, gone, events)

    def _backfill(self, swap: Swap, clock: Clock) -> tuple[Engine, list[Rows]] | None:
        """An engine for earlier rows, and those of them that the last query time has seen."""
        if self.history is None:
            return None
        assert clock.query is not None and clock.start is not None
        moment = self.history["arrival"]
        is_seen = pc.and_(pc.greater(moment, clock.start), pc.less_equal(moment, clock.query))
        rows, filler = self.history.filter(is_seen), swap.filler()
        vocabulary, found, home = Vocabulary(Dictionary(), filler.words), list[Rows](), homes(self.now)
        for stage in self.now.stages:
            mine = [(tag, some) for tag, some in by_tag(rows, stage) if home[tag.symbol] == stage.number]
            found += [some for some, _ in engine_rows(filler, mine, vocabulary)]
        return filler, found

    def _merged(self, job: Job, stage: StageSpec, clock: Clock, like: Sequence[Engine]) -> ShareEngine:
        """An engine for all keys of a stage."""
        return self._engine(_in_one(job), stage, 0, clock, like[0] if like else None)

    def _engine(self, job: Job, stage: StageSpec, bucket: int, clock: Clock, like: Engine | None = None) -> ShareEngine:
        plan, program = received(job.program)
        share = Share(stage.number - 1, bucket, job.buckets, job.sides)
        origin = clock.origin(self.windows) if clock.start is not None else None
        return ShareEngine(plan, program, share, self.windows.size, job.fluents, origin=origin, like=like)

    def _retired(self, engines: Sequence[ShareEngine], swap: Swap, clock: Clock) -> pa.Table:
        """The retractions of what no rule defines any more."""
        assert clock.query is not None
        found = []
        for engine in engines:
            engine.core.retire(swap.gone)
            texts = Texts(engine.words, engine.symbols)
            changes = Changes(
                engine.changes(MOST_CAUSES), clock.query, texts, 1, self.now.time_scale, cause_of=swap.cause
            )
            found.append(changes.to_arrow(points=True).cast(CAUSED))
        table = pa.concat_tables(found)
        # They belong to the next query time: what was said at the last one stays.
        at = pa.array(np.full(len(table), clock.query + self.windows.step))
        place = table.column_names.index("query_time")
        return table.set_column(place, CAUSED.field("query_time"), at)

    def _event_changes(self, before: pa.Table, now: pa.Table, clock: Clock) -> pa.Table:
        """The differences between the derived events of the last query time."""
        if not self.now.derived_events:
            return EVENT_CHANGES.empty_table()
        assert clock.query is not None
        found = []
        for one, other, is_gone in ((before, now, True), (now, before, False)):
            rows = one.join(other, _EVENT, join_type="left anti").combine_chunks()
            gone = np.full(len(rows), is_gone)
            # Between two query times, because both may have said something else about the same event.
            found.append(happened(whole_column(rows["event"]), rows["time"].to_numpy(), gone, clock.query + 1))
        return pa.concat_tables(found)

    def _of_stage(self, stage: StageSpec, whole: bytes) -> list[bytes]:
        """The state of one stage: what is outside of keys, then all keys."""
        plan, program = received(self.now.program)
        one = _in_one(self.now)
        engine = ShareEngine(plan, program, Share(stage.number - 1, 0, 1, one.sides), self.windows.size)
        engine.load_share([whole])
        return [engine.save_rest(), *(saved.data for saved in engine.save_keys([ALL]))]


_EVENT = ["event", "time"]


def _happened(engines: Sequence[Engine]) -> pa.Table:
    """The derived events in the window of the last query time."""
    found = [EVENT_CHANGES.empty_table().select(_EVENT)]
    for engine in engines:
        for number, (symbol, table) in enumerate(zip(engine.symbols, engine.lowered.plan.tables, strict=True)):
            if table.role is Role.DERIVED_EVENT:
                dictionary = Dictionary()
                time, words = engine.core.answers(number, engine.threads)
                args = Vocabulary(dictionary, engine.words).columns(words, table.columns)
                terms = ColumnTexts(dictionary).terms(symbol, list(args), len(time))
                found.append(pa.table({"event": terms, "time": time}))
    return pa.concat_tables([table.cast(found[0].schema) for table in found])


def position(clock: Clock, windows: Windows, settle: int) -> Position:
    """The position of a stream: its last query time, and which rows are not available."""
    if clock.query is None or clock.start is None:
        return Position(None, None, None)
    low = clock.query - windows.size
    first = clock.start + 1 if windows.by_event else clock.start + windows.step - windows.size + 1
    latest = [heard.latest for heard in clock.heard.values() if heard.latest is not None]
    has_all_rows = low < first or settle == FOREVER
    return Position(clock.query, None if has_all_rows else low - settle, max([clock.query, *latest]))


def _causes(swap: Swap, scale: TimeScale | None) -> dict[str, str]:
    """The causes of differences, by fluent."""
    named = {
        symbol.name for symbol in swap.now.symbols if symbol.kind is EntityKind.FLUENT and swap.edit.reaches(symbol)
    }
    return {name: swap.cause(name).shown(scale) for name in sorted(named)}


def _identity(job: Job) -> str:
    return identity_of(received(job.program)[1])


def _in_one(job: Job) -> Job:
    """The same job with one bucket."""
    return replace(job, buckets=1, sides=_sides(job, 1))


def _sides(job: Job, buckets: int) -> tuple[tuple[int, ...], ...]:
    _, program = received(job.program)
    return tuple(grid_sides(stage, buckets) for stage in program.lowered.plan.stages)
