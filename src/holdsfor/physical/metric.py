"""The parts of a physical plan that metric rules are: relations, and rules in normal form over cells of the doubled time-line.

Distances are counted in ticks, so many to a unit of time that all of those in the rules are whole. Registers are numbered
for each rule.
"""

from __future__ import annotations

from dataclasses import field
from typing import TypeAlias

from holdsfor.physical.instructions import Expression, Origin, Shape
from holdsfor.records import record


@record
class MetricRelation:
    """A predicate, or what an operator makes of one."""

    label: str
    columns: int


@record
class MetricScan:
    """A relation with its arguments: constants choose, registers join, anything else matches everything."""

    relation: int
    columns: tuple[Shape, ...]
    negated: bool = False


@record
class MetricTest:
    """A comparison of arguments, by its sign in rules; one of numbers holds for numbers only.

    An equation whose one side is a register without a value gives it one.
    """

    operator: str
    is_numeric: bool
    left: Expression
    right: Expression


@record
class MetricTotal:
    """A function, by its number, of the rows of a scan that hold at the same time: see `ir.metric.Aggregate`."""

    function: int
    result: int
    terms: tuple[int, ...]
    groups: tuple[int, ...]
    scan: MetricScan


MetricLiteral: TypeAlias = MetricScan | MetricTest | MetricTotal


@record
class MetricOffsets:
    """An interval of distances in ticks; None is infinite."""

    low: int | None
    high: int | None
    low_open: bool
    high_open: bool


@record
class MetricMove:
    """`head` holds at t iff `source` does at some point of t minus the offsets."""

    head: int
    source: int
    offsets: MetricOffsets
    origin: Origin = field(default=Origin(), compare=False)


@record
class MetricErode:
    """`head` holds at t iff `source` does at all points of t minus the offsets."""

    head: int
    source: int
    offsets: MetricOffsets
    origin: Origin = field(default=Origin(), compare=False)


@record
class MetricLast:
    """`left` Since `right`, or Until, for the registers of both; with `waits`, as it was so many ticks ago."""

    head: int
    columns: tuple[int, ...]
    left: MetricScan
    right: MetricScan
    offsets: MetricOffsets
    is_until: bool
    waits: int
    origin: Origin = field(default=Origin(), compare=False)


@record
class MetricJoin:
    """`head` holds of the terms whenever all literals do; the core chooses their order."""

    head: int
    terms: tuple[Shape, ...]
    literals: tuple[MetricLiteral, ...]
    registers: int
    origin: Origin = field(default=Origin(), compare=False)


MetricRule: TypeAlias = MetricMove | MetricErode | MetricLast | MetricJoin


@record
class MetricStratum:
    """Relations that are evaluated together, after those of the strata before.

    Recursion can be evaluated for one value after the other of a column of each relation, its `key`; without a key, for
    all together. It carries facts in one direction, `stride` ticks at a time at least; 0 if it has no direction.
    """

    relations: tuple[int, ...]
    rules: tuple[MetricRule, ...]
    is_recursive: bool
    key: tuple[int, ...] = ()
    stride: int = 0
    is_backward: bool = False


@record
class MetricPart:
    """The metric rules of a component."""

    relations: tuple[MetricRelation, ...]
    strata: tuple[MetricStratum, ...]


@record
class MetricInput:
    """A relation that has the rows of a table: times at which events happen, or at which a fluent is true.

    A result depends on those up to `back` time-points before it and `ahead` after it.
    """

    relation: int
    table: int
    back: int
    ahead: int


@record
class MetricOutput:
    """A table that has the time-points at which a relation holds."""

    relation: int
    table: int


@record
class MetricSpan:
    """Outside of which time a stratum derives nothing that is asked for: so many ticks before the beginning of time, and so
    many after the last time-point that the query time decides; one of both is enough. None: without limit. If it
    `is_endless`, neither helps. Whether somebody asks about times before, or after, all that are told apart.
    """

    before: int | None
    after: int | None
    is_endless: bool = False
    asks_before: bool = False
    asks_after: bool = False


@record
class MetricGiven:
    """A fact among the rules: a row of a relation, and from which cell of the doubled time-line to which it holds."""

    relation: int
    columns: tuple[Shape, ...]
    start: int | None
    end: int | None


@record
class MetricComponent:
    """Metric predicates that are evaluated together, on a time-line of `scale` ticks to a time-point.

    `spans` are those of the strata. So many time-points after the last change of what it reads, and of facts, nothing
    changes any more by itself: its `reach`. `farthest` is the rule that looks farthest back or ahead. If it `is_rational`,
    rows have cells of the doubled time-line for times. One that `is_forward` goes on from slice to slice of time; if it
    `is_final`, facts are neither late nor taken back, and all keys are evaluated together.
    """

    part: MetricPart
    scale: int
    inputs: tuple[MetricInput, ...]
    outputs: tuple[MetricOutput, ...]
    spans: tuple[MetricSpan, ...]
    facts: tuple[MetricGiven, ...]
    reach: int
    farthest: Origin = field(default=Origin(), compare=False)
    is_rational: bool = False
    is_forward: bool = False
    is_final: bool = False
