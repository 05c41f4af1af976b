"""Runs a plan over a recorded stream, one query time after the other, working out only what changes."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.plan import Plan
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.run import Batches, whole_history
from holdsfor.engine.state import NEVER
from holdsfor.engine.step import Answer
from holdsfor.engine.stream import Stream
from holdsfor.engine.windows import WindowPlan, first_moment
from holdsfor.incremental.engine import Incremental


def run_incrementally(
    plan: Plan, dictionary: Dictionary, stream: Stream, windows: WindowPlan | None = None
) -> Iterator[Answer]:
    """The answers of all query times, one after the other."""
    windows = windows or whole_history(stream)
    engine = Incremental(plan, dictionary, first_moment(stream, windows), windows.size)
    batches = Batches(stream, windows, windows.query_times, NEVER)
    for place, query in enumerate(windows.query_times.tolist()):
        yield engine.query(query, batches.of(place))
