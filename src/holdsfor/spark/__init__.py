"""Spark runtimes."""
