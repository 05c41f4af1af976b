"""The Spark session of the Spark tests, for the examples too."""

from tests.spark.conftest import spark as spark  # noqa: PLC0414 -- pytest finds fixtures by name
