"""Splits a rule into one per answer of a lookup with a small number of answers, so that the instance is known in advance.

`happensAt(entersArea(V, Area), T), areaType(Area, Kind)` becomes one rule per kind of area. Which rules apply is then a
test of the row, and `withinArea(V, Kind)` is the same instance for all rows of a vessel. Only lookups of values in the
head or in a condition on fluents are unfolded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from holdsfor.physical import instructions as code
from holdsfor.physical import model
from holdsfor.physical.passes.constants import Constants, fixed, fixed_all, fixed_instruction
from holdsfor.physical.passes.fold_facts import read_as_registers
from holdsfor.physical.passes.rewriting import BlockChange, with_components, with_nested
from holdsfor.physical.reads import registers, registers_of

MOST_ANSWERS = 8
"""The most rules that one rule becomes."""
MOST_RULES = 31
"""Rows of a table have bits for this many rules."""


def unfold_facts(plan: model.PhysicalPlan) -> model.PhysicalPlan:
    """The plan with the rules unfolded whose fact lookups about their row give a small number of values."""
    counts = Counter(
        table
        for stage in plan.stages
        for component in stage.components
        for rule in component.rules
        if (table := _row_table(rule)) is not None
    )

    def component(one: model.Component) -> model.Component:
        made: list[model.Rule] = []
        numbers: list[range] = []
        for rule in one.rules:
            first = len(made)
            made += _unfolded(rule, plan.facts, counts)
            numbers.append(range(first, len(made)))
        if len(made) == len(one.rules):
            return one
        groups = tuple(
            replace(group, rules=tuple(new for old in group.rules for new in numbers[old])) for group in one.groups
        )
        return replace(one, rules=tuple(made), groups=groups)

    return with_components(plan, component)


def _row_table(rule: model.Rule) -> int | None:
    match rule.program.block:
        case (code.Events(table=table, time=code.Instant(register=code.NOW, binds=False)), *_):
            return table
        case _:
            return None


def _unfolded(rule: model.Rule, facts: tuple[model.FactTable, ...], counts: Counter[int]) -> Iterator[model.Rule]:
    table = _row_table(rule)
    block = rule.program.block
    needed = set(read_as_registers(block))
    wanted = set(registers(*rule.columns, *(() if rule.value is None else (rule.value,))))
    for one in block:
        # Conditions that depend only on numbers and other facts are decided with the original row.
        if not isinstance(one, code.Compare | code.Assign | code.Equal | code.Facts):
            wanted |= registers_of(one).needed
    for place, one in enumerate(block):
        if table is None or not isinstance(one, code.Facts):
            continue
        answers = _answers(one, facts[one.facts])
        more = len(answers) - 1
        if more < 1 or wanted.isdisjoint(answers[0]) or not needed.isdisjoint(answers[0]):
            continue
        if counts[table] + more > MOST_RULES:
            continue
        counts[table] += more
        for known in answers:
            yield _with_constants(rule, place, one, known)
        return
    yield rule


def _answers(one: code.Facts, table: model.FactTable) -> list[Constants]:
    """The different values that a lookup may give; empty if there are too many, or if other terms are among them."""
    columns = [(place, shape) for place, shape in enumerate(one.columns) if isinstance(shape, code.Register)]
    bound = {shape.number: place for place, shape in columns if shape.binds}
    if not bound or len({shape.number for _, shape in columns}) < len(columns):
        return []
    found: dict[tuple[object, ...], Constants] = {}
    for row in table.rows:
        if any(isinstance(shape, code.Constant) and not _is_same(shape, row[i]) for i, shape in enumerate(one.columns)):
            continue
        answer: Constants = {}
        for number, place in bound.items():
            value = row[place]
            if not isinstance(value, code.Constant):
                return []
            answer[number] = value
        found.setdefault(tuple((type(value.value), value.value) for value in answer.values()), answer)
        if len(found) > MOST_ANSWERS:
            return []
    return list(found.values())


def _is_same(one: code.Constant, other: code.Shape) -> bool:
    return isinstance(other, code.Constant) and type(one.value) is type(other.value) and one.value == other.value


def _with_constants(rule: model.Rule, place: int, lookup: code.Facts, known: Constants) -> model.Rule:
    """The rule for one answer. If the answer depends on the row, the lookup stays as a test."""

    def value(shape: code.Shape) -> code.Shape:
        return known[shape.number] if isinstance(shape, code.Register) and shape.binds else shape

    block = rule.program.block
    test = replace(lookup, columns=tuple(map(value, lookup.columns)))
    depends = any(isinstance(shape, code.Register | code.Structure) for shape in test.columns)
    rest = _fixed_block(known)(block[place + 1 :])
    return replace(
        rule,
        columns=fixed_all(rule.columns, known),
        value=None if rule.value is None else fixed(rule.value, known),
        program=replace(rule.program, block=(*block[:place], *((test,) if depends else ()), *rest)),
    )


def _fixed_block(known: Constants) -> BlockChange:
    def change(block: code.Block) -> code.Block:
        return tuple(with_nested(fixed_instruction(one, known), change) for one in block)

    return change
