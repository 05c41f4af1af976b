"""The stages of a stream."""

from __future__ import annotations

from holdsfor.compiler.plan import Plan
from holdsfor.spreading.stages import StagePlan, stage_plan


def stream_stages(plan: Plan) -> StagePlan:
    """The stages of a plan, without those that spread keys by what they are tied to: that is not known before all rows
    are there. Fluents whose keys are tied together are worked out in one bucket, all others in theirs.
    """
    return stage_plan(plan, tied=False)
