"""One situation by Polars, in two ways.

`best` is the fastest we found: vessel, time and what an event says packed into one integer, one sort of one column, forward
fills, and comparisons with the row before. `usual` is what most would write: the same on sorted rows, without packing.
The first row of a vessel says what holds before it, so that nothing is filled from one vessel to the next; windows by
`over("vessel")` take longer.
"""

from __future__ import annotations

import polars as pl

TIMES = 1 << 16
"""More than there are time-points."""


def best(path: str) -> pl.DataFrame:
    """The intervals."""
    said = (
        pl.when(pl.col("kind") == 0)
        .then((pl.col("speed") > 8).cast(pl.Int64))
        .otherwise(4 - pl.col("kind").cast(pl.Int64))
    )
    keys = pl.scan_parquet(path).select(key=(pl.col("vessel") * TIMES + pl.col("time")) * 4 + said)
    ordered = keys.select(pl.col("key").sort()).with_columns(
        vessel=pl.col("key") // (4 * TIMES), time=pl.col("key") // 4 % TIMES, said=pl.col("key") % 4
    )
    return _islands(ordered, pl.col("said") < 2, pl.col("said") % 2 == 1)


def usual(path: str) -> pl.DataFrame:
    """The intervals."""
    ordered = pl.scan_parquet(path).sort("vessel", "time")
    is_velocity = pl.col("kind") == 0
    return _islands(ordered, is_velocity, pl.when(is_velocity).then(pl.col("speed") > 8).otherwise(pl.col("kind") == 1))


def _islands(ordered: pl.LazyFrame, is_velocity: pl.Expr, begins: pl.Expr) -> pl.DataFrame:
    is_first = pl.col("vessel") != pl.col("vessel").shift(1, fill_value=-1)
    no = pl.lit(value=False)
    fast = pl.when(is_velocity).then(begins).when(is_first).then(no).forward_fill()
    inside = pl.when(~is_velocity).then(begins).when(is_first).then(no).forward_fill()
    was_on = pl.col("is_on").shift(1, fill_value=False) & ~pl.col("is_first")
    is_same = pl.col("vessel") == pl.col("vessel").shift(-1)
    return (
        ordered.select("vessel", "time", is_first=is_first, is_on=fast & inside)
        .filter((pl.col("is_on") != was_on) | pl.col("is_first"))
        .select("vessel", "is_on", start=pl.col("time") + 1, end=pl.when(is_same).then(pl.col("time").shift(-1) + 1))
        .filter("is_on")
        .select("vessel", "start", "end")
        .collect()
    )


def rows(found: pl.DataFrame) -> list[tuple[int, int, int | None]]:
    """Vessel, start and end of every interval."""
    return found.rows()
