"""Metric programs in Python: rules of DatalogMTL, their results over facts, and streams of facts."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdsfor.metric.reasoner import MetricReasoner, from_metric_program, from_metric_sources, loads_metric

__all__ = ["MetricReasoner", "from_metric_program", "from_metric_sources", "loads_metric"]


def __getattr__(name: str) -> Any:
    # Programs of the other language need its numbers only.
    if name not in __all__:
        raise AttributeError(f"module 'holdsfor.metric' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module("holdsfor.metric.reasoner"), name)
    return found
