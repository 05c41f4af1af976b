"""Which bucket sets the pace of a stream, if one key has a share of all events: `python -m benchmarks.suite.spark_skew`.

The buckets of a micro-batch are evaluated here one after the other, without Spark: state loaded, rows pushed, query time
evaluated, changes read, state saved. The processor time of the largest bucket is the least time of the batch, however
many cores there are. It hardly depends on what else the machine does.
"""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
from benchmarks.suite.data.spark_batch import NAMES, RULES

from holdsfor import loads
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.core.engine import Share
from holdsfor.core.program import encoded
from holdsfor.core.shares import KeyPart, ShareEngine
from holdsfor.session.changes import MOST_CAUSES
from holdsfor.spark.keys import buckets as buckets_of
from holdsfor.times import LATEST

EVENTS, BATCHES, WARM = 200_000, 6, 2
STEP = 1_000_000
"""Long enough that the events of one key have times of their own: equal ones would be one event."""
SHARES = (0.0, 0.1, 0.3, 0.5)
"""The shares of all events that one key has."""
COUNTS = (2, 8, 32)
"""Numbers of buckets: one for each core."""
ALL = KeyPart(0, 1)


def skewed_keys(random: np.random.Generator, events: int, keys: int, share: float) -> Any:
    """The keys of events: one key has a share of them, the others have about as many each."""
    return np.where(random.random(events) < share, 0, random.integers(1, keys, events))


def micro_batches(share: float) -> Iterator[tuple[Any, Any, Any]]:
    """Keys, times and kinds of the events of each batch, a step of time long."""
    random = np.random.default_rng(13)
    for number in range(BATCHES):
        keys = skewed_keys(random, EVENTS, EVENTS // 10, share)
        yield (
            keys,
            np.sort(random.integers(0, STEP, EVENTS)) + number * STEP + 1,
            random.integers(0, len(NAMES), EVENTS),
        )


class Bucket:
    """A bucket, and the processor time of its batches in milliseconds."""

    def __init__(self, plan: Any, number: int, count: int) -> None:
        self.plan, self.program, self.number = plan, encoded(plan), number
        self.share = Share(0, number, count, tuple(() for _ in self.program.lowered.plan.stages))
        self.saved: tuple[bytes, bytes] | None = None
        self.spent: list[float] = []

    def evaluate(self, keys: Any, times: Any, kinds: Any, query: int) -> None:
        begin = time.process_time()
        engine = ShareEngine(self.plan, self.program, self.share, STEP)
        for state in self.saved or ():
            engine.load_share([state])
        for place, name in enumerate(NAMES):
            mine = kinds == place
            table = pa.table({"time": times[mine], "a0": keys[mine]})
            found = engine.table_rows(Symbol(EntityKind.EVENT, name, 1), table, LATEST)
            assert found is not None, "these rows are plain numbers"
            engine.push(found[0], is_cause=False)
        engine.advance(query)
        engine.changes(MOST_CAUSES)
        self.saved = engine.save_rest(), engine.save_keys([ALL])[0].data
        self.spent.append((time.process_time() - begin) * 1e3)


def measured(share: float, count: int) -> tuple[float, float]:
    """The processor time of the largest bucket and of all buckets in a batch: the median, in milliseconds."""
    plan = loads(RULES).plan
    buckets = [Bucket(plan, number, count) for number in range(count)]
    for number, (keys, times, kinds) in enumerate(micro_batches(share), 1):
        place = buckets_of([keys], len(keys), count)
        for bucket in buckets:
            mine = place == bucket.number
            bucket.evaluate(keys[mine], times[mine], kinds[mine], number * STEP)
    spent = np.array([bucket.spent[WARM:] for bucket in buckets])
    return statistics.median(spent.max(axis=0).tolist()), statistics.median(spent.sum(axis=0).tolist())


def main() -> None:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    print(f"{now}; {platform.machine()}; {EVENTS:,} events a batch\n")
    print("| buckets | share of one key | largest bucket, ms | all buckets, ms | largest / even |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    for count in COUNTS:
        even = 0.0
        for share in SHARES:
            largest, whole = measured(share, count)
            even = even or largest
            print(f"| {count} | {share:.0%} | {largest:.0f} | {whole:.0f} | {largest / even:.2f} |", flush=True)


if __name__ == "__main__":
    main()
