"""A job for spark-submit: events in, intervals out.

spark-submit [options] job.py RULES EVENTS.csv MAPPING.toml OUTPUT
"""
# ruff: noqa: INP001 -- a file to submit, not a package

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

from holdsfor.spark import recognise


def main(rules: str, events: str, mapping: str, output: str) -> None:
    """Write what is recognised as Parquet files, and show some of it."""
    spark = SparkSession.builder.appName("holdsfor").getOrCreate()
    rows = spark.read.csv(events, header=True)
    found = recognise(rules, rows, mapping=mapping, untyped=True)
    found.write.mode("overwrite").parquet(output)
    spark.read.parquet(output).orderBy("fluent", "start").show(truncate=False)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
