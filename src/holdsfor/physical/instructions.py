"""The instructions of register programs, and the terms in them.

Registers are numbered for each program, `Register(0)` being the present time-point.
"""

from __future__ import annotations

from dataclasses import field
from enum import IntEnum
from typing import TypeAlias

from holdsfor.diagnostics import NOWHERE, Span
from holdsfor.ir import DelayRule, Literal
from holdsfor.records import record

NOW = 0
"""The register of the present time-point."""


# Terms with registers


@record
class Constant:
    """A ground term that is a name or a number."""

    value: str | int | float


@record
class Register:
    """The value of a register. With `binds` it is the first occurrence, which gives the register its value."""

    number: int
    binds: bool = False


@record
class Anything:
    """Matches every term."""


@record
class Structure:
    """A compound term; the functor `[]` is a list, whose rest is `tail`."""

    functor: str
    args: tuple[Shape, ...]
    tail: Shape | None = None


Shape: TypeAlias = Constant | Register | Anything | Structure
LIST = "[]"
"""The functor of lists, which no compound term has."""


@record
class Apply:
    """A function of arithmetic, applied to expressions; its name and arity as in rules."""

    function: str
    args: tuple[Expression, ...]


@record
class Calendar:
    """A field of the calendar at a time-point; `unit` is how many nanoseconds a time-point is."""

    field: str
    time: Expression
    unit: int
    zone: str


Expression: TypeAlias = Constant | Register | Structure | Apply | Calendar


# Instructions


@record
class Origin:
    """The line of a source at which something was written; line 0 is nowhere."""

    source: str = ""
    line: int = 0

    def __str__(self) -> str:
        """As in messages."""
        return f"{self.source}:{self.line}" if self.line else "a rule without text"


def origin(span: Span) -> Origin:
    """Where a span begins."""
    return Origin() if span is NOWHERE else Origin(span.source.name, span.line)


@record
class Site:
    """Where an instruction comes from, and what has a value there, by name: a register, or always the same. For messages."""

    span: Span = field(default=NOWHERE, compare=False)
    row: tuple[tuple[str, int | Constant], ...] = field(default=(), compare=False)
    literal: Literal | DelayRule | None = field(default=None, compare=False, repr=False)


@record
class Instant:
    """The time-point of a condition: a register that has a value, or one to give the times between two limits to.

    The limits are distances back from the present: `now - most` to `now - least`; None is without limit.
    """

    register: int
    binds: bool = False
    least: int | None = None
    most: int | None = None


@record
class Events:
    """The events of a table at a time-point that match."""

    table: int
    columns: tuple[Shape, ...]
    time: Instant


@record
class Holding:
    """The pairs of a fluent that hold at a time-point and match."""

    table: int
    columns: tuple[Shape, ...]
    value: Shape
    time: Instant


class EdgeKind(IntEnum):
    """Which change of a pair is meant."""

    START = 0
    END = 1
    INITIATED = 2
    TERMINATED = 3


@record
class Edges:
    """The pairs of a fluent that start, end, are initiated or terminated at a time-point, and match."""

    table: int
    kind: EdgeKind
    columns: tuple[Shape, ...]
    value: Shape
    time: Instant


@record
class Endable:
    """The pairs of a fluent that there is something to end of: they hold, or are being initiated."""

    table: int
    columns: tuple[Shape, ...]
    value: Shape


@record
class Facts:
    """The rows of a fact table that match."""

    facts: int
    columns: tuple[Shape, ...]


@record
class Call:
    """A predicate that is solved outside of the core: `goal` is its number, `inputs` and `outputs` its registers."""

    goal: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    site: Site = Site()


@record
class Compare:
    """A comparison of numbers, by its name in rules."""

    operator: str
    left: Expression
    right: Expression
    site: Site = Site()


@record
class Equal:
    """Makes a ground term and another one equal; with `negated`, holds if two ground terms are different."""

    ground: Shape
    other: Shape
    negated: bool = False


@record
class Assign:
    """The value of an expression, which must match."""

    target: Shape
    expression: Expression
    site: Site = Site()


@record
class Negate:
    """Holds if the block has no solution."""

    block: Block


@record
class Choose:
    """Every solution of every branch."""

    branches: tuple[Block, ...]


@record
class Branch:
    """`then` for the first solution of `condition`, `otherwise` if it has none."""

    condition: Block
    then: Block
    otherwise: Block | None


@record
class Collect:
    """A list with the template for every solution of the block, or what an aggregate makes of it; it must match `result`.

    Aggregates are numbered as `SlidingKind` has them; -1 is the list itself. With a window, the block is the events of a
    table in it and nothing else.
    """

    template: Shape
    block: Block
    result: Shape
    aggregate: int = -1
    site: Site = Site()
    window: Window | None = None


@record
class Window:
    """The events of the last `length`: what each is worth, and which of their columns are known beforehand."""

    length: Expression
    worth: Expression | None
    known: tuple[int, ...]


@record
class Domain:
    """Gives a register each value that it can have at its places in the pairs of some fluents."""

    register: int
    places: tuple[Place, ...]


@record
class Place:
    """A pattern of pairs, in which the register of a domain has the value it takes."""

    table: int
    columns: tuple[Shape, ...]
    value: Shape


@record
class Lookup:
    """The intervals of pairs that match, into a list register; of a ground pair that there is not, none."""

    table: int
    columns: tuple[Shape, ...]
    value: Shape
    out: int


@record
class Operate:
    """An interval operator on list registers; `parameters` are those of the operator.

    `rest` is the register of a term that lists further lists.
    """

    operator: str
    inputs: tuple[int, ...]
    out: int
    parameters: tuple[int, ...] = ()
    bound: Expression | None = None
    rest: int | None = None
    site: Site = Site()


@record
class Empty:
    """Holds if a list register has no interval; with `negated`, if it has one. With `gives` it becomes empty."""

    register: int
    negated: bool = False
    gives: bool = False


@record
class Copy:
    """Gives a list register the list of another; with `tests`, holds if both have the same."""

    source: int
    out: int
    tests: bool = False


@record
class ListCall:
    """A predicate on lists of intervals that is solved outside of the core; like `Call`, with list registers besides."""

    goal: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    list_inputs: tuple[int, ...]
    list_outputs: tuple[int, ...]
    site: Site = Site()


@record
class Spell:
    """Gives a register the intervals of a list register as a term."""

    source: int
    register: int


@record
class Read:
    """Gives a list register the intervals that a term lists."""

    term: Shape
    out: int
    site: Site = Site()


Instruction: TypeAlias = (
    Events
    | Holding
    | Edges
    | Endable
    | Facts
    | Call
    | Compare
    | Equal
    | Assign
    | Negate
    | Choose
    | Branch
    | Collect
    | Domain
    | Lookup
    | Operate
    | Empty
    | Copy
    | ListCall
    | Spell
    | Read
)
Block: TypeAlias = tuple[Instruction, ...]
