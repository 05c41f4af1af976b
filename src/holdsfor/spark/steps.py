"""One query time of a stage: the engine's step, with tables of earlier stages put in before it."""

from __future__ import annotations

from collections.abc import Iterable

from holdsfor.engine.evaluation import Evaluation, Moment
from holdsfor.engine.inputs import Sight
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.run import _Batches
from holdsfor.engine.state import NEVER, State
from holdsfor.engine.step import _seen, evaluate
from holdsfor.engine.stream import Stream
from holdsfor.engine.tables import FOREVER
from holdsfor.engine.windows import WindowPlan
from holdsfor.spark.given import GivenTable, fill


class Batches(_Batches):
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
) -> tuple[Evaluation, State]:
    """Evaluate a query time and say what the next one must know."""
    low = -int(FOREVER) if size is None else query - size
    settled = state.origin - 2 if size is None else max(state.origin - 2, min(query, query + step - size) - 1)
    inputs, kept = _seen(prepared, state.kept, arrived, Sight(query, low, state.query), settled)
    evaluation = Evaluation(prepared, Moment(state.border, query, state.origin, settled, low), inputs, state.kept)
    fill(evaluation, given)
    evaluate(evaluation)
    border = evaluation.next_border
    border.events, border.reports = kept.events, kept.reports
    return evaluation, State(state.origin, settled, query, border)
