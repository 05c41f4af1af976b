"""How far times lie from 0 at most, and how fine they are: what 64-bit integers can hold."""

from __future__ import annotations

FURTHEST = (1 << 61) - 3
"""Ticks. In nanoseconds since 1970 this is the year 2043. What is derived further away is not told apart any more, and
nothing that is asked for may depend on it."""
