"""Writes argument positions in words."""

from __future__ import annotations

from collections.abc import Iterable

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def ordinal(position: int) -> str:
    """A position, counted from 0, in words."""
    return _ORDINALS[position] if position < len(_ORDINALS) else f"{position + 1}th"


def ordinals(positions: Iterable[int]) -> str:
    """Several positions in words."""
    return " and ".join(f"its {ordinal(position)} argument" for position in positions)
