"""A program of its own, to be killed: from JetStream into PostgreSQL, row by row as they come.

python -m tests.spark.connectors.pump CLASSIC_OR_CONNECT NATS STREAM POSTGRES TABLE CHECKPOINT
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

from holdsfor.spark import connectors
from holdsfor.spark.session import worker_python


def main(kind: str, nats: str, stream: str, postgres: str, table: str, checkpoint: str) -> None:
    worker_python()
    builder = SparkSession.builder.config("spark.ui.enabled", "false").config("spark.log.level", "ERROR")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
    spark = (builder.remote("local[2]") if kind == "connect" else builder.master("local[2]")).getOrCreate()
    connectors.register(spark)
    messages = spark.readStream.format("holdsfor-nats").options(
        servers=nats, stream=stream, startingOffsets="earliest", maxOffsetsPerTrigger=50
    )
    rows = messages.load().transform(connectors.json_columns("n bigint", keep=["sequence"]))
    # By plain insertion: a row that came twice would be there twice.
    sink = rows.writeStream.format("holdsfor-postgres").options(
        url=postgres, dbtable=table, writeMode="insert", checkpointLocation=checkpoint
    )
    sink.trigger(availableNow=True).start().awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
