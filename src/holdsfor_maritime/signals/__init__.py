"""Stage 1: position reports in, critical events, areas entered and left, and proximity out.

`batch.critical_events` works on Spark, `local.critical_events` without it, `streaming` on reports as they come.
"""
