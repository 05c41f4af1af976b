"""The ids of single intervals. `engine.changelog.interval_ids` does whole columns; both say the same."""

from __future__ import annotations

from functools import lru_cache

_MASK = 2**64 - 1
_SEEDS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F)


def interval_id(fluent: str, value: str, start: int, query: int) -> str:
    """The id of an interval that was first shown at a query time, with the start that it had then."""
    halves = []
    for seed in _SEEDS:
        word = seed
        for part in (_hashed(fluent, seed), _hashed(value, seed), start & _MASK, query & _MASK):
            word = _mixed(word ^ part)
        halves.append(f"{word:016x}")
    return "".join(halves)


@lru_cache(maxsize=4096)
def _hashed(text: str, base: int) -> int:
    """The bytes of a text as the digits of a number."""
    total, power = 0, base
    for digit in text.encode():
        total += (digit + 1) * power
        power = power * base & _MASK
    return _mixed(total & _MASK)


def _mixed(word: int) -> int:
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 & _MASK
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB & _MASK
    return word ^ (word >> 31)
