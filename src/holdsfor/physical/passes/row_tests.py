"""Splits rules that begin with an event row: tests when the row arrives, and the rest of the evaluation.

Conditions on the row and facts alone are tested once, before any key is evaluated. They may follow conditions that
never report anything, such as `holdsAt`. A condition without a value is reported if and only if the conditions before
it hold. So nothing is moved before a condition that may have no value.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TypeAlias

from holdsfor.physical import instructions as code
from holdsfor.physical import model
from holdsfor.physical.passes.rewriting import with_rules
from holdsfor.physical.reads import Registers, blocks_of, registers, registers_of

_Parts: TypeAlias = list[tuple[code.Instruction, Registers]]
"""The instructions of a rule with their registers."""


def split_row_rules(plan: model.PhysicalPlan) -> model.PhysicalPlan:
    """The plan with `Rule.row_tests` and `Rule.row_rest` set."""
    return with_rules(plan, _split)


def _split(rule: model.Rule) -> model.Rule:
    match rule.program.block:
        case (code.Events(time=code.Instant(register=code.NOW, binds=False)), _, *_) as block:
            parts = [(one, registers_of(one)) for one in block]
            head = set(registers(*rule.columns, *(() if rule.value is None else (rule.value,))))
            decided = _decided(parts)
            tests = _without_repeated(decided, _left(decided, parts, head), parts)
            return replace(rule, row_tests=tuple(tests), row_rest=tuple(_left(tests, parts, head)))
        case _:
            return rule


def _decided(parts: _Parts) -> list[int]:
    """The instructions that the row decides: they need only its values and facts."""
    found: list[int] = []
    known = {code.NOW} | parts[0][1].given
    for at, (one, of) in enumerate(parts[1:], 1):
        if of.needed <= known and _is_computed(one):
            found.append(at)
            known |= of.given
        elif not _is_silent(one):
            break
    return found


def _without_repeated(decided: list[int], left: Collection[int], parts: _Parts) -> list[int]:
    """Leaves out tests that run again for each value of a register.

    A test behind such an instruction must not hide what that instruction reports.
    """
    found: list[int] = []
    unknown: set[int] = set()
    for at in decided:
        one, of = parts[at]
        has_one_answer = isinstance(one, code.Assign | code.Equal)
        if (has_one_answer or at not in left) and unknown.isdisjoint(of.needed):
            found.append(at)
        elif _is_silent(one):
            unknown |= of.given
        else:
            break
    return found


def _left(tests: list[int], parts: _Parts, head: set[int]) -> list[int]:
    """The remaining instructions for a row that passes, without the tests that give no needed value.

    Where facts enumerate values of a register, the tests must hold for each value.
    """
    needed, varying = set(head), set[int]()
    left: list[int] = []
    before = -1
    while before != len(needed) + len(varying):
        before = len(needed) + len(varying)
        left.clear()
        for at, (one, of) in enumerate(parts[1:], 1):
            varies = not varying.isdisjoint(of.needed)
            if at in tests and not varies and needed.isdisjoint(of.given):
                continue
            left.append(at)
            needed |= of.needed
            if varies or not isinstance(one, code.Assign | code.Equal | code.Compare | code.Negate):
                varying |= of.given
    return left


def _is_computed(one: code.Instruction) -> bool:
    """Whether an instruction computes from values alone, without Python."""
    match one:
        case code.Compare(left=left, right=right):
            return not (_asks_host(left) or _asks_host(right))
        case code.Assign(expression=expression):
            return not _asks_host(expression)
        case code.Equal() | code.Facts():
            return True
        case code.Negate() | code.Choose() | code.Branch():
            return all(_is_computed(inner) for block in blocks_of(one) for inner in block)
        case _:
            return False


def _asks_host(expression: code.Expression) -> bool:
    match expression:
        case code.Structure() | code.Calendar():
            return True
        case code.Apply(args=args):
            return any(map(_asks_host, args))
        case _:
            return False


def _is_silent(one: code.Instruction) -> bool:
    """Whether an instruction either succeeds or fails, and never reports anything."""
    match one:
        case code.Events() | code.Holding() | code.Edges() | code.Endable() | code.Equal() | code.Facts():
            return True
        case code.Negate(block=block):
            return all(map(_is_silent, block))
        case _:
            return False
