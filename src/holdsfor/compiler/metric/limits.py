"""The range and resolution of times in 64-bit integers."""

from __future__ import annotations

FURTHEST = (1 << 61) - 3
"""Ticks. In nanoseconds since 1970 this is the year 2043. What is derived further away is not told apart any more, and
nothing that is asked for may depend on it."""
