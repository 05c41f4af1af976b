"""One stage on one bucket: Arrow rows in, Arrow rows out. Runs wherever there are Arrow tables; Spark is one such place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from holdsfor.engine.evaluation import Evaluation
from holdsfor.engine.run import whole_history
from holdsfor.engine.state import State
from holdsfor.engine.windows import WindowPlan, first_moment
from holdsfor.recognition import plan_windows
from holdsfor.spark.given import GivenTable
from holdsfor.spark.job import Job, StageSpec, prepared
from holdsfor.spark.output import Output
from holdsfor.spark.rows import BucketRows, by_tag, stream_of
from holdsfor.spark.steps import Batches, advance
from holdsfor.spark.wire import FINAL, Kind


@dataclass(frozen=True)
class StageTask:
    """A stage, to be called on the rows of each bucket."""

    job: Job
    number: int

    @property
    def spec(self) -> StageSpec:
        """The stage."""
        return self.job.stages[self.number - 1]

    @property
    def out_schema(self) -> pa.Schema:
        """The columns of what comes out."""
        return FINAL if self.number == self.job.last else self.job.wire.out_schema

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Work on one bucket."""
        listed = list(batches)
        if not listed:
            return
        rows = BucketRows()
        rows.add(pa.Table.from_batches(listed), self.job, self.spec)
        del listed
        out = Output(self.job, self.spec, rows.bucket)
        yield from out.told(rows)
        if rows.passing is not None:
            yield from out.passed(rows.passing)
        for evaluation in _evaluations(self.job, self.spec, rows, out):
            yield from out.found(evaluation)


def _evaluations(job: Job, spec: StageSpec, rows: BucketRows, out: Output) -> Iterator[Evaluation]:
    """One query time after the other."""
    ready = prepared(job, spec)
    own = [] if rows.own is None else by_tag(rows.own, spec)
    rows.own = None
    stream = stream_of(own, ready.dictionary)
    given = [GivenTable.of(tag, found, ready.dictionary) for tag, found in own if tag.kind is not Kind.INPUT]
    del own
    windows = _windows(job, rows)
    state = State.beginning(first_moment(rows.whole, windows))
    batches = Batches(stream, windows)
    for place, query in enumerate(windows.query_times.tolist()):
        evaluation, state = advance(
            ready,
            state,
            batches.of(place),
            query,
            size=windows.size,
            step=windows.step,
            given=[table.at(query) for table in given],
            owns=out.owner(ready.dictionary).owns,
        )
        yield evaluation


def _windows(job: Job, rows: BucketRows) -> WindowPlan:
    span, whole = job.span, rows.whole
    return plan_windows(whole, span.window, span.step, span.start, span.end) or whole_history(whole)
