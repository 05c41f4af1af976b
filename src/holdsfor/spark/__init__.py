"""Spark runtimes: the rules of a local run, over DataFrames.

`recognise` and `derived_events` need PySpark, which is imported when they are first asked for.
"""

from __future__ import annotations

from typing import Any

__all__ = ["derived_events", "recognise"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from holdsfor.spark import batch

        return getattr(batch, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
