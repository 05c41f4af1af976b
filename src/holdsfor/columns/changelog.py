"""Changes between query times: intervals open, grow, close, are revised, are retracted.

An interval has an *id* from its first report on. Later reports reuse the id of the earlier report of the same fluent
and value that they overlap. If two intervals have merged, the id of the first one stays; if one was split, the
remainder is new. To replay a changelog, replace the row with the same id, and delete retracted rows. Intervals behind
the window stay as they are; there are no more reports about them.
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
"""A null start lies before all time, a null end is open. A retraction contains the start and end of the retracted
interval. There is at most one row per id and query time.
"""
