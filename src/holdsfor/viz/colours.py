"""Colours for kinds, distinguishable with colour blindness, on white and on black."""

from __future__ import annotations

KINDS = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#d55e00",
    "#56b4e9",
    "#6f63c4",
    "#999933",
    "#a8375f",
    "#44aa99",
    "#b28a5b",
    "#7f8a99",
)
"""Most distinct colours first. The sequence repeats; names in bars and legends still identify kinds."""


def colour(kind: int) -> str:
    """The colour of the kind with this number."""
    return KINDS[kind % len(KINDS)]


def ink_on(fill: str) -> str:
    """Black or white, whichever has the better contrast on a colour.

    >>> ink_on("#0072b2"), ink_on("#56b4e9")
    ('#ffffff', '#111820')
    """
    red, green, blue = (_linear(int(fill[at : at + 2], 16) / 255) for at in (1, 3, 5))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "#ffffff" if luminance < 0.22 else "#111820"


def _linear(channel: float) -> float:
    """The linear intensity of an sRGB channel."""
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)
