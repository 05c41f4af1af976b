"""The Spark session and the servers of all tests."""

from tests.spark.conftest import mounted, spark
from tests.spark.connectors.conftest import postgres_url

__all__ = ["mounted", "postgres_url", "spark"]
