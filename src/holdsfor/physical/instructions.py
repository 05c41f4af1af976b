"""The instructions of register programs, and the terms in them.

Each program numbers its own registers. `Register(0)` is the present time-point.
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
    """A ground term: a name or a number."""

    value: str | int | float


@record
class Register:
    """The value of a register. `binds` marks the first occurrence, which gives the register its value."""

    number: int
    binds: bool = False


@record
class Anything:
    """Matches every term."""


@record
class Structure:
    """A compound term. The functor `[]` is a list whose rest is `tail`."""

    functor: str
    args: tuple[Shape, ...]
    tail: Shape | None = None


Shape: TypeAlias = Constant | Register | Anything | Structure
LIST = "[]"
"""The functor of lists; no compound term has it."""


@record
class Apply:
    """An arithmetic function applied to expressions, with its name and arity as in rules."""

    function: str
    args: tuple[Expression, ...]


@record
class Calendar:
    """A calendar field of a time-point; `unit` is the number of nanoseconds per time-point."""

    field: str
    time: Expression
    unit: int
    zone: str


Expression: TypeAlias = Constant | Register | Structure | Apply | Calendar


# Instructions


@record
class Origin:
    """The source line at which something was written; line 0 means that there is none."""

    source: str = ""
    line: int = 0

    def __str__(self) -> str:
        """The origin as it appears in messages."""
        return f"{self.source}:{self.line}" if self.line else "a rule without text"

    @property
    def rule(self) -> str:
        """The rule there, in a sentence."""
        return f"the rule at {self}" if self.line else str(self)


def origin(span: Span) -> Origin:
    """The position at which a span begins."""
    return Origin() if span is NOWHERE else Origin(span.source.name, span.line)


@record
class Site:
    """The source of an instruction and the names of known values, for messages: each is in a register or constant."""

    span: Span = field(default=NOWHERE, compare=False)
    row: tuple[tuple[str, int | Constant], ...] = field(default=(), compare=False)
    literal: Literal | DelayRule | None = field(default=None, compare=False, repr=False)


@record
class Instant:
    """The time-point of a condition: a bound register, or a register that enumerates the times between two limits.

    The limits are distances back from the present: `now - most` to `now - least`. None means without limit.
    """

    register: int
    binds: bool = False
    least: int | None = None
    most: int | None = None


@record
class Events:
    """The matching events of a table at a time-point."""

    table: int
    columns: tuple[Shape, ...]
    time: Instant


@record
class Holding:
    """The matching pairs of a fluent that hold at a time-point."""

    table: int
    columns: tuple[Shape, ...]
    value: Shape
    time: Instant


class EdgeKind(IntEnum):
    """The kind of change of a pair."""

    START = 0
    END = 1
    INITIATED = 2
    TERMINATED = 3


@record
class Edges:
    """The matching pairs of a fluent that start, end, are initiated or terminated at a time-point."""

    table: int
    kind: EdgeKind
    columns: tuple[Shape, ...]
    value: Shape
    time: Instant


@record
class Endable:
    """The pairs of a fluent that can be terminated: they hold, or are being initiated."""

    table: int
    columns: tuple[Shape, ...]
    value: Shape


@record
class Facts:
    """The matching rows of a fact table."""

    facts: int
    columns: tuple[Shape, ...]


@record
class Call:
    """A predicate that is solved outside the core: `goal` is its number, `inputs` and `outputs` are its registers."""

    goal: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    site: Site = Site()


@record
class Compare:
    """A comparison of numbers, with its name in rules."""

    operator: str
    left: Expression
    right: Expression
    site: Site = Site()


@record
class Equal:
    """Unifies a term with a ground term. With `negated`, holds if two ground terms are different."""

    ground: Shape
    other: Shape
    negated: bool = False


@record
class Assign:
    """Evaluates an expression; the value must match."""

    target: Shape
    expression: Expression
    site: Site = Site()


@record
class Negate:
    """Holds if the block has no solution."""

    block: Block


@record
class Choose:
    """Enumerates every solution of every branch."""

    branches: tuple[Block, ...]


@record
class Branch:
    """Runs `then` for the first solution of `condition`, or `otherwise` if there is none."""

    condition: Block
    then: Block
    otherwise: Block | None


@record
class Collect:
    """Collects the template for every solution of the block in a list, or aggregates it. The result must match
    `result`.

    Aggregates have the numbers of `SlidingKind`; -1 is the list itself. With a window, the block consists only of the
    events of a table in the window.
    """

    template: Shape
    block: Block
    result: Shape
    aggregate: int = -1
    site: Site = Site()
    window: Window | None = None


@record
class Window:
    """The events of the last `length` time-points: the value of each, and its known columns."""

    length: Expression
    worth: Expression | None
    known: tuple[int, ...]


@record
class Domain:
    """Enumerates the values that a register can have at its places in the pairs of some fluents."""

    register: int
    places: tuple[Place, ...]


@record
class Place:
    """A pattern of pairs in which the register of a domain gets its value."""

    table: int
    columns: tuple[Shape, ...]
    value: Shape


@record
class Lookup:
    """Loads the intervals of matching pairs into a list register. An unknown ground pair gives an empty list."""

    table: int
    columns: tuple[Shape, ...]
    value: Shape
    out: int


@record
class Operate:
    """An interval operator on list registers; `parameters` are those of the operator.

    `rest` is the register of a term that lists further interval lists.
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
    """Holds if a list is empty, or not empty if `negated`. `gives` sets the register to an empty list."""

    register: int
    negated: bool = False
    gives: bool = False


@record
class Copy:
    """Copies one list register to another. With `tests`, holds if both have the same intervals."""

    source: int
    out: int
    tests: bool = False


@record
class ListCall:
    """A predicate on interval lists that is solved outside the core; like `Call`, with additional list registers."""

    goal: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    list_inputs: tuple[int, ...]
    list_outputs: tuple[int, ...]
    site: Site = Site()


@record
class Spell:
    """Converts the intervals of a list register to a term in a register."""

    source: int
    register: int


@record
class Read:
    """Converts a term that lists intervals to a list register."""

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
