"""Records the origins of the programs of a plan: rules, register names, and the condition of each instruction.

Explanations need origins. They are recorded only for plans to be traced, and are not part of the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from holdsfor.ir import Body, Literal, Rule
from holdsfor.physical import instructions as code
from holdsfor.physical import model
from holdsfor.physical.reads import blocks_of

Path = tuple[int, ...]
"""The path to a block in a program: an instruction and one of its blocks, then the same inside that block."""


@dataclass(frozen=True)
class OriginStep:
    """A condition, its last instruction (if any), and the variables that are bound after it."""

    literal: Literal
    made: code.Instruction | None
    bound: frozenset[str]


@dataclass(frozen=True)
class ProgramOrigin:
    """The source of a program. `steps` are all its conditions; nested conditions precede the one that contains them."""

    rule: Rule
    program: model.Program
    registers: dict[str, int]
    lists: dict[str, int]
    steps: tuple[OriginStep, ...]

    @cached_property
    def places(self) -> dict[int, tuple[Path, int, OriginStep]]:
        """By the identity of a condition: its block, its position there, and its step."""
        made = {id(step.made): step for step in self.steps if step.made is not None}
        found = {}
        for path, block in _blocks((), self.program.block):
            for place, one in enumerate(block):
                if id(one) in made:
                    found[id(made[id(one)].literal)] = path, place, made[id(one)]
        return found

    @cached_property
    def body(self) -> Body:
        """The conditions of the whole rule, in execution order."""
        inner = {id(literal) for literal, (path, _, _) in self._by_literal() if path}
        return tuple(step.literal for step in self.steps if id(step.literal) not in inner)

    def _by_literal(self) -> Iterator[tuple[Literal, tuple[Path, int, OriginStep]]]:
        for step in self.steps:
            if id(step.literal) in self.places:
                yield step.literal, self.places[id(step.literal)]

    def inside(self, literal: Literal, block: int) -> Path:
        """One of the blocks of a condition."""
        path, place, _ = self.places[id(literal)]
        return (*path, place, block)


def programs(stages: Iterable[model.Stage]) -> Iterator[tuple[int, model.Program]]:
    """The programs of rules and definitions with their stage numbers, as the core counts them."""
    for number, stage in enumerate(stages):
        for component in stage.components:
            yield from ((number, rule.program) for rule in component.rules)
            yield from ((number, definition.program) for definition in component.definitions)


def _blocks(path: Path, block: code.Block) -> Iterator[tuple[Path, code.Block]]:
    """A block and all blocks inside it."""
    yield path, block
    for place, one in enumerate(block):
        for number, inner in enumerate(blocks_of(one)):
            yield from _blocks((*path, place, number), inner)
