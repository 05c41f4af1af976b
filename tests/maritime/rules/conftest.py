"""The Spark session of all tests."""

from tests.spark.conftest import mounted, spark

__all__ = ["mounted", "spark"]
