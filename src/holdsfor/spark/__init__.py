"""Runs rules on Spark DataFrames, with the results of a local run.

PySpark is imported at the first access to: `recognise`, `derived_events`, `explain` and `recognise_stream` for event
rules, `materialise` and `materialise_stream` for metric programs.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "derived_events": "holdsfor.spark.batch",
    "explain": "holdsfor.spark.explaining",
    "materialise": "holdsfor.spark.metric.batch",
    "materialise_stream": "holdsfor.spark.metric.streaming",
    "recognise": "holdsfor.spark.batch",
    "recognise_stream": "holdsfor.spark.streaming.query",
}
__all__ = ["derived_events", "explain", "materialise", "materialise_stream", "recognise", "recognise_stream"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
