"""Finds what programs read: instructions in nested blocks, tables with their look-back, registers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, NamedTuple

from holdsfor.physical import instructions as code
from holdsfor.physical.model import FOREVER
from holdsfor.records import record

_OF_REGISTERS = frozenset(("inputs", "outputs", "register", "rest"))
"""Fields that contain register numbers."""


@record
class TableRead:
    """A table that a condition reads, from `most` to `least` time-points before the present."""

    table: int
    least: int
    most: int
    edge: code.EdgeKind | None = None


def walk(block: code.Block) -> Iterator[code.Instruction]:
    """All instructions of a block and of nested blocks, in execution order."""
    for one in block:
        yield one
        for inner in blocks_of(one):
            yield from walk(inner)


def blocks_of(one: code.Instruction) -> tuple[code.Block, ...]:
    """The blocks inside an instruction."""
    match one:
        case code.Negate(block=block) | code.Collect(block=block):
            return (block,)
        case code.Choose(branches=branches):
            return branches
        case code.Branch(condition=condition, then=then, otherwise=otherwise):
            return (condition, then) if otherwise is None else (condition, then, otherwise)
        case _:
            return ()


def reads(block: code.Block) -> Iterator[TableRead]:
    """The events and fluents that a program about time-points reads."""
    for one in walk(block):
        match one:
            case code.Events(table=table, time=time) | code.Holding(table=table, time=time):
                yield TableRead(table, *_distances(time))
            case code.Edges(table=table, time=time, kind=kind):
                yield TableRead(table, *_distances(time), kind)
            case _:
                continue


def goals(block: code.Block) -> Iterator[int]:
    """The numbers of the goals that a program calls."""
    return (one.goal for one in walk(block) if isinstance(one, code.Call | code.ListCall))


def registers(*shapes: code.Shape, bound_here: bool = False) -> Iterator[int]:
    """The registers in some terms; with `bound_here`, those that are bound there."""
    for shape in shapes:
        match shape:
            case code.Register(number=number, binds=binds) if binds or not bound_here:
                yield number
            case code.Structure(args=args, tail=tail):
                yield from registers(*args, *(() if tail is None else (tail,)), bound_here=bound_here)
            case _:
                continue


class Registers(NamedTuple):
    """The registers that must be bound before (with those that reports name), and those bound afterwards."""

    needed: set[int]
    given: set[int]


def registers_of(part: object) -> Registers:
    """The registers of an instruction, a block or a term.

    >>> registers_of((code.Register(1), code.Register(2, binds=True), code.Register(2)))
    Registers(needed={1}, given={2})
    """
    found = Registers(set(), set())
    _add(part, found)
    return Registers(found.needed - found.given, found.given)


def _add(part: object, found: Registers) -> None:
    match part:
        case code.Register(number=number, binds=binds) | code.Instant(register=number, binds=binds):
            (found.given if binds else found.needed).add(number)
        case tuple():
            for item in part:
                _add(item, found)
        case code.Negate(block=block):
            # Registers bound inside a block are unbound after it.
            found.needed.update(registers_of(block).needed)
        case code.Site(row=row):
            found.needed.update(known for _, known in row if isinstance(known, int))
        case code.Call(inputs=inputs, outputs=outputs):
            # Neither this instruction nor a list reports anything.
            found.needed.update(inputs, outputs)
        case code.Collect(template=template, block=block, result=result, aggregate=-1):
            _add((template, block, result), found)
        case _:
            kind: Any = type(part)
            for name in _parts(kind):
                value = getattr(part, name)
                if name not in _OF_REGISTERS:
                    _add(value, found)
                elif value is not None:
                    found.needed.update((value,) if isinstance(value, int) else value)


@cache
def _parts(kind: type) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind)) if is_dataclass(kind) else ()


def _distances(time: code.Instant) -> tuple[int, int]:
    if time.register == code.NOW:
        return 0, 0
    return max(0, time.least or 0), FOREVER if time.most is None else max(0, time.most)
