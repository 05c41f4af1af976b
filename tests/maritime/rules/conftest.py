"""The Spark session of all tests."""

from tests.spark.conftest import spark

__all__ = ["spark"]
