"""The work on a stream independent of batches: stages, kinds of rows, and how rows are classified."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame

from holdsfor.compiler.plan import Plan
from holdsfor.core.program import encoded
from holdsfor.core.shares import identity_of
from holdsfor.diagnostics import HoldsforError
from holdsfor.spark.job import Job, Rows, SourceRows, Span, make_job, plan_rows
from holdsfor.spark.stages import StagePlan, bucket_count, physical_stages
from holdsfor.spark.streaming.clock import Windows
from holdsfor.spark.streaming.frames import Sorting, Sources
from holdsfor.times import TimeScale


@dataclass(frozen=True)
class Work:
    """The work on a stream, independent of batches."""

    plan: Plan
    sources: Sources
    windows: Windows
    stages: StagePlan
    rows: Rows
    job: Job
    sortings: tuple[Sorting, ...]
    shapes: tuple[SourceRows, ...] = ()
    """The shapes of the input rows."""

    @classmethod
    def of(
        cls,
        plan: Plan,
        frame: DataFrame,
        sources: Sources,
        windows: Windows,
        buckets: int,
        fluents: Collection[str] | None,
        time_scale: TimeScale | None = None,
    ) -> Work:
        """The work for the rows of a frame."""
        buckets = bucket_count(plan, buckets)
        stages = physical_stages(plan, buckets, tied=False)
        for message in stages.warnings:
            warnings.warn(message, stacklevel=4)
        origins = sources.origins(frame, plan.analysis.entities)
        shapes = [origin.rows for group in origins for origin in group]
        rows = plan_rows(stages, shapes, arrivals=True)
        job = make_job(stages, rows, buckets=buckets, span=Span(), fluents=fluents)
        job = replace(job, time_scale=time_scale)
        sortings, first = [], 0
        for group in origins:
            sortings.append(Sorting(sources, group, first, stages, rows, windows, buckets))
            first += len(group)
        used = tuple(sorting for sorting in sortings if sorting.is_used)
        if not used:
            raise HoldsforError("no rule has a use for any row of the streams")
        unreadable = sources.unreadable()
        if unreadable is not None:
            known = " or ".join(f"({origin.chosen})" for group in origins for origin in group)
            used = (replace(used[0], lost=f"({unreadable}) and not coalesce({known}, false)"), *used[1:])
        return cls(plan, sources, windows, stages, rows, job, used, tuple(shapes))

    @property
    def identity(self) -> str:
        """The identity of the plan."""
        return identity_of(encoded(self.plan))

    def for_buckets(self, buckets: int, *, derived_events: bool) -> Work:
        """The same work for another number of buckets, with or without derived events."""
        stages = physical_stages(self.plan, buckets, tied=False)
        sides = tuple(stage.sides for stage in stages.stages)
        job = replace(self.job, buckets=buckets, derived_events=derived_events, sides=sides)
        sortings = tuple(replace(sorting, buckets=buckets, stages=stages) for sorting in self.sortings)
        return replace(self, job=job, stages=stages, sortings=sortings)
