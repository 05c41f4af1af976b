"""How long each stratum takes, and how many rows go in and come out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.plan import Stratum
from holdsfor.engine.evaluation import Evaluation


@dataclass
class Measured:
    """One stratum, over all query times so far."""

    seconds: float = 0.0
    rows_in: int = 0
    rows_out: int = 0


@dataclass
class Profile:
    """What was measured, by the number of the stratum."""

    strata: dict[int, Measured] = field(default_factory=dict)

    def measure(self, stratum: Stratum, evaluation: Evaluation, work: Callable[[Evaluation, Stratum], None]) -> None:
        """Run a stratum with the clock on."""
        found = self.strata.setdefault(stratum.number, Measured())
        found.rows_in += _rows(stratum.inputs, evaluation)
        begin = time.perf_counter()
        work(evaluation, stratum)
        found.seconds += time.perf_counter() - begin
        found.rows_out += _rows(stratum.members, evaluation)


def _rows(symbols: Iterable[Symbol], evaluation: Evaluation) -> int:
    return sum(
        len(evaluation.events(symbol)) if symbol.kind is EntityKind.EVENT else len(evaluation.intervals(symbol))
        for symbol in symbols
    )
