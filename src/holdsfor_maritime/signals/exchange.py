"""Exchanges rows between tasks: each task writes one file, with a part per reader."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import pyarrow as pa

from holdsfor.spark.streaming.store import Store
from holdsfor_maritime.signals.tracks import Ints


def bucket_of(key: Ints, buckets: int) -> Ints:
    """The bucket of each key, the same on all machines."""
    bits = key.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return ((bits >> np.uint64(33)) % np.uint64(buckets)).astype(np.int64)


def split(rows: pa.Table, bucket: Ints, buckets: int) -> pa.Buffer:
    """A file with the rows of each bucket as one part."""
    # Small numbers are sorted by counting.
    bucket = bucket.astype(np.int16)
    order = np.argsort(bucket, kind="stable")
    edges = np.append(0, np.cumsum(np.bincount(bucket, minlength=buckets)))
    sorted_rows = rows.take(order).combine_chunks()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, rows.schema) as writer:
        for begin, end in pairwise(edges.tolist()):
            part = sorted_rows.slice(begin, end - begin).to_batches()
            writer.write_batch(part[0] if part else pa.RecordBatch.from_pylist([], rows.schema))
    return sink.getvalue()


def gathered(store: Store, names: Iterable[str], bucket: int, schema: pa.Schema) -> pa.Table:
    """The parts of some files that are for a bucket."""
    system, root = store.place
    parts = []
    for name in names:
        with system.open_input_file(f"{root}/{name}") as file:
            parts.append(pa.Table.from_batches([pa.ipc.open_file(file).get_batch(bucket)]))
    return pa.concat_tables((schema.empty_table(), *parts)).combine_chunks()
