"""Intervals as a table with a column per property."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

ROWS = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("situation", pa.string()),
        pa.field("value", pa.string()),
        pa.field("vessel", pa.int64()),
        pa.field("vessel2", pa.int64()),
        pa.field("area", pa.string()),
        pa.field("start", pa.int64()),
        pa.field("end", pa.int64()),
    ]
)
"""`vessel2` is null for one vessel, `area` (a kind of area) for situations without one, `end` for open intervals."""

DDL = "id string, situation string, value string, vessel bigint, vessel2 bigint, area string, start bigint, end bigint"
_FLUENT = r"^(?P<situation>\w+)\((?P<vessel>\d+)(?:,(?:(?P<vessel2>\d+)|(?P<area>\w+)))?\)$"


def situation_rows(intervals: pa.Table) -> pa.Table:
    """The results of the rules (`query_time, fluent, value, start, end`) as rows of this schema.

    `id` says the same of the same interval in every run, so that writing it twice does no harm.

    >>> table = pa.table({"fluent": ["tugging(12,34)"], "value": ["true"], "start": [5], "end": pa.array([None], pa.int64())})
    >>> situation_rows(table).to_pylist()[0]["vessel2"]
    34
    """
    parts = pc.extract_regex(intervals["fluent"].cast(pa.string()), _FLUENT)
    field = {name: pc.struct_field(parts, name) for name in ("situation", "vessel", "vessel2", "area")}
    value, start = intervals["value"].cast(pa.string()), intervals["start"].cast(pa.int64())
    named = pc.binary_join_element_wise(intervals["fluent"].cast(pa.string()), value, "=")
    columns = {
        "id": pc.binary_join_element_wise(named, start.cast(pa.string()), "@"),
        "situation": field["situation"],
        "value": value,
        "vessel": field["vessel"].cast(pa.int64()),
        "vessel2": _filled(field["vessel2"]).cast(pa.int64()),
        "area": _filled(field["area"]),
        "start": start,
        "end": intervals["end"].cast(pa.int64()),
    }
    return pa.table([columns[name] for name in ROWS.names], schema=ROWS)


def _filled(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """A group of a pattern that was not there is empty text; here it is null."""
    return pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)
