"""One query time of a stage: the engine's step, with tables of earlier stages put in before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine import step as engine
from holdsfor.engine.evaluation import Evaluation
from holdsfor.engine.kernels import Bools, Ints
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.run import Batches as BatchesOf
from holdsfor.engine.state import NEVER, State
from holdsfor.engine.stream import Stream
from holdsfor.engine.windows import WindowPlan
from holdsfor.spark.given import GivenTable, fill

Owns: TypeAlias = Callable[[Symbol, list[Ints], int], Bools]
"""Tells which instances belong here."""


class Batches(BatchesOf):
    """A stream cut into what arrives for each query time."""

    def __init__(self, stream: Stream, windows: WindowPlan) -> None:
        super().__init__(stream, windows, windows.query_times, NEVER)


def advance(
    prepared: Prepared,
    state: State,
    arrived: Stream,
    query: int,
    *,
    size: int | None,
    step: int,
    given: Iterable[GivenTable],
    owns: Owns | None = None,
) -> tuple[Evaluation, State]:
    """Evaluate a query time and say what the next one must know; conflicts are counted of instances that are owned."""
    done: list[Evaluation] = []

    def work(evaluation: Evaluation) -> None:
        evaluation.owns = owns
        fill(evaluation, given)
        engine.evaluate(evaluation)
        done.append(evaluation)

    _, following = engine.advance(prepared, state, arrived, query, size=size, step=step, work=work)
    return done[0], following
