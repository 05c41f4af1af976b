"""One situation by DuckDB."""

from __future__ import annotations

from typing import Any

import duckdb
from benchmarks.peers.islands.sql import QUERY


def answer(path: str) -> dict[str, Any]:
    """The intervals, as NumPy columns."""
    # Spark has `ignore nulls` at another place.
    text = QUERY.replace("`", '"').replace("end) ignore nulls over", "end ignore nulls) over")
    found: dict[str, Any] = duckdb.sql(text.format(source=f"read_parquet('{path}')")).fetchnumpy()
    return found


def rows(found: dict[str, Any]) -> list[tuple[int, int, int | None]]:
    """Vessel, start and end of every interval."""
    return list(zip(*(found[name].tolist() for name in ("vessel", "start", "end")), strict=True))
