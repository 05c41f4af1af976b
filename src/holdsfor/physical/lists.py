"""Computes how far a statically determined fluent depends on its inputs: distances of lists, and unsupported variables.

The result of a definition after a time-point B must follow from its lists, restricted to some time-points before B and
everything after B. For each solution whose result has an interval after B, the variable values must be found there too:
they are values of a pair that has an interval nearby.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from holdsfor.physical import instructions as code
from holdsfor.physical.model import FOREVER, Definition, FactTable
from holdsfor.physical.operators import OPERATORS, Nearby, added
from holdsfor.physical.reads import blocks_of, registers, walk
from holdsfor.records import record

_ABOUT_LISTS = (code.Lookup, code.Operate, code.Empty, code.Copy, code.ListCall, code.Spell, code.Read, code.Domain)
_MOST_VARIANTS = 64


@record
class ListRead:
    """A fluent whose list is read from `back` before the result, which is final `lag` after the list."""

    table: int
    back: int
    lag: int


@record
class ListReads:
    """The reads of a definition. With a `problem`, the result depends on the complete history of the tables."""

    reads: tuple[ListRead, ...]
    problem: str | None = None


def list_reads(definition: Definition, facts: tuple[FactTable, ...]) -> ListReads:
    """The reads of a definition from its lists, over all its alternatives."""
    everything = tuple(ListRead(table, FOREVER, FOREVER) for table in tables_read(definition.program.block))
    variants = _variants(definition.program.block)
    if variants is None:
        return ListReads(everything, "it reads intervals inside of other conditions")
    found: dict[ListRead, None] = {}
    for variant in variants:
        one = _Variant(variant, facts)
        problem = one.problem(definition.out)
        if problem is not None:
            return ListReads(everything, problem)
        found |= dict.fromkeys(one.reads(definition.out))
    return ListReads(tuple(found))


def tables_read(block: code.Block) -> tuple[int, ...]:
    """The fluents whose lists or values a program reads."""
    found: dict[int, None] = {}
    for one in walk(block):
        if isinstance(one, code.Lookup):
            found.setdefault(one.table)
        elif isinstance(one, code.Domain):
            found |= dict.fromkeys(place.table for place in one.places)
    return tuple(found)


def _variants(block: code.Block) -> list[list[code.Instruction]] | None:
    """The block without alternatives, once per choice; None if lists occur inside nested blocks."""
    found: list[list[code.Instruction]] = [[]]
    for one in block:
        if not any(isinstance(inner, _ABOUT_LISTS) for part in blocks_of(one) for inner in walk(part)):
            found = [[*before, one] for before in found]
            continue
        if not isinstance(one, code.Choose):
            return None
        parts = [_variants(branch) for branch in one.branches]
        choices = [choice for part in parts if part is not None for choice in part]
        if any(part is None for part in parts) or len(found) * len(choices) > _MOST_VARIANTS:
            return None
        found = [[*before, *choice] for before in found for choice in choices]
    return found


class _Variant:
    """One path through a definition. `_lists` maps each list register to the instruction that gives it its list."""

    def __init__(self, block: list[code.Instruction], facts: tuple[FactTable, ...]) -> None:
        self._block = block
        self._facts = facts
        self._lists: dict[int, code.Lookup | code.Operate | None] = {}
        self._problem: str | None = None
        self._reads: dict[int, tuple[ListRead, ...]] = {}
        for one in block:
            match one:
                case code.Operate(rest=int()) | code.Spell() | code.Read():
                    self._problem = "a list of intervals that is written as a term may say anything of the past"
                case code.Lookup(out=out) | code.Operate(out=out):
                    self._lists[out] = one
                case code.Empty(register=register, gives=True):
                    self._lists[register] = None
                case code.Empty():
                    self._problem = "whether a list of intervals is empty depends on all of it"
                case code.Copy(tests=True):
                    self._problem = "whether two lists are the same depends on all of them"
                case code.Copy(source=source, out=out):
                    self._lists[out] = self._lists.get(source)
                case code.ListCall():
                    self._problem = "a list predicate of the program may look at all of a list"
                case _:
                    continue

    def problem(self, out: int) -> str | None:
        """The reason why the result depends on the complete history; None if it does not."""
        if self._problem is not None:
            return self._problem
        supported = self._supported(out)
        ranging = {register for one in self._block for register in _ranging(one)}
        if supported is not None and not ranging <= supported:
            return "a variable may have any value that ever occurred"
        return None

    def _supported(self, out: int) -> frozenset[int] | None:
        """The registers that a list with any interval binds; None for a list that is always empty."""
        one = self._lists.get(out)
        if one is None:
            return None
        if isinstance(one, code.Lookup):
            return frozenset((*registers(*one.columns, one.value), *_passing(one)))
        below = [self._supported(register) for register in one.inputs]
        some = [found for found in below if found is not None]
        match OPERATORS[one.operator].nearby:
            case Nearby.ALL:
                return None if len(some) < len(below) else frozenset().union(*some)
            case Nearby.SOME:
                return frozenset.intersection(*some) if some else None
            case Nearby.FIRST:
                return below[0]
            case Nearby.SECOND:
                return below[1]
            case Nearby.NONE:
                return frozenset()

    def reads(self, out: int) -> tuple[ListRead, ...]:
        """The fluents that a list is built from, with their distances."""
        if out not in self._reads:
            self._reads[out] = tuple(self._found(out))
        return self._reads[out]

    def _found(self, out: int) -> Iterator[ListRead]:
        one = self._lists.get(out)
        if isinstance(one, code.Lookup):
            yield ListRead(one.table, 0, 0)
        elif one is not None:
            first = self._lists.get(one.inputs[0]) if one.inputs else None
            bound = None if one.bound is None else self._greatest(one.bound)
            here = OPERATORS[one.operator].dependence(one, bound, isinstance(first, code.Lookup))
            for read in dict.fromkeys(found for register in one.inputs for found in self.reads(register)):
                yield ListRead(read.table, added(read.back, here.back), added(read.lag, here.lag))

    def _greatest(self, bound: code.Expression) -> int | None:
        """The greatest value that a bound can have: a constant, or a value from facts."""
        if isinstance(bound, code.Constant):
            return _whole([bound])
        if isinstance(bound, code.Register):
            for one in self._block:
                if isinstance(one, code.Facts) and code.Register(bound.number, binds=True) in one.columns:
                    place = one.columns.index(code.Register(bound.number, binds=True))
                    return _whole([row[place] for row in self._facts[one.facts].rows])
        return None


def _whole(values: list[code.Shape]) -> int | None:
    """The greatest of some numbers; None if one of them is not a number."""
    numbers = [one.value for one in values if isinstance(one, code.Constant) and not isinstance(one.value, str)]
    if len(numbers) < len(values) or not all(map(math.isfinite, numbers)):
        return None
    return max(map(int, numbers), default=0)


def _ranging(one: code.Instruction) -> Iterator[int]:
    """The registers that get their values from fluents."""
    if isinstance(one, code.Domain):
        yield one.register
    elif isinstance(one, code.Lookup):
        yield from registers(*one.columns, one.value, bound_here=True)
        yield from _passing(one)


def _passing(one: code.Lookup) -> Iterator[int]:
    """A number outside the registers for patterns with an anonymous variable: each value is a solution."""
    if any(_is_open(shape) for shape in (*one.columns, one.value)):
        yield -1 - one.out


def _is_open(shape: code.Shape) -> bool:
    if isinstance(shape, code.Structure):
        return any(map(_is_open, shape.args)) or (shape.tail is not None and _is_open(shape.tail))
    return isinstance(shape, code.Anything)


def by_table(definitions: tuple[Definition, ...]) -> Mapping[int, list[Definition]]:
    """Groups definitions by the fluent that they define."""
    found: dict[int, list[Definition]] = {}
    for one in definitions:
        found.setdefault(one.table, []).append(one)
    return found
