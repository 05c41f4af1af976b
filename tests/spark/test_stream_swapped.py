"""Streams whose rules change: from when the plan says on, their changelog is that of a stream with the new rules from the start."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pytest

from holdsfor import HoldsforError
from holdsfor.loading import Reasoner
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.physical.exactness import SwapPlan, When
from holdsfor.reference import EventRow, IntervalRow
from holdsfor.spark.streaming.clock import Windows
from holdsfor.spark.streaming.tables import TableCheckpoint
from holdsfor.spark.streaming.workers import FileCheckpoint
from tests.core.families import FAMILIES, written
from tests.spark.stream_runs import Sent, SimulatedStream, happened_at, shown_at
from tests.spark.table_runs import SimulatedTables
from tests.spark.test_stream_keyed import with_retractions
from tests.spark.test_stream_simulated import Feeding
from tests.strategies.engine_runs import Scenario
from tests.strategies.rule_edits import edited
from tests.strategies.scenario_words import Pen

pytestmark = pytest.mark.filterwarnings("ignore")
NOT_SIMULATED = "clock ticks", "numbers"
"""See test_stream_regrouped.py."""


class Killed(Exception):
    """The process ends before the commit."""


def _killed(*_: object) -> None:
    raise Killed


def run_twice(stream: SimulatedStream, batch: list[Sent], number: int) -> None:
    """A batch whose process ends before the commit, and that is repeated with the same result."""
    used = list(stream.workers.used)
    with pytest.MonkeyPatch.context() as patch:
        for kind in (FileCheckpoint, TableCheckpoint):
            patch.setattr(kind, "commit", _killed)
        with pytest.raises(Killed):
            stream.run(batch, number)
    first = stream.delivered[number]
    stream.workers.used[:] = used
    stream.run(batch, number)
    assert _sorted(stream.delivered[number]) == _sorted(first)


def _sorted(table: pa.Table) -> list[str]:
    return sorted(map(str, table.to_pylist()))


@dataclass
class Case:
    """A scenario, an edit of its rules, and the batch before which they change."""

    scenario: Scenario
    other: Reasoner
    feeding: Feeding
    after: int
    buckets: tuple[int, int]
    is_killed: bool

    def streamed(
        self, reasoner: Reasoner, batches: Sequence[list[Sent]], folder: str, kind: type[SimulatedStream]
    ) -> SimulatedStream:
        span = self.scenario.span
        assert span is not None
        windows = Windows(span.size, span.step, self.feeding.lateness, self.feeding.by_event)
        sent = [one for batch in batches for one in batch]
        return kind(reasoner, sent, windows, Path(folder), start=span.start, buckets=self.buckets[0])


def case(family: str, seed: int) -> Case | None:
    """A random case; None if an edit leaves no program, or one that reads other input."""
    one = written(family, seed, windowed=True)
    if one is None:
        return None
    pen = Pen(random.Random(seed + 1).randint)
    other = edited(pen, one.reasoner)
    if other is None or not other.analysis.entities.table or set(other.plan.inputs) != set(one.reasoner.plan.inputs):
        return None
    feeding = Feeding(
        pen.number(1, 4), by_event=pen.chance(50), lateness=pen.number(0, 5), seed=seed, mess=4, batches=6
    )
    return Case(one, other, feeding, pen.number(1, 5), (pen.number(1, 4), pen.number(1, 4)), pen.chance(50))


def check(one: Case, seen: Counter[When], kind: type[SimulatedStream] = SimulatedStream) -> None:
    """Compares a stream with one that has the new rules from the start."""
    batches = with_retractions(one.feeding.batched(one.scenario), one.feeding.seed)
    sent = [row for batch in batches for row in batch]
    with TemporaryDirectory() as folder, TemporaryDirectory() as other:
        stream = one.streamed(one.scenario.reasoner, batches, folder, kind)
        right = one.streamed(one.other, batches, other, SimulatedStream)
        plan: SwapPlan | None = None
        known = 0
        for number, batch in enumerate(batches):
            right.run(batch, number)
            if number == one.after:
                known, plan = len(stream.asked), stream.swap(one.other, sent, one.buckets[1])
                if one.is_killed:
                    run_twice(stream, batch, number)
                    continue
            elif number > one.after:
                # As after a restart of the driver.
                stream.regroup(one.buckets[number % 2])
            stream.run(batch, number)
        assert plan is not None
        assert stream.asked == right.asked
        for output in plan.outputs:
            seen[output.when] += output.is_reached
        for query in stream.asked[known:]:
            _compare(one, plan, stream, right, query)
        for changes in (stream.changes, *([stream.event_changes] if stream.windows.step > 1 else [])):
            pairs = [(row["id"], row["query_time"]) for row in changes.to_pylist()]
            assert len(set(pairs)) == len(pairs)


def _compare(one: Case, plan: SwapPlan, stream: SimulatedStream, right: SimulatedStream, query: int) -> None:
    size = stream.windows.size
    got, wanted = shown_at(stream.changes, query, size), shown_at(right.changes, query, size)
    # At every time-point, changes of events by new rules and by late rows have the same query time.
    has_events = stream.windows.step > 1
    events, others = (happened_at(one.event_changes, query, size) if has_events else [] for one in (stream, right))
    for output in plan.outputs:
        if output.when is When.BACKFILL:
            continue
        since = -math.inf
        if output.when is When.LATER:
            assert output.since is not None
            since = float(output.since)
        elif output.is_reached and plan.rows_since is not None:
            since = float(plan.rows_since) + 1
        name = output.name.rpartition("/")[0]
        assert _answers(got, name, since) == _answers(wanted, name, since), f"at {query}: {output}\n{plan}\n{one}"
        assert _events(events, name, since) == _events(others, name, since), f"at {query}: {output}\n{plan}\n{one}"


def _answers(rows: Sequence[IntervalRow], name: str, since: float) -> set[tuple[object, ...]]:
    return {
        (row.fluent, row.value, max(row.start, since), row.end)
        for row in rows
        if row.fluent.partition("(")[0].strip("'") == name and row.end > since
    }


def _events(rows: Sequence[EventRow], name: str, since: float) -> set[tuple[object, ...]]:
    return {
        (row.event, row.time) for row in rows if row.event.partition("(")[0].strip("'") == name and row.time >= since
    }


def check_seeds(family: str, seeds: range, seen: Counter[When], kind: type[SimulatedStream]) -> int:
    """Checks the cases of some seeds; says how many there were."""
    checked = 0
    for seed in seeds:
        one = case(family, seed)
        if one is None:
            continue
        try:
            check(one, seen, kind)
        except EvaluationError:
            continue
        except HoldsforError as problem:
            if "other domains that input fills" not in str(problem):
                raise
            continue
        except AssertionError as problem:
            raise AssertionError(f"family {family!r}, seed {seed}\n{problem}") from problem
        checked += 1
    return checked


USED = [family for family in FAMILIES if family not in NOT_SIMULATED]
KINDS = pytest.mark.parametrize("kind", [SimulatedStream, SimulatedTables])


@KINDS
@pytest.mark.parametrize("family", USED)
def test_the_law_of_a_swap(family: str, kind: type[SimulatedStream]) -> None:
    assert check_seeds(family, range(60_000, 60_010), Counter(), kind) >= 1


@pytest.mark.slow
@KINDS
@pytest.mark.parametrize("family", USED)
def test_the_law_of_a_swap_at_length(family: str, kind: type[SimulatedStream]) -> None:
    assert check_seeds(family, range(61_000, 61_150), Counter(), kind) >= 30
