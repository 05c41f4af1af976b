"""Moves a fact lookup that always has answers behind the conditions that do not depend on them.

In `role_of(Chair, chair), findall(For, holdsAt(voted(For, Motion)=aye, T), Ayes)` the votes are then collected once
instead of once per chair. A lookup that may have no answer stays where it is, because the conditions after it may
report problems.
"""

from __future__ import annotations

from dataclasses import replace

from holdsfor.physical import instructions as code
from holdsfor.physical import model
from holdsfor.physical.passes.rewriting import with_components
from holdsfor.physical.reads import registers_of


def enumerate_facts_late(plan: model.PhysicalPlan) -> model.PhysicalPlan:
    """The plan with each such lookup at the place where its registers are first needed."""

    def program(given: model.Program) -> model.Program:
        block = _late(given.block, plan.facts)
        return given if block == given.block else replace(given, block=block)

    def component(one: model.Component) -> model.Component:
        return replace(
            one,
            rules=tuple(replace(rule, program=program(rule.program)) for rule in one.rules),
            definitions=tuple(replace(rule, program=program(rule.program)) for rule in one.definitions),
        )

    return with_components(plan, component)


def _late(block: code.Block, facts: tuple[model.FactTable, ...]) -> code.Block:
    found = list(block)
    for place in reversed(range(len(found))):
        one = found[place]
        if not isinstance(one, code.Facts) or not _always_has_answers(one, facts[one.facts]):
            continue
        bound = _mentioned(one)
        to = place
        while to + 1 < len(found) and bound.isdisjoint(_mentioned(found[to + 1])):
            to += 1
        found.insert(to, found.pop(place))
    return tuple(found)


def _always_has_answers(lookup: code.Facts, table: model.FactTable) -> bool:
    bound = [one.number for one in lookup.columns if isinstance(one, code.Register) and one.binds]
    known = [(place, one) for place, one in enumerate(lookup.columns) if isinstance(one, code.Constant)]
    open_places = sum(isinstance(one, code.Anything) for one in lookup.columns)
    if len(bound) + len(known) + open_places < len(lookup.columns) or len(set(bound)) < len(bound):
        return False
    return any(all(_is_same(row[place], one) for place, one in known) for row in table.rows)


def _is_same(one: code.Shape, other: code.Constant) -> bool:
    return isinstance(one, code.Constant) and type(one.value) is type(other.value) and one == other


def _mentioned(one: code.Instruction) -> set[int]:
    """The registers that an instruction mentions."""
    found = registers_of(one)
    return found.needed | found.given
