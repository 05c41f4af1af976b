"""Metric programs in Python: rules of DatalogMTL, what follows from facts, and streams of them."""

from holdsfor.metric.reasoner import MetricReasoner, from_metric_program, from_metric_sources, loads_metric

__all__ = ["MetricReasoner", "from_metric_program", "from_metric_sources", "loads_metric"]
