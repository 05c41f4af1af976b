"""A stretch of time of one stage: its input and results, and an evaluation of it that tells conflicts by key."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.evaluation import Evaluation, Inputs, Moment
from holdsfor.engine.kernels import Ints
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.state import Border
from holdsfor.incremental.parts import Keys, Layers, Part


@dataclass
class Pane:
    """A stretch of time from `begin` on: the input in it, and what was worked out of it.

    The input is in several runs, each in order of keys.
    """

    begin: int
    input: dict[Symbol, list[Part]] = field(default_factory=dict)
    layers: Layers = field(default_factory=Layers)
    dirty: list[Keys] = field(default_factory=list)
    """Keys for which something in this pane has changed."""
    is_all_dirty: bool = False
    share: float = 0.0
    """For which share of the keys it was worked out again lately, about."""

    @property
    def occurrences(self) -> int:
        """How many occurrences of events are in it."""
        return sum(len(part) for runs in self.input.values() for part in runs)


class Keyed(Evaluation):
    """An evaluation that remembers which instances its conflicts belong to."""

    def __init__(self, prepared: Prepared, moment: Moment, inputs: Inputs, border: Border) -> None:
        super().__init__(prepared, moment, inputs, border)
        self.broken: list[tuple[Symbol, tuple[Ints, ...], Ints]] = []

    def add_conflicts(self, times: Ints, symbol: Symbol | None = None, args: tuple[Ints, ...] = ()) -> None:
        """Keep initiations that were broken at their own time-point."""
        rows = np.flatnonzero(times > self.moment.border)
        if symbol is not None and len(rows):
            self.broken.append((symbol, tuple(column[rows] for column in args), times[rows]))
