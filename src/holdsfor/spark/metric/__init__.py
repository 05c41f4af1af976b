"""Metric programs on Spark: the rules of a local run, over DataFrames and streams of them."""
