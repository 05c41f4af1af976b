"""The range and resolution of times in 64-bit integers."""

from __future__ import annotations

FURTHEST = (1 << 61) - 3
"""In ticks. In nanoseconds since 1970 this is the year 2043. Times beyond it are not distinguished, and no requested
result may depend on them.
"""
