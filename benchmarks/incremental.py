"""Windows that overlap, and events that come late: from scratch at every query time, and only what changed.

    python benchmarks/incremental.py [events a step] [vessels] [per cent delayed …]
    python benchmarks/incremental.py --change [events]

The first repeats the experiment of incremental RTEC (Tsilionis et al., 2022) on the maritime-like stream: windows of 1 to
14 steps, 5 to 80 % of the events delayed, the delays gamma-distributed with shape 2 and a mean of two steps. Answers are
compared before anything is timed. The second keeps one window of a million events and changes 1 to 100,000 of them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from maritime import MIX, RULES

from holdsfor import loads
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.state import State
from holdsfor.engine.step import Answer
from holdsfor.engine.stream import EventColumns, FluentColumns, Stream
from holdsfor.engine.windows import WindowPlan
from holdsfor.incremental.run import Choice, IncrementalRun
from holdsfor.incremental.windowed import Windowed

STEP = 3600
SIZES = (1, 2, 4, 8, 14)
DELAYED = (5, 10, 20, 40, 80)
CHANGED = (1, 10, 100, 1_000, 10_000, 100_000)
TIMED = 6
"""So many query times are timed, once the longest window is full."""


def late_stream(dictionary: Dictionary, events: int, vessels: int, steps: int, delayed: float, seed: int = 1) -> Stream:
    """Random events of all kinds and proximity intervals, in order of arrival; a share of the events comes late."""
    random = np.random.default_rng(seed)
    vessel_codes = dictionary.encode(range(1_000_000, 1_000_000 + vessels))
    area_codes = dictionary.encode(["a0", "a1", "a2", "a3"])
    speed_codes = dictionary.encode([tenth / 10 for tenth in range(400)])
    found = Stream()
    for name, share in MIX.items():
        count = events * steps * share // 100
        moment = np.sort(random.integers(1, steps * STEP + 1, count))
        args = [vessel_codes[random.integers(0, vessels, count)]]
        if name == "velocity":
            args.append(speed_codes[np.minimum(399, np.round(10 * random.gamma(2.0, 4.0, count)).astype(int))])
        elif name.endswith("Area"):
            args.append(area_codes[random.integers(0, 4, count)])
        is_late = random.random(count) < delayed
        arrival = moment + np.where(is_late, np.ceil(random.gamma(2.0, STEP, count)).astype(int), 0)
        order = np.argsort(arrival, kind="stable")
        columns = EventColumns(tuple(column[order] for column in args), moment[order], arrival[order])
        found.events[Symbol(EntityKind.EVENT, name, len(args))] = columns
    pairs = max(1, vessels * steps // 48)
    start = np.sort(random.integers(1, steps * STEP + 1, pairs))
    one, other = vessel_codes[random.integers(0, vessels, (2, pairs))]
    true, is_point = np.full(pairs, dictionary.code("true")), np.zeros(pairs, np.bool_)
    proximity = FluentColumns((one, other), true, start, start + STEP, start, is_point)
    found.fluents[Symbol(EntityKind.FLUENT, "proximity", 2)] = proximity
    return found


def timed(answers: Iterator[Answer], first: int) -> Iterator[float]:
    """The CPU time of every answer from the first query time on."""
    while True:
        begin = time.process_time()
        answer = next(answers, None)
        if answer is None:
            return
        if answer.query_time >= first:
            yield time.process_time() - begin


def same(one: Answer, other: Answer) -> bool:
    """Whether two answers say the same."""
    for symbol, table in one.fluents.items():
        mine, theirs = (np.array([*t.args, t.value, t.start, t.end]) for t in (table, other.fluents[symbol]))
        if mine.shape != theirs.shape or (mine[:, np.lexsort(mine)] != theirs[:, np.lexsort(theirs)]).any():
            return False
    return one.query_time == other.query_time


def assembled(answers: Iterator[Answer]) -> Iterator[Answer]:
    """Answers whose tables have been put together."""
    for answer in answers:
        for table in answer.fluents.values():
            len(table)
        yield answer


def windows(events: int, vessels: int, shares: Sequence[int] = DELAYED) -> None:
    """Time per query by window size and share of delayed events."""
    plan = loads(RULES).plan
    steps = max(SIZES) + TIMED
    print(
        "| delayed | window | from scratch, ms | by changes | with tables | auto | ratio | auto ratio | scratch queries |"
    )
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for delayed in shares:
        dictionary = Dictionary()
        stream = late_stream(dictionary, events, vessels, steps, delayed / 100)
        for size in SIZES:
            span = WindowPlan(size * STEP, STEP, 0, steps * STEP)
            run = partial(IncrementalRun, plan, dictionary, stream, span)
            assert all(same(*pair) for pair in zip(run(choice=Choice.NEVER), run(choice=Choice.ALWAYS), strict=True))
            first = (max(SIZES) + 1) * STEP
            auto = run(choice=Choice.AUTO)
            ways = (
                iter(run(choice=Choice.NEVER)),
                iter(run(choice=Choice.ALWAYS)),
                assembled(iter(run(choice=Choice.ALWAYS))),
                iter(auto),
            )
            scratch, changes, tables, chosen = (min(timed(way, first)) * 1e3 for way in ways)
            shown = " | ".join(f"{taken:.0f}" for taken in (scratch, changes, tables, chosen))
            ratios = f"{scratch / changes:.1f} | {scratch / chosen:.2f} | {auto.work.from_scratch}"
            print(f"| {delayed} % | {size} | {shown} | {ratios} |", flush=True)


def changes(events: int) -> None:
    """Time per query by the number of events that came late into one window; the query time stays."""
    plan, dictionary = loads(RULES).plan, Dictionary()
    vessels = events // 40
    stream = late_stream(dictionary, events // 14, vessels, 14, 0.0)
    end, random = 14 * STEP, np.random.default_rng(2)
    print("| changed events | ms | us an event | evaluations | occurrences gone through |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    engine = Windowed(plan, dictionary, State.beginning(0), 14 * STEP)
    for step in range(1, 15):
        engine.query(step * STEP, _between(stream, (step - 1) * STEP, step * STEP))
    vessel_codes = np.unique(next(iter(stream.events.values())).args[0])
    for count in CHANGED:
        taken = []
        for _ in range(3):
            late = Stream()
            kinds = [name for name in MIX if name != "velocity" and not name.endswith("Area")]
            counts = np.bincount(random.integers(0, len(kinds), count), minlength=len(kinds))
            for name, some in zip(kinds, counts.tolist(), strict=True):
                time_points = random.integers(1, end, some)
                args = (vessel_codes[random.integers(0, len(vessel_codes), some)],)
                if some:
                    late.events[Symbol(EntityKind.EVENT, name, 1)] = EventColumns(args, time_points, time_points)
            before = engine.worked_on, engine.evaluations
            begin = time.process_time()
            engine.query(end, late)
            taken.append(time.process_time() - begin)
        best = min(taken)
        work = f"{engine.evaluations - before[1]} | {engine.worked_on - before[0]}"
        print(f"| {count} | {best * 1e3:.1f} | {best / count * 1e6:.1f} | {work} |", flush=True)


def _between(stream: Stream, after: int, until: int) -> Stream:
    """What arrives in a stretch of time."""
    found = Stream()
    for symbol, events in stream.events.items():
        found.events[symbol] = events.take(np.flatnonzero((events.arrival > after) & (events.arrival <= until)))
    for symbol, reports in stream.fluents.items():
        found.fluents[symbol] = reports.take(np.flatnonzero((reports.arrival > after) & (reports.arrival <= until)))
    return found


def main() -> None:
    """Measure and print."""
    numbers = [int(text) for text in sys.argv[1:] if text.isdigit()]
    if "--change" in sys.argv:
        changes(*(numbers or (1_000_000,)))
    else:
        events, vessels, *shares = numbers or (100_000, 34_000)
        windows(events, vessels, shares or DELAYED)


if __name__ == "__main__":
    main()
