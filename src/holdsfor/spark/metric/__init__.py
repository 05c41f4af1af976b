"""Runs metric programs on Spark DataFrames and streams, with the results of a local run."""
