"""The stages of a stream."""

from __future__ import annotations

from holdsfor.compiler.plan import Plan
from holdsfor.spark.plan_stages import bucket_count, physical_stages
from holdsfor.spark.stages import StagePlan


def stream_stages(plan: Plan, buckets: int) -> StagePlan:
    """The stages of a plan in a stream with so many buckets. Which keys are tied together is not known before all rows are
    there: fluents whose rules tie keys are evaluated in one bucket.
    """
    return physical_stages(plan, buckets, tied=False)


def stream_buckets(plan: Plan, wanted: int) -> int:
    """How many buckets a stream has."""
    return bucket_count(plan, wanted)
