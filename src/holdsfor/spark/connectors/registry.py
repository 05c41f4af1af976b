"""Registers the data sources in a Spark session."""

from __future__ import annotations

from pyspark.sql import SparkSession

from holdsfor.spark.connectors.kafka.source import KafkaSource
from holdsfor.spark.connectors.nats.source import NatsSource
from holdsfor.spark.connectors.postgres.source import PostgresSource


def register(spark: SparkSession) -> None:
    """Registers the formats `holdsfor-nats`, `holdsfor-kafka` and `holdsfor-postgres`, on classic sessions and on
    Connect.
    """
    for source in (NatsSource, KafkaSource, PostgresSource):
        spark.dataSource.register(source)
