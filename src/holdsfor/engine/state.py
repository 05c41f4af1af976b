"""Border state: all that a window must know of the time before it."""

from __future__ import annotations

from dataclasses import dataclass, field

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.kernels import Ints
from holdsfor.engine.tables import FOREVER, Intervals, Points
from holdsfor.ir import EffectKind


@dataclass(frozen=True)
class Holding:
    """The pairs of a fluent that hold at the border, and the time-point from which each does."""

    args: tuple[Ints, ...]
    value: Ints
    since: Ints


@dataclass(frozen=True)
class Attempts:
    """Delayed effects under way at the border: trigger pairs, and when they were initiated."""

    args: tuple[Ints, ...]
    value: Ints
    initiated: Ints


@dataclass
class Border:
    """The state at a border, by fluent."""

    holding: dict[Symbol, Holding] = field(default_factory=dict)
    attempts: dict[Symbol, Attempts] = field(default_factory=dict)
    past: dict[Symbol, Intervals] = field(default_factory=dict)
    points: dict[tuple[Symbol, EffectKind], Points] = field(default_factory=dict)

    def earliest(self) -> int | None:
        """The earliest time-point that the state mentions."""
        columns = [held.since for held in self.holding.values()]
        columns += [held.initiated for held in self.attempts.values()]
        columns += [table.start for table in self.past.values()] + [points.time for points in self.points.values()]
        # What has held since before all time is at the rim of the time-line wherever that is.
        finite = [column[column > -FOREVER] for column in columns]
        return min((int(column.min()) for column in finite if len(column)), default=None)
