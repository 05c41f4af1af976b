"""What outlives a window: the state at its border, and where a run stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.kernels import Bools, Ints
from holdsfor.engine.tables import FOREVER, Events, Intervals, Points
from holdsfor.ir import EffectKind

if TYPE_CHECKING:
    from holdsfor.engine.metric.carried import Carried

NEVER = -int(FOREVER)
"""The last query time of a run that has not begun."""


@dataclass(frozen=True)
class Holding:
    """The pairs of a fluent that hold at the border, and the time-point from which each does."""

    args: tuple[Ints, ...]
    value: Ints
    since: Ints


@dataclass(frozen=True)
class Settled:
    """Instances of a statically determined fluent whose past may still change, and from which time-point on."""

    args: tuple[Ints, ...]
    value: Ints
    first: Ints


@dataclass(frozen=True)
class Attempts:
    """Delayed effects under way at the border: trigger pairs, and when they were initiated."""

    args: tuple[Ints, ...]
    value: Ints
    initiated: Ints


@dataclass(frozen=True)
class Reports:
    """What is known of an input fluent: pieces of intervals, whether the window they came in cut off their beginning,
    and whether they are single points.

    It is noted if they are `in_order` of arguments, value and start, and if they are maximal intervals besides.
    """

    args: tuple[Ints, ...]
    value: Ints
    start: Ints
    end: Ints
    is_cut: Bools
    is_point: Bools
    in_order: bool = field(default=False, kw_only=True)
    is_maximal: bool = field(default=False, kw_only=True)

    def __len__(self) -> int:
        return len(self.start)

    def take(self, rows: Ints) -> Reports:
        """Some of the pieces."""
        others = (self.value, self.start, self.end, self.is_cut, self.is_point)
        return Reports(tuple(column[rows] for column in self.args), *(column[rows] for column in others))  # type: ignore[arg-type]


@dataclass
class Border:
    """The state at a border, by event and fluent.

    What is in `settled` is held right before the time-point given there, all else at the border. `past` has ended intervals for those who need histories, `points` what was initiated and terminated and `derived`
    the derived events for those who look back, `metric` what metric rules will derive from the time before, by the first
    predicate of their stratum. `events` and `reports` are the input that the next window sees again.
    """

    holding: dict[Symbol, Holding] = field(default_factory=dict)
    settled: dict[Symbol, Settled] = field(default_factory=dict)
    attempts: dict[Symbol, Attempts] = field(default_factory=dict)
    past: dict[Symbol, Intervals] = field(default_factory=dict)
    points: dict[tuple[Symbol, EffectKind], Points] = field(default_factory=dict)
    derived: dict[Symbol, Events] = field(default_factory=dict)
    metric: dict[Symbol, list[Carried]] = field(default_factory=dict)
    events: dict[Symbol, Events] = field(default_factory=dict)
    reports: dict[Symbol, Reports] = field(default_factory=dict)

    def earliest(self) -> int | None:
        """The earliest time-point that what was worked out mentions."""
        columns = [held.since for held in self.holding.values()]
        columns += [held.first for held in self.settled.values()]
        columns += [held.initiated for held in self.attempts.values()]
        columns += [table.start for table in self.past.values()] + [points.time for points in self.points.values()]
        # What has held since before all time is at the rim of the time-line wherever that is.
        finite = [column[column > -FOREVER] for column in columns]
        return min((int(column.min()) for column in finite if len(column)), default=None)

    def rows(self) -> int:
        """How many rows the state has."""
        sizes = [len(held.since) for held in self.holding.values()]
        sizes += [len(held.first) for held in self.settled.values()]
        sizes += [len(held.initiated) for held in self.attempts.values()]
        tables = (self.past, self.points, self.derived, self.events, self.reports)
        sizes += [one.facts for carried in self.metric.values() for one in carried]
        return sum(sizes) + sum(len(table) for found in tables for table in found.values())


@dataclass(frozen=True)
class State:
    """Where a run stands after a query time: all that the next one must know of the time before it.

    Time began at `origin`; everything up to `border` is settled; `query` is the last query time. `conflicts` beyond the
    border have been counted.
    """

    origin: int
    border: int
    query: int
    kept: Border
    conflicts: int = 0

    @classmethod
    def beginning(cls, origin: int) -> State:
        """The state before the first query time, for a stream whose first time-point is `origin`."""
        return cls(origin, origin - 2, NEVER, Border())
