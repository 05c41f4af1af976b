"""Evaluates one stage on one bucket over all of time, from Arrow rows to Arrow rows, independent of Spark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import lcm

import numpy as np
import pyarrow as pa

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.metric.endless import NeverEnds
from holdsfor.columns.metric.facts import Facts, maximal
from holdsfor.columns.metric.timeline import cells, columns_of, rescaled
from holdsfor.compiler.metric.plan import Direction
from holdsfor.compiler.metric.rules import Joined, Relation
from holdsfor.compiler.metric.stages import MetricStage
from holdsfor.core.metric_driver import materialise_stage
from holdsfor.diagnostics import HoldsforError
from holdsfor.ir.metric import Range
from holdsfor.metric.session import DerivesForever
from holdsfor.spark.metric.answers import answer_schema, answers, counts
from holdsfor.spark.metric.job import FactRoute, MetricJob
from holdsfor.spark.metric.wire import BUCKET, COUNTS, Sender, by_tag, note_row, received, wire_schema
from holdsfor.syntax.terms import Const
from holdsfor.times import TimeScale


@dataclass(frozen=True)
class StageOnBucket:
    """A stage, called with the rows of each bucket."""

    job: MetricJob
    number: int
    exact: bool = False
    quoted: bool = False
    time_scale: TimeScale | None = None
    """The length of a time unit, if results have dates."""

    @property
    def stage(self) -> MetricStage:
        """The stage."""
        return self.job.stages.stages[self.number - 1]

    @property
    def is_last(self) -> bool:
        """Whether results are output."""
        return self.number == self.job.last

    @property
    def out_schema(self) -> pa.Schema:
        """The columns of the output."""
        return answer_schema(exact=self.exact, scale=self.time_scale) if self.is_last else wire_schema(self.job)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Evaluates one bucket."""
        listed = [batch for batch in batches if batch.num_rows]
        if not listed:
            return
        rows = StageRows(self.job, self.number)
        rows.add(pa.Table.from_batches(listed).cast(wire_schema(self.job)))
        del listed
        for table in (*rows.passing, *self._found(rows)):
            yield from self._leaving(table).to_batches()

    def _found(self, rows: StageRows) -> Iterator[pa.Table]:
        job, stage = self.job, self.stage
        assert rows.bucket is not None
        if not self.is_last:
            yield note_row(job, BUCKET, rows.bucket)
        if stage.is_single and rows.bucket:
            return
        dictionary = Dictionary()
        tables, scale = rows.tables(dictionary)
        try:
            found = materialise_stage(
                job.plan_of(stage), job.stages, stage, tables, scale, dictionary, job.start, job.end
            )
        except NeverEnds as problem:
            raise derives_forever(job, stage, problem) from None
        low, high = cells(Range(job.start, job.end), scale)
        sender = Sender(job, dictionary)
        for relation, facts in found.items():
            owned = owned_facts(sender, stage, relation, facts, rows.bucket)
            yield from sender.sent(owned, scale, job.routes(relation, self.number))
            if relation in job.plan.outputs:
                result = FactRoute(job.result_tag(relation), None, bucket=rows.bucket)
                requested = job.requested(relation, owned.clipped(low, high), dictionary)
                yield from sender.sent(requested, scale, [result])

    def _leaving(self, table: pa.Table) -> pa.Table:
        if not self.is_last:
            return table
        parts = [
            counts(found, exact=self.exact, scale=self.time_scale)
            if tag == COUNTS
            else answers(found, self.job.result_of(tag), self.exact, self.quoted, self.time_scale)
            for tag, found in by_tag(table)
        ]
        return pa.concat_tables([self.out_schema.empty_table(), *parts])


def derives_forever(job: MetricJob, stage: MetricStage, problem: NeverEnds) -> HoldsforError:
    """A description of the problem."""
    stratum = next(one for one in stage.strata if set(one.relations) & set(problem.relations))
    if (job.start if stratum.direction is Direction.BACKWARD else job.end) is None:
        return DerivesForever(problem, stratum.direction)
    names = ", ".join(relation.name for relation in problem.relations if relation.is_written)
    return HoldsforError(
        f"the program derives {names} for ever, and a later stage needs all of these facts; run it on one machine, "
        "which finds the repetition"
    )


def owned_facts(sender: Sender, stage: MetricStage, relation: Relation, facts: Facts, bucket: int) -> Facts:
    """The facts of a bucket about its own keys. Rules about a constant derive facts in every bucket."""
    if stage.is_single or not has_constant_keys(stage):
        return facts
    return sender.owned(facts, stage.keys[relation], bucket)


def has_constant_keys(stage: MetricStage) -> bool:
    """Whether a rule derives facts about the same key in every bucket."""
    return any(
        isinstance(rule, Joined) and isinstance(rule.terms[stage.keys[rule.head]], Const)
        for stratum in stage.strata
        for rule in stratum.rules
    )


class StageRows:
    """The rows of a bucket, sorted by kind."""

    def __init__(self, job: MetricJob, number: int) -> None:
        self._job, self._number = job, number
        self.bucket: int | None = None
        self.passing: list[pa.Table] = []
        self.own: list[tuple[int, pa.Table]] = []

    def add(self, table: pa.Table) -> None:
        """Adds rows."""
        for tag, rows in by_tag(table):
            if tag == BUCKET:
                self.bucket = rows["bucket"][0].as_py()
            elif 0 <= tag < len(self._job.tags) and self._job.tags[tag][0] == self._number:
                self.own.append((tag, rows))
            else:
                self.passing.append(rows)

    def tables(self, dictionary: Dictionary) -> tuple[dict[Relation, Facts], int]:
        """Maximal facts of everything that the stage reads, and their scale."""
        pieces: dict[Relation, list[tuple[int, Facts]]] = {}
        for tag, rows in self.own:
            copy = self._job.tags[tag][1].copy
            pieces.setdefault(copy, []).extend(received(rows, copy.arity, dictionary))
        scale = lcm(self._job.scale, *(scale for found in pieces.values() for scale, _ in found))
        assert self.bucket is not None
        for copy, facts in program_facts(self._job, self._number, self.bucket, scale, dictionary):
            pieces.setdefault(copy, []).append((scale, facts))
        tables = {
            copy: maximal([rescaled(facts, scale // own) for own, facts in found]) for copy, found in pieces.items()
        }
        return tables, scale


def program_facts(
    job: MetricJob, number: int, bucket: int, scale: int, dictionary: Dictionary
) -> Iterator[tuple[Relation, Facts]]:
    """The facts in the program that a bucket needs."""
    stage = job.stages.stages[number - 1]
    found = columns_of(job.plan.facts, scale, dictionary).tables
    sender = Sender(job, dictionary)
    for delivery in stage.deliveries:
        facts = found.get((delivery.relation.name, delivery.relation.arity))
        if facts is None or delivery.made_in is not None or not delivery.relation.is_written:
            continue
        if stage.is_single:
            facts = facts if bucket == 0 else facts.take(np.empty(0, np.int64))
        elif delivery.place is not None:
            facts = sender.owned(facts, delivery.place, bucket)
        if facts.rows:
            yield delivery.copy, facts
