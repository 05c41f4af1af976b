"""Encounters of any number of pairs of people.

python examples/human_activity/generate.py --pairs 100 --encounters 5 --output people.csv

In each encounter two people see each other, walk towards each other, talk, and now and then quarrel.
"""
# ruff: noqa: INP001 -- a script, not a package

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

ENCOUNTER = 80
Row = tuple[int, str]


def encounter(random: np.random.Generator, start: int, one: str, other: str) -> Iterator[Row]:
    """The rows of an encounter, each with the time at which it is sorted in."""
    meet, stand, part = (start + int(time) for time in random.integers((8, 15, 45), (12, 20, 60)))
    yield start, f"distance|{start}|{start}|{meet}|mid|{one}|{other}"
    yield start, f"orientation|{start}|{start}|{part}|facing|{one}|{other}"
    yield meet, f"distance|{meet}|{meet}|{part}|short|{one}|{other}"
    yield from (happened(start + 2, "active", who) for who in (one, other))
    for time in range(start + 3, meet, 2):
        yield happened(time, "walking", one if random.random() < 0.5 else other)
    quarrel = random.random() < 0.3
    for time in range(meet + 1, stand):
        yield happened(time, "active", one if random.random() < 0.5 else other)
    for time in range(stand, part, 3):
        name = "abrupt" if quarrel and random.random() < 0.5 else "active"
        yield happened(time, name, one if random.random() < 0.5 else other)
    yield from (happened(part, "inactive", who) for who in (one, other))


def happened(time: int, name: str, who: str) -> Row:
    """An event of one person."""
    return time, f"{name}|{time}|{time}|{who}"


def rows(pairs: int, encounters: int, seed: int) -> list[str]:
    """The stream, sorted by time."""
    random = np.random.default_rng(seed)
    found: list[Row] = []
    for pair in range(pairs):
        begin = int(random.integers(1, ENCOUNTER))
        for number in range(encounters):
            found += encounter(random, begin + number * ENCOUNTER, f"p{2 * pair}", f"p{2 * pair + 1}")
    return [text for _, text in sorted(found)]


def main() -> None:
    """Write a stream."""
    options = argparse.ArgumentParser(description="Encounters of pairs of people.")
    options.add_argument("--pairs", type=int, default=100)
    options.add_argument("--encounters", type=int, default=5)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--output", type=Path, required=True)
    given = options.parse_args()
    stream = rows(given.pairs, given.encounters, given.seed)
    given.output.write_text("\n".join(stream) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
