"""Removes the fact tables that no instruction reads."""

from __future__ import annotations

from dataclasses import replace

from holdsfor.physical import instructions as code
from holdsfor.physical import model
from holdsfor.physical.passes.rewriting import programs, with_nested, with_programs
from holdsfor.physical.reads import walk


def drop_unused_facts(plan: model.PhysicalPlan) -> model.PhysicalPlan:
    """The plan with only the fact tables that are read, in their order."""
    found = (one for program in programs(plan) for one in walk(program.block))
    read = sorted({one.facts for one in found if isinstance(one, code.Facts)})
    if len(read) == len(plan.facts):
        return plan
    numbers = {number: place for place, number in enumerate(read)}

    def renumbered(block: code.Block) -> code.Block:
        return tuple(
            replace(one, facts=numbers[one.facts]) if isinstance(one, code.Facts) else with_nested(one, renumbered)
            for one in block
        )

    changed = with_programs(plan, lambda program: replace(program, block=renumbered(program.block)))
    return replace(changed, facts=tuple(plan.facts[number] for number in read))
