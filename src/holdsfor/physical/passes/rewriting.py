"""Replaces parts of plans."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from holdsfor.physical import instructions as code
from holdsfor.physical import model

BlockChange = Callable[[code.Block], code.Block]


def with_rules(plan: model.PhysicalPlan, change: Callable[[model.Rule], model.Rule]) -> model.PhysicalPlan:
    """The plan with every rule about time-points changed."""
    return with_components(plan, lambda one: replace(one, rules=tuple(change(rule) for rule in one.rules)))


def with_components(
    plan: model.PhysicalPlan, change: Callable[[model.Component], model.Component]
) -> model.PhysicalPlan:
    """The plan with every component changed."""
    stages = tuple(replace(stage, components=tuple(map(change, stage.components))) for stage in plan.stages)
    return replace(plan, stages=stages)


def with_programs(plan: model.PhysicalPlan, change: Callable[[model.Program], model.Program]) -> model.PhysicalPlan:
    """The plan with every program changed, of rules and of all others."""

    def component(one: model.Component) -> model.Component:
        return replace(
            one,
            rules=tuple(replace(rule, program=change(rule.program)) for rule in one.rules),
            definitions=tuple(replace(rule, program=change(rule.program)) for rule in one.definitions),
            delays=tuple(replace(rule, program=change(rule.program)) for rule in one.delays),
        )

    def conditions(some: tuple[model.PairProgram, ...]) -> tuple[model.PairProgram, ...]:
        return tuple(replace(one, program=change(one.program)) for one in some)

    return replace(
        with_components(plan, component),
        initially=conditions(plan.initially),
        postpones=conditions(plan.postpones),
        groundings=conditions(plan.groundings),
    )


def with_nested(instruction: code.Instruction, change: BlockChange) -> code.Instruction:
    """The instruction with the blocks inside it changed."""
    match instruction:
        case code.Negate(block=block) | code.Collect(block=block):
            return replace(instruction, block=change(block))
        case code.Choose(branches=branches):
            return code.Choose(tuple(map(change, branches)))
        case code.Branch(condition=condition, then=then, otherwise=otherwise):
            rest = None if otherwise is None else change(otherwise)
            return code.Branch(change(condition), change(then), rest)
        case _:
            return instruction


def programs(plan: model.PhysicalPlan) -> Iterator[model.Program]:
    """Every program of a plan, of rules and of all others."""
    for stage in plan.stages:
        for component in stage.components:
            yield from (rule.program for rule in component.rules)
            yield from (rule.program for rule in component.definitions)
            yield from (rule.program for rule in component.delays)
    for condition in (*plan.initially, *plan.postpones, *plan.groundings):
        yield condition.program
