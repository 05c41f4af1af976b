"""Random programs on several cores, each with the keys of one stage that are in one bucket: the answers of the reference."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import pytest

from holdsfor.loading import Reasoner
from holdsfor.physical.buckets import grid_sides
from holdsfor.reference import Record, Reference, Windows
from tests.core.families import FAMILIES, by_reference, windows_of, written
from tests.core.runs import CoreRun, Row

Deliveries = dict[tuple[int, int, int], list[bytes]]
"""Bytes by stage, bucket and query time."""


class ShareRun(CoreRun):
    """A core with the keys of a stage that are in one bucket."""

    def __init__(self, reasoner: Reasoner, stage: int, bucket: int, buckets: int, deliveries: Deliveries) -> None:
        super().__init__(reasoner)
        self._stage, self._bucket, self._deliveries = stage, bucket, deliveries
        plan = self._lowered.plan
        self._core.set_share(stage, bucket, buckets, [grid_sides(one, buckets) for one in plan.stages])
        self._made_before = {route.table for earlier in plan.stages[:stage] for route in earlier.members}
        self._later = range(stage + 1, len(plan.stages))

    def _takes(self, table: int, row: Row) -> bool:
        if table in self._made_before:
            return False
        _, buckets = self._core.targets(self._stage, table, 1, row)
        return self._bucket in buckets.tolist()

    def _advance(self, query: int) -> None:
        for data in self._deliveries[self._stage, self._bucket, query]:
            self._core.receive(data)
        super()._advance(query)
        for later in self._later:
            for bucket, data in self._core.deliveries_for(later):
                self._deliveries[later, bucket, query].append(data)


def on_shares(reasoner: Reasoner, records: Sequence[Record], windows: Windows | None, buckets: int) -> Reference:
    """What cores with one bucket of one stage each find together."""
    deliveries: Deliveries = defaultdict(list)
    found = []
    for stage in range(len(CoreRun(reasoner).plan.stages)):
        for bucket in range(buckets):
            found.append(ShareRun(reasoner, stage, bucket, buckets, deliveries).over(list(records), windows))
    return Reference(
        tuple(sorted(row for one in found for row in one.intervals)),
        tuple(sorted(row for one in found for row in one.events)),
        sum(one.conflicts for one in found),
        found[0].failures,
    )


def _check(family: str, seeds: range, *, windowed: bool) -> None:
    accepted = 0
    for seed in seeds:
        one = written(family, seed, windowed=windowed)
        if one is None:
            continue
        accepted += 1
        windows = windows_of(one.span)
        expected = by_reference(one.reasoner, one.records, windows)
        for buckets in (1, 2, 7):
            found = on_shares(one.reasoner, one.records, windows, buckets)
            assert (found.intervals, found.events) == (expected.intervals, expected.events), (seed, buckets)
            assert found.conflicts == expected.conflicts, (seed, buckets)
    assert accepted >= 0.8 * len(seeds)


@pytest.mark.parametrize("windowed", [False, True], ids=["whole history", "windows"])
@pytest.mark.parametrize("family", FAMILIES)
def test_equals_the_reference_evaluator(family: str, *, windowed: bool) -> None:
    _check(family, range(30_000, 30_020), windowed=windowed)
