"""Where the programs of a plan come from: their rules, the names of their registers, and the condition of each instruction.

Explanations need that. It is noted for plans that are to be traced, and no part of the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from holdsfor.ir import Body, Literal, Rule
from holdsfor.physical import model
from holdsfor.physical.reads import blocks_of

Path = tuple[int, ...]
"""To a block inside a program: an instruction and one of its blocks, then the same in there."""


@dataclass(frozen=True)
class Step:
    """A condition, its last instruction, if it has any, and the variables that have a value after it."""

    literal: Literal
    made: model.Instruction | None
    bound: frozenset[str]


@dataclass(frozen=True)
class ProgramOrigin:
    """What a program was lowered from. `steps` are all its conditions, those inside others before them."""

    rule: Rule
    program: model.Program
    registers: dict[str, int]
    lists: dict[str, int]
    steps: tuple[Step, ...]

    @cached_property
    def places(self) -> dict[int, tuple[Path, int, Step]]:
        """By the identity of a condition: the block that it is in, its place there, and what is noted of it."""
        made = {id(step.made): step for step in self.steps if step.made is not None}
        found = {}
        for path, block in _blocks((), self.program.block):
            for place, one in enumerate(block):
                if id(one) in made:
                    found[id(made[id(one)].literal)] = path, place, made[id(one)]
        return found

    @cached_property
    def body(self) -> Body:
        """The conditions of the whole rule, in the order in which they run."""
        inner = {id(literal) for literal, (path, _, _) in self._by_literal() if path}
        return tuple(step.literal for step in self.steps if id(step.literal) not in inner)

    def _by_literal(self) -> Iterator[tuple[Literal, tuple[Path, int, Step]]]:
        for step in self.steps:
            if id(step.literal) in self.places:
                yield step.literal, self.places[id(step.literal)]

    def inside(self, literal: Literal, block: int) -> Path:
        """One of the blocks of a condition."""
        path, place, _ = self.places[id(literal)]
        return (*path, place, block)


def programs(stages: Iterable[model.Stage]) -> Iterator[tuple[int, model.Program]]:
    """The programs of rules and definitions with the numbers of their stages, as the core counts them."""
    for number, stage in enumerate(stages):
        for component in stage.components:
            yield from ((number, rule.program) for rule in component.rules)
            yield from ((number, definition.program) for definition in component.definitions)


def _blocks(path: Path, block: model.Block) -> Iterator[tuple[Path, model.Block]]:
    """A block and all inside it."""
    yield path, block
    for place, one in enumerate(block):
        for number, inner in enumerate(blocks_of(one)):
            yield from _blocks((*path, place, number), inner)
