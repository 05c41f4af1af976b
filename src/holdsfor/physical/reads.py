"""What programs read: instructions in nested blocks, and tables with how far back."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.physical.instructions import (
    NOW,
    Block,
    Branch,
    Call,
    Choose,
    Collect,
    EdgeKind,
    Edges,
    Events,
    Holding,
    Instant,
    Instruction,
    ListCall,
    Negate,
    Register,
    Shape,
    Structure,
)
from holdsfor.physical.model import FOREVER
from holdsfor.records import record


@record
class Read:
    """A table that a condition reads, from `most` to `least` time-points before the present."""

    table: int
    least: int
    most: int
    edge: EdgeKind | None = None


def walk(block: Block) -> Iterator[Instruction]:
    """All instructions of a block, nested ones included, in the order in which they run."""
    for one in block:
        yield one
        for inner in blocks_of(one):
            yield from walk(inner)


def blocks_of(one: Instruction) -> tuple[Block, ...]:
    """The blocks inside an instruction."""
    match one:
        case Negate(block=block) | Collect(block=block):
            return (block,)
        case Choose(branches=branches):
            return branches
        case Branch(condition=condition, then=then, otherwise=otherwise):
            return (condition, then) if otherwise is None else (condition, then, otherwise)
        case _:
            return ()


def reads(block: Block) -> Iterator[Read]:
    """The events and fluents that a program about time-points reads."""
    for one in walk(block):
        match one:
            case Events(table=table, time=time) | Holding(table=table, time=time):
                yield Read(table, *_distances(time))
            case Edges(table=table, time=time, kind=kind):
                yield Read(table, *_distances(time), kind)
            case _:
                continue


def goals(block: Block) -> Iterator[int]:
    """The numbers of the goals that a program calls."""
    return (one.goal for one in walk(block) if isinstance(one, Call | ListCall))


def registers(*shapes: Shape, bound_here: bool = False) -> Iterator[int]:
    """The registers in some terms; with `bound_here`, those that get their value there."""
    for shape in shapes:
        match shape:
            case Register(number=number, binds=binds) if binds or not bound_here:
                yield number
            case Structure(args=args, tail=tail):
                yield from registers(*args, *(() if tail is None else (tail,)), bound_here=bound_here)
            case _:
                continue


def _distances(time: Instant) -> tuple[int, int]:
    if time.register == NOW:
        return 0, 0
    return max(0, time.least or 0), FOREVER if time.most is None else max(0, time.most)
