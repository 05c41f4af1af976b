"""Streams whose rules change: from when the plan says on, their changelog is that of a stream with the new rules from the start."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
import pytest

from holdsfor import HoldsforError, loads
from holdsfor.loading import Reasoner
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.physical.exactness import SwapPlan, When
from holdsfor.reference import EventRow, InputInterval, IntervalRow, Occurrence
from holdsfor.spark.streaming.clock import Windows
from holdsfor.spark.streaming.tables import TableCheckpoint
from holdsfor.spark.streaming.workers import FileCheckpoint
from holdsfor.syntax.terms import Compound, Const
from tests.core.families import FAMILIES, written
from tests.spark.stream_runs import Sent, SimulatedStream, happened_at, shown_at
from tests.spark.table_runs import SimulatedTables
from tests.spark.test_stream_keyed import with_retractions
from tests.spark.test_stream_simulated import Feeding
from tests.strategies.engine_runs import Scenario
from tests.strategies.rule_edits import edited, exact_outputs
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
    is_filled: bool

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
    after, buckets, is_killed = pen.number(1, 5), (pen.number(1, 4), pen.number(1, 4)), pen.chance(50)
    is_cut = any(isinstance(record, InputInterval) for record in one.records)
    # An interval that was cut when it came is nowhere as it counts.
    return Case(one, other, feeding, after, buckets, is_killed, is_filled=not is_cut and pen.chance(40))


def check(one: Case, seen: Counter[When], kind: type[SimulatedStream] = SimulatedStream) -> None:
    """Compares a stream with one that has the new rules from the start."""
    batches = one.feeding.batched(one.scenario)
    if not one.is_filled:
        batches = with_retractions(batches, one.feeding.seed)
    sent = [row for batch in batches for row in batch]
    with TemporaryDirectory() as folder, TemporaryDirectory() as other:
        stream = one.streamed(one.scenario.reasoner, batches, folder, kind)
        right = one.streamed(one.other, batches, other, SimulatedStream)
        plan: SwapPlan | None = None
        known = 0
        for number, batch in enumerate(batches):
            right.run(batch, number)
            if number == one.after:
                # Without retractions, the rows that have counted are all that were taken in.
                history = [sent for sent, _, _ in stream.workers.used] if one.is_filled else None
                known, plan = len(stream.asked), stream.swap(one.other, sent, one.buckets[1], history)
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
            assert output.when is When.AT_ONCE or not one.is_filled
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
    for output, name, since in exact_outputs(plan, is_filled=one.is_filled):
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
    assert check_seeds(family, range(61_000, 61_040), Counter(), kind) >= 8


QUAY = """
limit(20).
initiatedAt(overloaded(C)=true, T) :- happensAt(load(C, W), T), limit(L), W > L.
terminatedAt(overloaded(C)=true, T) :- happensAt(load(C, W), T), limit(L), W =< L.
initiatedAt(stopped(C)=true, T) :- happensAt(stop(C), T).
fi(stopped(C)=true, stopped(C)=overdue, 30).
"""


def happened(name: str, time: int, *args: str | int) -> Sent:
    return Sent(Occurrence(Compound(name, tuple(map(Const, args))), time, time))


LOADS = [happened("load", 2, "a", 22), happened("load", 50, "b", 30), happened("load", 60, "d", 21)]
STOPS = [happened("stop", time, "b") for time in (70, 131)]
JOLTS = [happened("jolt", time, "c") for time in (65, 95, 105)]
TICKS = [happened("load", time, "c", 15) for time in range(0, 141, 5)]


def on_the_quay(tmp_path: Path, rules: str = QUAY) -> tuple[SimulatedStream, list[Sent]]:
    """A stream that has come to the query time 80, and all rows."""
    sent = sorted((*LOADS, *STOPS, *JOLTS, *TICKS), key=lambda one: one.record.arrival)
    stream = SimulatedStream(loads(rules), sent, Windows(60, 10), tmp_path, start=-1, buckets=2)
    run_until(stream, sent, -1, 84, 0)
    assert stream.asked[-1] == 79
    return stream, sent


def run_until(stream: SimulatedStream, sent: Sequence[Sent], first: int, last: int, batch: int) -> None:
    stream.run([one for one in sent if first < one.record.arrival <= last], batch)


def shown(stream: SimulatedStream, query: int) -> dict[str, tuple[float, float]]:
    return {f"{row.fluent}={row.value}": (row.start, row.end) for row in shown_at(stream.changes, query, 60)}


def test_facts_and_timers(tmp_path: Path) -> None:
    stream, sent = on_the_quay(tmp_path)
    plan = stream.swap(loads(QUAY.replace("limit(20)", "limit(21)")), sent, 3)
    assert str(plan).splitlines() == [
        "changed: limit/1",
        "overloaded/1: exact with a backfill of load/2 up to 19, because overloaded/1 goes on holding until something ends it",
        "not reached by the edit, exact: stopped/1",
    ]
    run_until(stream, sent, 84, 110, 1)
    (gone,) = [row for row in stream.delivered[1].to_pylist() if row["fluent"] == "overloaded(d)"]
    assert (gone["op"], gone["start"], gone["query_time"], gone["causes"]) == (
        "retract",
        61,
        89,
        ["rule changed limit/1 at 79"],
    )
    assert shown(stream, 109) == {
        "overloaded(a)=true": (3, math.inf),
        "overloaded(b)=true": (51, math.inf),
        # It was due before the rules changed.
        "stopped(b)=true": (71, 101),
        "stopped(b)=overdue": (101, math.inf),
    }
    assert [row for row in stream.delivered[1].to_pylist() if row["causes"]] == [gone]


def test_a_backfill(tmp_path: Path) -> None:
    stream, sent = on_the_quay(tmp_path)
    plan = stream.swap(loads(QUAY.replace("limit(20)", "limit(25)")), sent, 2, history=sent)
    assert "overloaded/1: exact at once" in str(plan)
    run_until(stream, sent, 84, 110, 1)
    gone = {row["fluent"]: row for row in stream.delivered[1].to_pylist() if row["op"] == "retract"}
    assert gone.keys() == {"overloaded(a)", "overloaded(d)"}
    assert gone["overloaded(a)"]["causes"] == ["rule changed limit/1 at 79"]
    assert shown(stream, 109).keys() == {"overloaded(b)=true", "stopped(b)=true", "stopped(b)=overdue"}


def test_input_that_no_earlier_rule_read(tmp_path: Path) -> None:
    stream, sent = on_the_quay(tmp_path)
    rules = QUAY + "initiatedAt(jolted(C)=true, T) :- happensAt(jolt(C), T).\n"
    plan = stream.swap(loads(f"{rules}happensAt(shaken(C), T) :- happensAt(jolt(C), T)."), sent, 2)
    assert "shaken/1: exact from 81 on, because rows of jolt/1 were not kept so far" in str(plan)
    run_until(stream, sent, 84, 120, 1)
    assert [row["time"] for row in stream.delivered_events[1].to_pylist()] == [95, 105]
    assert shown(stream, 109)["jolted(c)=true"] == (96, math.inf)


def test_one_swap_after_the_other(tmp_path: Path) -> None:
    stream, sent = on_the_quay(tmp_path)
    stream.swap(loads(QUAY.replace("limit(20)", "limit(21)")), sent, 2)
    # No query time is due yet.
    run_until(stream, sent, 84, 85, 1)
    assert not len(stream.delivered[1])
    stream.swap(loads(QUAY.replace("limit(20)", "limit(22)")), sent, 2)
    with pytest.raises(HoldsforError, match="have just been changed"):
        run_until(stream, sent, 85, 100, 2)
    stream.swap(loads(QUAY.replace("limit(20)", "limit(21)")), sent, 2)
    run_until(stream, sent, 85, 100, 2)
    stream.swap(loads(QUAY.replace("limit(20)", "limit(35)")), sent, 2)
    run_until(stream, sent, 100, 120, 3)
    assert "overloaded(b)=true" not in shown(stream, 119)


def test_other_facts_than_those_of_the_checkpoint(tmp_path: Path) -> None:
    stream, sent = on_the_quay(tmp_path)
    stream.swap(loads(QUAY.replace("limit(20)", "limit(21)")), sent, 2)
    how = stream.driver.swap
    assert how is not None
    job = SimulatedStream(loads(QUAY.replace("limit(20)", "limit(19)")), sent, Windows(60, 10), tmp_path).workers.job
    stream.driver = replace(stream.driver, swap=replace(how, earlier=job))
    with pytest.raises(HoldsforError, match="not its background facts"):
        run_until(stream, sent, 84, 100, 1)
