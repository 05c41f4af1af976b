"""One situation by Spark SQL."""

from __future__ import annotations

import pyarrow as pa
from benchmarks.peers.islands.sql import QUERY
from pyspark.sql import SparkSession


def answer(spark: SparkSession, path: str) -> pa.Table:
    """The intervals."""
    spark.read.parquet(path).createOrReplaceTempView("signals")
    return spark.sql(QUERY.format(source="signals")).toArrow()
