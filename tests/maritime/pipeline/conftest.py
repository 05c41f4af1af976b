"""The Spark session and the servers of all tests."""

from tests.spark.conftest import spark
from tests.spark.connectors.conftest import postgres_url

__all__ = ["postgres_url", "spark"]
