"""The stages of a stream."""

from __future__ import annotations

from holdsfor.compiler.plan import Plan
from holdsfor.spark.stages import StagePlan, _in_one_place, stage_plan


def stream_stages(plan: Plan) -> StagePlan:
    """The stages of a plan, without those that spread keys by what they are tied to: that is not known before all rows
    are there.
    """
    found = stage_plan(plan)
    return _in_one_place(plan) if any(stage.links for stage in found.stages) else found
