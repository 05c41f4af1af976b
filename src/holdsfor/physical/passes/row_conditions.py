"""Marks the conditions of rules that depend on nothing but a row of events, and on facts.

They are decided when rows come in, before any key is evaluated. Only a prefix of a rule counts, in the order that the
compiler has chosen: a condition without a value is reported if, and only if, the conditions before it hold.
"""

from __future__ import annotations

from dataclasses import replace

from holdsfor.physical import model
from holdsfor.physical.passes.rewriting import with_rules


def mark_row_conditions(plan: model.PhysicalPlan) -> model.PhysicalPlan:
    """The plan with `Rule.row_conditions` set."""
    return with_rules(plan, lambda rule: replace(rule, row_conditions=_row_conditions(rule.program.block)))


def _row_conditions(block: model.Block) -> int:
    match block:
        case (model.Events(time=model.Instant(register=model.NOW, binds=False)), *rest):
            count = 0
            while count < len(rest) and _is_of_row(rest[count]):
                count += 1
            return count
        case _:
            return 0


def _is_of_row(instruction: model.Instruction) -> bool:
    match instruction:
        case model.Compare() | model.Equal() | model.Assign() | model.Facts():
            return True
        case model.Negate(block=block):
            return all(map(_is_of_row, block))
        case model.Choose(branches=branches):
            return all(_is_of_row(one) for branch in branches for one in branch)
        case model.Branch(condition=condition, then=then, otherwise=otherwise):
            return all(_is_of_row(one) for one in (*condition, *then, *(otherwise or ())))
        case _:
            return False
