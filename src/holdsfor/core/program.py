"""Programs for the core: a plan as bytes, and the data that stays in Python."""

from __future__ import annotations

import pickle
from functools import lru_cache

from holdsfor.compiler.plan import Plan, once_per_plan
from holdsfor.physical.encode import Encoder
from holdsfor.physical.instructions import Site
from holdsfor.physical.lower import Lowered, lower, lower_for_trace
from holdsfor.records import record


@record
class EncodedProgram:
    """An encoded plan, with the data kept outside of it: symbols, goals, and the source positions of instructions."""

    lowered: Lowered
    data: bytes
    sites: list[Site]


@once_per_plan
def encoded(plan: Plan) -> EncodedProgram:
    """The physical plan of a program as bytes."""
    lowered = lower(plan)
    encoder = Encoder()
    return EncodedProgram(lowered, encoder.encode(lowered.plan), encoder.sites)


@once_per_plan
def encoded_for_trace(plan: Plan) -> EncodedProgram:
    """The same for an engine whose rules can be traced: see `core.trace`."""
    lowered = lower_for_trace(plan)
    encoder = Encoder()
    return EncodedProgram(lowered, encoder.encode(lowered.plan), encoder.sites)


def shipped(plan: Plan) -> bytes:
    """A program that another process can run without compiling its rules."""
    return pickle.dumps((plan, encoded(plan)))


@lru_cache(maxsize=8)
def received(program: bytes) -> tuple[Plan, EncodedProgram]:
    """The program in such bytes."""
    found: tuple[Plan, EncodedProgram] = pickle.loads(program)  # noqa: S301 -- our own bytes, made by `shipped`
    return found


def plan_shape(lowered: Lowered) -> object:
    """The properties of a plan that must be unchanged for an engine to continue with another one."""
    tables = [(table.label, table.role, table.columns) for table in lowered.plan.tables]
    stages = [
        (
            stage.key,
            stage.fact_ties,
            stage.members,
            stage.inputs,
            [(one.tables, len(one.delays)) for one in stage.components],
        )
        for stage in lowered.plan.stages
    ]
    return lowered.symbols, tables, stages
