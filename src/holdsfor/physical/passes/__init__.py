"""Passes improve a plan and keep its meaning; each is a function from plan to plan."""

from __future__ import annotations

from collections.abc import Callable

from holdsfor.physical.model import PhysicalPlan
from holdsfor.physical.passes.fold_facts import fold_facts
from holdsfor.physical.passes.late_facts import enumerate_facts_late
from holdsfor.physical.passes.row_tests import split_row_rules
from holdsfor.physical.passes.unfold_facts import unfold_facts
from holdsfor.physical.passes.unused_facts import drop_unused_facts
from holdsfor.physical.retention import with_retention

PASSES: tuple[Callable[[PhysicalPlan], PhysicalPlan], ...] = (
    fold_facts,
    enumerate_facts_late,
    unfold_facts,
    drop_unused_facts,
    split_row_rules,
    with_retention,
)
"""In the order in which they are applied."""


def improve(plan: PhysicalPlan) -> PhysicalPlan:
    """The plan after all passes."""
    for one in PASSES:
        plan = one(plan)
    return plan
