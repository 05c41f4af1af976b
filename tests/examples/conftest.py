"""The Spark session of the Spark tests, for the examples too."""

from tests.spark.conftest import mounted, spark

__all__ = ["mounted", "spark"]
