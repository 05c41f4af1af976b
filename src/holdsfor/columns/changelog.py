"""What changes from one query time to the next: intervals open, grow, close, are revised, are taken back.

An interval has an *id* from its first report on. Later it has the id of the earlier report of its fluent and value that
it overlaps: of the first one, if two have grown together; what is left over when one is split is new. To replay a
changelog is to put every row in place of the one with the same id, and to delete those that are taken back. Intervals
that the window has left behind stay as they are: nothing more will be said of them.
"""

from __future__ import annotations

import pyarrow as pa

CHANGES = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("op", pa.string(), nullable=False),
        pa.field("fluent", pa.string(), nullable=False),
        pa.field("value", pa.string(), nullable=False),
        pa.field("start", pa.int64()),
        pa.field("end", pa.int64()),
        pa.field("query_time", pa.int64(), nullable=False),
        pa.field("previous_start", pa.int64()),
        pa.field("previous_end", pa.int64()),
    ]
)
"""A start that is null lies before all time, an end that is null is open; those of a row that takes an interval back
are what it takes back. There is at most one row for an id and a query time."""
