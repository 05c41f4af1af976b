"""Rows that no query time has seen yet, divided anew among the buckets of a job with edited rules.

Every stage that reads a row has it, in the buckets that it goes to. Here each row is taken once: from the first stage that reads it,
and there from its first bucket.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from holdsfor.columns.kernels import Ints
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.core.engine import Share
from holdsfor.core.program import received
from holdsfor.core.shares import ShareEngine
from holdsfor.diagnostics import HoldsforError
from holdsfor.spark.job import Job, StageSpec
from holdsfor.spark.rows import by_tag
from holdsfor.spark.streaming.regrouping import first_bucket, targets
from holdsfor.spark.streaming.rows import BACK, BACK_COPY, ROW, kept_schema
from holdsfor.spark.wire import Tag, table_of

_TIMES = ("t0", "t1", "arrival", "batch")


def share_engine(job: Job, stage: int, bucket: int = 0) -> ShareEngine:
    """An engine that computes the buckets of rows, or loads the state of a bucket."""
    plan, program = received(job.program)
    return ShareEngine(plan, program, Share(stage - 1, bucket, job.buckets, job.sides), 1)


@dataclass
class WaitingRows:
    """The waiting rows of a stream, on their way from the buckets of an earlier job to those of another."""

    earlier: Job
    now: Job
    retracting: bool
    """Whether rows may be retractions from now on."""
    _taken: list[tuple[Tag, pa.Table]] = field(default_factory=list)

    def take(self, stage: StageSpec, bucket: int, tables: Sequence[pa.Table]) -> None:
        """Takes the rows of a bucket of the earlier job, except those that others have too."""
        home = homes(self.earlier)
        former = share_engine(self.earlier, stage.number) if self.earlier.buckets > 1 else None
        for table in tables:
            self._require_columns(table)
            tags = table["tag"].to_numpy()
            for number, tag in stage.tags.items():
                if home[tag.symbol] != stage.number or not (tags == number).any():
                    continue
                rows = table.take(pa.array(np.flatnonzero(tags == number))).combine_chunks()
                if former is not None:
                    ((_, used),) = by_tag(rows, stage)
                    first, _ = first_bucket(former, tag, used, None)
                    rows = rows.filter(pa.array(first == bucket))
                if len(rows):
                    self._taken.append((tag, rows))

    def _require_columns(self, table: pa.Table) -> None:
        missing = {*self.earlier.wire.schema.names} - {"q", "data", *table.column_names}
        if missing:
            raise HoldsforError(
                "rows that wait in the checkpoint have other columns: change the rules with the streams and the mapping as "
                "they were, and those afterwards"
            )

    def given(self, stage: StageSpec) -> list[pa.Table]:
        """The rows of each bucket of a stage of the new job."""
        schema = kept_schema(self.now.wire, retracting=self.retracting)
        found: list[list[pa.Table]] = [[schema.empty_table()] for _ in range(self.now.buckets)]
        engine = share_engine(self.now, stage.number) if self.now.buckets > 1 else None
        for before, rows in self._taken:
            place = _place(before, stage.tags)
            if place is None:
                continue
            number, tag = place
            table = self._as_read(before, rows, stage, number, tag)
            if engine is None:
                found[0].append(_marked(table, np.ones(len(table), np.bool_)))
                continue
            ((_, used),) = by_tag(table, stage)
            first, _ = first_bucket(engine, tag, used, None)
            for bucket, which in _by_bucket(engine, tag, used):
                found[bucket].append(_marked(table.take(pa.array(which)), first[which] == bucket))
        return [pa.concat_tables(tables) for tables in found]

    def _as_read(self, before: Tag, rows: pa.Table, stage: StageSpec, number: int, tag: Tag) -> pa.Table:
        """Rows with the columns that the new job has for them."""
        columns = {name: rows[name] for name in _TIMES if name in rows.column_names}
        columns |= {new: rows[old] for new, old in zip(_slots(tag), _slots(before), strict=True)}
        numbers = {"tag": number, "stage": stage.number}
        marks = {"retracted": rows["retracted"] if "retracted" in rows.column_names else ROW}
        schema = kept_schema(self.now.wire, retracting=self.retracting)
        return table_of(schema, len(rows), columns | numbers | marks)


def homes(job: Job) -> dict[Symbol, int]:
    """The first stage that reads each input."""
    found: dict[Symbol, int] = {}
    for stage in job.stages:
        for tag in stage.tags.values():
            found.setdefault(tag.symbol, stage.number)
    return found


def _slots(tag: Tag) -> list[str]:
    return [*tag.args, *([] if tag.value is None else [tag.value])]


def _place(before: Tag, tags: Mapping[int, Tag]) -> tuple[int, Tag] | None:
    """The kind of rows of a stage that fits an earlier kind; None if the stage does not read such rows."""
    readers = [(number, tag) for number, tag in tags.items() if (tag.symbol, tag.form) == (before.symbol, before.form)]
    wanted = [slot[0] for slot in _slots(before)]
    fitting = [(number, tag) for number, tag in readers if [slot[0] for slot in _slots(tag)] == wanted]
    if readers and not fitting:
        raise HoldsforError(
            f"rows of {before.symbol} wait in the checkpoint, and its columns have other types now: change the rules with "
            "the streams and the mapping as they were, and those afterwards"
        )
    return fitting[0] if fitting else None


def _by_bucket(engine: ShareEngine, tag: Tag, rows: pa.Table) -> Iterator[tuple[int, Ints]]:
    """The buckets of some rows, each with the indices of its rows."""
    found = [np.empty((0, 2), np.int64)]
    found += [np.stack([buckets, number], axis=1) for number, buckets in targets(engine, tag, rows)]
    pairs = np.unique(np.concatenate(found), axis=0)
    for bucket in np.unique(pairs[:, 0]).tolist():
        yield bucket, pairs[pairs[:, 0] == bucket, 1]


def _marked(table: pa.Table, is_first: np.ndarray) -> pa.Table:
    """Rows of which one bucket counts the retractions."""
    if "retracted" not in table.column_names:
        return table
    known = table["retracted"].fill_null(ROW).to_numpy()
    marks = np.where(known == ROW, ROW, np.where(is_first, BACK, BACK_COPY))
    number = table.column_names.index("retracted")
    return table.set_column(number, "retracted", pa.array(marks, pa.int8()))
