"""A stream whose changelog has timestamps is followed like any other."""

from datetime import UTC, datetime

import pyarrow as pa

from holdsfor.workbench.live import normal


def test_changes_with_timestamps() -> None:
    moment = pa.array([datetime(2026, 3, 1, 12, 0, 0, 500_000, tzinfo=UTC)], pa.timestamp("us", "UTC"))
    columns = {"id": ["x"], "op": ["open"], "fluent": ["cart(7)"], "value": ["true"], "start": moment}
    columns |= {"end": pa.nulls(1, pa.timestamp("us", "UTC")), "query_time": moment, "causes": [[]]}
    (row,) = normal(pa.table(columns), 3).to_pylist()
    assert (row["start"], row["end"], row["at"]) == ("2026-03-01T12:00:00.5Z", None, "2026-03-01T12:00:00.5Z")
    assert (row["first"], row["last"], row["now"]) == (1772366400.5, None, 1772366400.5)
