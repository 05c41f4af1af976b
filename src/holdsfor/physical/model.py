"""The physical plan as data: tables, components in order, rules as register programs.

The compiler lowers a program to it once. The plan is printed, encoded as bytes and passed to the core. Nothing else
interprets rules.
"""

from __future__ import annotations

from dataclasses import field
from enum import IntEnum

from holdsfor.physical.instructions import Block, Expression, Origin, Shape, Site
from holdsfor.physical.metric import MetricComponent
from holdsfor.records import record

FOREVER = 2**63 - 1
"""A distance without limit."""


@record
class Program:
    """A block with the number of its registers and of its list registers."""

    block: Block
    registers: int
    lists: int = 0


class HeadKind(IntEnum):
    """The kind of effect or event that a rule produces."""

    INITIATE = 0
    TERMINATE = 1
    HAPPEN = 2


@record
class Rule:
    """An effect or event rule: what it produces for each solution, and the tables that trigger it.

    If the first instruction reads events of the present time-point, the rule runs once per event row. `row_tests` are
    the instructions that can be decided when such a row arrives. `row_rest` are the remaining instructions for a row
    that passes. Both are positions in the block: see `passes.row_tests`.
    """

    kind: HeadKind
    table: int
    columns: tuple[Shape, ...]
    value: Shape | None
    program: Program
    drivers: tuple[int, ...]
    row_tests: tuple[int, ...] = ()
    row_rest: tuple[int, ...] = ()
    origin: Origin = field(default=Origin(), compare=False)


@record
class Delay:
    """A delayed effect: `columns` and `value` match the initiated pair. Without a new value, the pair is terminated."""

    table: int
    columns: tuple[Shape, ...]
    value: Shape
    program: Program
    delay: Expression
    effect: tuple[int, tuple[Shape, ...], Shape] | None
    site: Site = Site()
    origin: Origin = field(default=Origin(), compare=False)


@record
class PairProgram:
    """A program about a pair: a condition of postponing or a grounding, or the source of initial pairs."""

    table: int
    columns: tuple[Shape, ...]
    value: Shape
    program: Program
    origin: Origin = field(default=Origin(), compare=False)


@record
class Definition:
    """A rule of a statically determined fluent: it gives the list `out` for each solution."""

    table: int
    columns: tuple[Shape, ...]
    value: Shape
    program: Program
    out: int
    origin: Origin = field(default=Origin(), compare=False)


class MomentKind(IntEnum):
    """The effects of rules at a time-point."""

    INITIATED = 0
    DELAYED = 1
    TERMINATED = 2
    EVENT = 3


@record
class Decision:
    """A delayed effect that a group decides: its kind, on pairs of a table with a value."""

    kind: MomentKind
    table: int
    value: Shape


@record
class Group:
    """Rules that are decided together at a time-point, by number. `repeats` if they can trigger each other."""

    rules: tuple[int, ...]
    decisions: tuple[Decision, ...]
    repeats: bool


class Role(IntEnum):
    """The source of the rows of a table."""

    INPUT_EVENT = 0
    DERIVED_EVENT = 1
    INPUT_FLUENT = 2
    SIMPLE_FLUENT = 3
    STATIC_FLUENT = 4


@record
class Table:
    """An event or fluent with its number of columns; a fluent has a value in addition.

    A checkpoint just after a time-point B contains all intervals of a fluent up to B that end at or after B + 1 -
    `keep`, and all events and effects after B - `keep`, for conditions that look back. `keep_why` names the rule that
    looks farthest.

    A `recomputed` statically determined fluent is empty in a checkpoint: its intervals follow from whole lists. The
    intervals of all other fluents are those of the checkpoint up to B, joined with the results of rules after B.

    Only rules see a table that `is_hidden`. `forgotten` says what terminates a fluent of a silent entity.
    """

    label: str
    role: Role
    columns: int
    keep: int = FOREVER
    keep_why: str = field(default="", compare=False)
    recomputed: bool = False
    is_hidden: bool = False
    forgotten: str = field(default="", compare=False)


@record
class FactTable:
    """Ground facts."""

    label: str
    columns: int
    rows: tuple[tuple[Shape, ...], ...]


@record
class Component:
    """Tables that are evaluated together: by rules about time-points, definitions of a fluent, or metric rules."""

    tables: tuple[int, ...]
    groups: tuple[Group, ...]
    rules: tuple[Rule, ...]
    definitions: tuple[Definition, ...]
    delays: tuple[Delay, ...]
    is_static: bool
    metric: MetricComponent | None = None


@record
class Route:
    """How the rows of a table reach a stage: to the key at each of some places, or to all keys if it is shared.

    With `parts`, each place is one column, and its rows go to the keys that have its value at one of these parts.
    """

    table: int
    places: tuple[tuple[int, ...], ...]
    is_shared: bool
    parts: tuple[tuple[int, ...], ...] = ()


@record
class FactTie:
    """Keys that facts tie. Each group is evaluated as one key. `label` and `columns` name the facts."""

    label: str = field(compare=False)
    columns: tuple[int, ...] = field(compare=False)
    groups: tuple[tuple[Shape, ...], ...]


@record
class Stage:
    """Components that are evaluated key by key. `key` is the number of columns of the key.

    Without columns there is one key, and `why` names the reason. Where keys are tied, rows that have the key at several
    places tie these keys, and so do facts. Tied keys are evaluated as one.
    """

    components: tuple[Component, ...]
    key: int
    members: tuple[Route, ...]
    inputs: tuple[Route, ...]
    is_tied: bool = False
    fact_ties: tuple[FactTie, ...] = ()
    why: str = field(default="", compare=False)


@record
class GoalInfo:
    """A condition that is solved outside the core, as text; `meaning` is the text independent of variable names.

    It `changes` if its answers depend on domains that input fills.
    """

    label: str = field(compare=False)
    meaning: str
    changes: bool = False


@record
class PhysicalPlan:
    """Everything that the core needs to know about a program. Plans are equal if they have the same meaning.

    Rows up to a border never change. Their results are final up to `settle` time-points before the border; `settle_why`
    names the rule that takes longest. FOREVER means that any earlier result may change at any time.
    """

    tables: tuple[Table, ...]
    facts: tuple[FactTable, ...]
    goals: tuple[GoalInfo, ...]
    stages: tuple[Stage, ...]
    initially: tuple[PairProgram, ...]
    postpones: tuple[PairProgram, ...]
    groundings: tuple[PairProgram, ...]
    max_delayed_effects: int
    knowledge: str = ""
    """A digest of the background rules that goals depend on; facts are in `facts`."""
    settle: int = FOREVER
    settle_why: str = field(default="", compare=False)
