"""The metric parts of a physical plan: relations, and rules in normal form over cells of the doubled time-line.

Distances are counted in ticks. A time unit has as many ticks as make all distances in the rules whole numbers. Each
rule numbers its own registers.
"""

from __future__ import annotations

from dataclasses import field
from typing import TypeAlias

from holdsfor.physical.instructions import Expression, Origin, Shape
from holdsfor.records import record


@record
class MetricRelation:
    """A predicate, or the result of an operator on a relation."""

    label: str
    columns: int


@record
class MetricScan:
    """A relation with its arguments. Constants select, registers join, and everything else matches any value."""

    relation: int
    columns: tuple[Shape, ...]
    negated: bool = False


@record
class MetricTest:
    """A comparison of arguments, with its sign in rules. A numeric comparison holds for numbers only.

    An equation gives a value to a side that is an unbound register.
    """

    operator: str
    is_numeric: bool
    left: Expression
    right: Expression


@record
class MetricTotal:
    """An aggregate, by number, over the rows of a scan that hold at the same time: see `ir.metric.Aggregate`."""

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
    """`head` holds at t iff `source` holds at some point of t minus the offsets."""

    head: int
    source: int
    offsets: MetricOffsets
    origin: Origin = field(default=Origin(), compare=False)


@record
class MetricErode:
    """`head` holds at t iff `source` holds at all points of t minus the offsets."""

    head: int
    source: int
    offsets: MetricOffsets
    origin: Origin = field(default=Origin(), compare=False)


@record
class MetricLast:
    """`left` Since or Until `right`, with their registers. With `waits`, the state so many ticks ago counts."""

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
    """`head` holds for the terms whenever all literals hold. The core chooses the order of the literals."""

    head: int
    terms: tuple[Shape, ...]
    literals: tuple[MetricLiteral, ...]
    registers: int
    origin: Origin = field(default=Origin(), compare=False)


MetricRule: TypeAlias = MetricMove | MetricErode | MetricLast | MetricJoin


@record
class MetricStratum:
    """Relations that are evaluated together, after the strata before it.

    `key` is a column of each relation for which the recursion can be evaluated value by value; without a key, all
    values are evaluated together. `stride` is the least number of ticks by which recursion carries facts in one
    direction; 0 if it has no direction.
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
    """A relation that contains the rows of a table: times of events, or times at which a fluent is true.

    A result depends on rows from `back` time-points before it to `ahead` time-points after it.
    """

    relation: int
    table: int
    back: int
    ahead: int


@record
class MetricOutput:
    """A table that receives the time-points at which a relation holds."""

    relation: int
    table: int


@record
class MetricSpan:
    """Limits outside of which a stratum derives nothing that is needed. They are distances in ticks: before the
    beginning of time, and after the last time-point that the query time decides. One of both is enough. None means
    without limit. If it `is_endless`, neither limit helps. `asks_before` and `asks_after` say whether results are
    needed at times before, or after, all distinguished times.
    """

    before: int | None
    after: int | None
    is_endless: bool = False
    asks_before: bool = False
    asks_after: bool = False


@record
class MetricGiven:
    """A fact among the rules: a row of a relation, with its first and last cell of the doubled time-line."""

    relation: int
    columns: tuple[Shape, ...]
    start: int | None
    end: int | None


@record
class MetricComponent:
    """Metric predicates that are evaluated together, on a time-line with `scale` ticks per time-point.

    `spans` are the limits of the strata. After the last change of input or facts, results stop changing by themselves
    within `reach` time-points. `farthest` is the rule that looks farthest back or ahead. If `is_rational`, the times of
    rows are cells of the doubled time-line. If `is_forward`, evaluation proceeds slice by slice through time. If
    `is_final`, facts are neither late nor retracted, and all keys are evaluated together.
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
