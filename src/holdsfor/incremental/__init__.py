"""Incremental runs: what did not change is not worked out again."""
