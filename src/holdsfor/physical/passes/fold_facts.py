"""Folds facts: a lookup with one answer for all rows is replaced by that answer.

`threshold(maxSpeed, Max), S > Max` becomes a comparison with a number, which is decided when a row arrives. Comparisons
of two numbers are removed, and so are the conditions behind one that never holds. Conditions that may have no value
stay where they are, so that they are reported as before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from holdsfor.logic.arithmetic import compare_numbers
from holdsfor.physical import instructions as code
from holdsfor.physical import model
from holdsfor.physical.passes.constants import (
    Constants,
    fixed,
    fixed_all,
    fixed_expression,
    fixed_instruction,
    fixed_site,
)
from holdsfor.physical.passes.rewriting import BlockChange, with_nested
from holdsfor.physical.reads import walk

_Row = tuple[code.Shape, ...]
_Key = tuple[type, str | int | float]
_NEVER = code.Choose(())
"""A condition without solutions."""


def fold_facts(plan: model.PhysicalPlan) -> model.PhysicalPlan:
    """The plan with lookups and comparisons of constants folded."""
    fold = _Folding(plan.facts)
    stages = tuple(
        replace(stage, components=tuple(_component(one, fold) for one in stage.components)) for stage in plan.stages
    )
    return replace(
        plan,
        stages=stages,
        initially=tuple(_condition(one, fold) for one in plan.initially),
        postpones=tuple(_condition(one, fold) for one in plan.postpones),
        groundings=tuple(_condition(one, fold) for one in plan.groundings),
    )


def _component(component: model.Component, fold: _Folding) -> model.Component:
    return replace(
        component,
        rules=tuple(_rule(one, fold) for one in component.rules),
        definitions=tuple(_definition(one, fold) for one in component.definitions),
        delays=tuple(_delay(one, fold) for one in component.delays),
    )


def _rule(rule: model.Rule, fold: _Folding) -> model.Rule:
    program, known = fold.program(rule.program)
    value = None if rule.value is None else fixed(rule.value, known)
    return replace(rule, program=program, columns=fixed_all(rule.columns, known), value=value)


def _definition(rule: model.Definition, fold: _Folding) -> model.Definition:
    program, known = fold.program(rule.program)
    return replace(rule, program=program, columns=fixed_all(rule.columns, known), value=fixed(rule.value, known))


def _condition(one: model.PairProgram, fold: _Folding) -> model.PairProgram:
    program, known = fold.program(one.program)
    return replace(one, program=program, columns=fixed_all(one.columns, known), value=fixed(one.value, known))


def _delay(rule: model.Delay, fold: _Folding) -> model.Delay:
    program, known = fold.program(rule.program)
    effect = rule.effect
    if effect is not None:
        table, columns, value = effect
        effect = table, fixed_all(columns, known), fixed(value, known)
    delay, site = fixed_expression(rule.delay, known), fixed_site(rule.site, known)
    return replace(rule, program=program, delay=delay, effect=effect, site=site)


class _Folding:
    def __init__(self, facts: tuple[model.FactTable, ...]) -> None:
        self._facts = facts
        self._indexes: dict[tuple[int, int], dict[_Key, list[_Row]]] = {}

    def program(self, program: model.Program) -> tuple[model.Program, Constants]:
        """The program, and the constants that its registers would have."""
        known: Constants = {}
        kept = frozenset(read_as_registers(program.block))
        block = self._block(program.block, known, kept)
        return replace(program, block=block), known

    def _block(self, block: code.Block, known: Constants, kept: frozenset[int] | None) -> code.Block:
        """Folds a block and adds to `known`. Registers in `kept` still get their values; None keeps all registers."""
        folded: list[code.Instruction] = []
        for given in block:
            one = with_nested(fixed_instruction(given, known), self._inner(known))
            match one:
                case code.Facts() if (answers := self._answers(one)) is not None:
                    if not answers:
                        return (*folded, _NEVER)
                    known |= answers[0]
                    folded += (
                        code.Equal(value, code.Register(register, binds=True))
                        for register, value in answers[0].items()
                        if kept is None or register in kept
                    )
                case code.Compare(left=code.Constant(value=left), right=code.Constant(value=right)) if not (
                    isinstance(left, str) or isinstance(right, str)
                ):
                    if not compare_numbers(one.operator, left, right):
                        return (*folded, _NEVER)
                case _:
                    folded.append(one)
        return tuple(folded)

    def _inner(self, known: Constants) -> BlockChange:
        """Constants found inside a block are not known after it."""
        return lambda block: self._block(block, dict(known), None)

    def _answers(self, one: code.Facts) -> list[Constants] | None:
        """The values that a lookup gives its registers: one answer, or none. None if it depends on rows or has several answers."""
        found: list[Constants] = []
        for row in self._candidates(one):
            answer: Constants = {}
            for shape, value in zip(one.columns, row, strict=True):
                match shape, value:
                    case code.Constant(), code.Constant():
                        if not _is_same(shape, value):
                            break
                    case code.Register(number=number, binds=True), code.Constant():
                        answer[number] = value
                    case code.Anything(), _:
                        continue
                    case (code.Register(number=number, binds=False), code.Constant()) if number in answer:
                        if not _is_same(answer[number], value):
                            break
                    case code.Constant(), _:
                        break
                    case _:
                        return None
            else:
                found.append(answer)
                if len(found) > 1:
                    return None
        return found

    def _candidates(self, one: code.Facts) -> Sequence[_Row]:
        """The rows with the first constant of the lookup, because a table may have many rows."""
        rows = self._facts[one.facts].rows
        for place, shape in enumerate(one.columns):
            if not isinstance(shape, code.Constant):
                continue
            if (one.facts, place) not in self._indexes:
                index = self._indexes[one.facts, place] = defaultdict(list)
                for row in rows:
                    given = row[place]
                    if isinstance(given, code.Constant):
                        index[_key(given)].append(row)
            return self._indexes[one.facts, place].get(_key(shape), ())
        return rows


def _is_same(one: code.Constant, other: code.Constant) -> bool:
    return _key(one) == _key(other)


def _key(constant: code.Constant) -> _Key:
    return type(constant.value), constant.value


def read_as_registers(block: code.Block) -> Iterator[int]:
    """Registers that instructions read at places where no constant is possible."""
    for one in walk(block):
        match one:
            case code.Call(inputs=inputs) | code.ListCall(inputs=inputs):
                yield from inputs
            case code.Operate(rest=int() as rest):
                yield rest
            case code.Events(time=time) | code.Holding(time=time) | code.Edges(time=time):
                yield time.register
            case _:
                continue
