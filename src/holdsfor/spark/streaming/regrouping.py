"""Continues a stream with another number of buckets: computes the state of a new bucket from the old ones.

Each new bucket reads the states of all old buckets of its stage; the engine keeps the keys that belong to it. Rows that
no query time has seen went to old buckets, some of them to several. They are divided anew, each from one old bucket.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Bools, Ints
from holdsfor.core.engine import Share
from holdsfor.core.program import received
from holdsfor.core.shares import ShareEngine
from holdsfor.core.vocabulary import Vocabulary
from holdsfor.physical.buckets import grid_sides
from holdsfor.spark.job import Job, StageSpec
from holdsfor.spark.rows import by_tag, engine_rows
from holdsfor.spark.streaming.rows import BACK, BACK_COPY, ROW
from holdsfor.spark.streaming.state import BucketState
from holdsfor.spark.wire import Tag


@dataclass(frozen=True)
class OldBucket:
    """An old bucket: its state, and the rows that have arrived since."""

    number: int
    state: BucketState
    arrived: Sequence[pa.Table]


@dataclass(frozen=True)
class Regrouping:
    """Redistributes rows of a stage that were divided among `before` buckets."""

    job: Job
    spec: StageSpec
    engine: ShareEngine
    """The engine of the new bucket."""
    bucket: int
    before: int

    def inherited(self, old: Sequence[OldBucket]) -> list[pa.Table]:
        """Loads the states of old buckets; returns their rows for the new one."""
        former = self._former()
        found = []
        for one in old:
            waiting = one.state.load_rest(self.engine)
            one.state.load_all(self.engine)
            tables = [*([] if waiting is None else [waiting]), *one.arrived]
            found += [self._divided(table, one.number, former) for table in tables if len(table)]
        if any(one.state.plan is not None and one.state.plan != self.engine.identity for one in old):
            self.engine.evaluate_anew()
        return found

    def _former(self) -> ShareEngine:
        """An engine that computes which old buckets a row went to."""
        plan, program = received(self.job.program)
        sides = tuple(grid_sides(stage, self.before) for stage in program.lowered.plan.stages)
        return ShareEngine(plan, program, Share(self.spec.number - 1, 0, self.before, sides), 1)

    def _divided(self, table: pa.Table, old: int, former: ShareEngine) -> pa.Table:
        """The rows that the new bucket takes from an old one."""
        table = table.combine_chunks()
        tags = table["tag"].to_numpy()
        chosen, marks = np.zeros(len(table), np.bool_), np.zeros(len(table), np.int8)
        for number in self.spec.tags:
            places = np.flatnonzero(tags == number)
            if len(places):
                for tag, rows in by_tag(table.take(pa.array(places)), self.spec):
                    is_mine, is_first = self._choice(tag, rows, old, former)
                    chosen[places], marks[places] = is_mine, np.where(is_first, BACK, BACK_COPY)
        if "retracted" in table.column_names:
            known = table["retracted"].fill_null(ROW).to_numpy()
            place = table.column_names.index("retracted")
            table = table.set_column(place, "retracted", pa.array(np.where(known == ROW, ROW, marks), pa.int8()))
        return table.filter(pa.array(chosen))

    def _choice(self, tag: Tag, rows: pa.Table, old: int, former: ShareEngine) -> tuple[Bools, Bools]:
        """Which rows this bucket takes from an old one, and for which of them it is the first new bucket."""
        was, _ = first_bucket(former, tag, rows, None)
        first, is_here = first_bucket(self.engine, tag, rows, self.bucket)
        return (was == old) & is_here, first == self.bucket


def first_bucket(engine: ShareEngine, tag: Tag, rows: pa.Table, bucket: int | None) -> tuple[Ints, Bools]:
    """The first bucket of each row, and whether the row goes to a given one. -1: no rule of the stage reads it."""
    first, is_there = np.full(len(rows), -1, np.int64), np.zeros(len(rows), np.bool_)
    for number, buckets in targets(engine, tag, rows):
        order = np.lexsort((-buckets, number))
        first[number[order]] = buckets[order]
        is_there[number[buckets == bucket]] = True
    return first, is_there


def targets(engine: ShareEngine, tag: Tag, rows: pa.Table) -> Iterator[tuple[Ints, Ints]]:
    """The buckets of rows: row indices, and a bucket for each."""
    for made, _ in engine_rows(engine, [(tag, rows)], Vocabulary(Dictionary(), engine.words)):
        assert len(made) == len(rows), "input of one kind has a row for each"
        yield engine.targets(made)
