"""Kafka, with the options and columns of Spark's own connector."""
