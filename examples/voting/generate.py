"""Votes of a committee of any size, and who may do what there.

python examples/voting/generate.py --agents 40 --motions 5 --output votes.csv --roles roles.prolog

Every motion goes through rounds of 30 time-points. Now and then nobody seconds it, or the chair closes the ballot too
early, says nothing, or declares the opposite of what was voted.
"""
# ruff: noqa: INP001 -- a script, not a package

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

Row = tuple[int, str]
ROUND = 30


def one_round(random: np.random.Generator, start: int, motion: str, voters: list[str]) -> Iterator[Row]:
    """What happens to a motion from its proposal to the declaration, `time` and `name|…|arguments`."""
    yield start + 1, f"propose|{random.choice(voters)}|{motion}"
    if random.random() < 0.15:
        return
    yield start + 4, f"second|{random.choice(voters)}|{motion}"
    choices = random.choice(["aye", "nay"], len(voters), p=[0.6, 0.4])
    times = start + random.integers(5, 9, len(voters))
    yield from (
        (int(time), f"vote|{voter}|{motion}|{choice}")
        for time, voter, choice in zip(times, voters, choices, strict=True)
    )
    closes = start + int(random.choice([7, 11], p=[0.1, 0.9]))
    yield closes, f"close_ballot|chair|{motion}"
    if random.random() < 0.1:
        return
    counted = choices[times <= closes]
    carried = (counted == "aye").sum() > (counted == "nay").sum()
    honest = random.random() < 0.9
    yield closes + int(random.integers(1, 12)), f"declare|chair|{motion}|{'' if carried == honest else 'not_'}carried"


def rows(agents: int, motions: int, rounds: int, seed: int) -> list[str]:
    """The stream, sorted by time."""
    random = np.random.default_rng(seed)
    voters = [f"agent{number}" for number in range(1, agents + 1)]
    found: list[Row] = []
    for motion in range(1, motions + 1):
        for number in range(rounds):
            start = number * ROUND + int(random.integers(0, 5))
            found += one_round(random, start, f"motion{motion}", voters)
    return [f"{name}|{time}|{time}|{args}" for time, text in sorted(found) for name, args in [text.split("|", 1)]]


def roles(agents: int, motions: int) -> list[str]:
    """Background facts: who votes, who has the chair, and what there is to vote on."""
    voters = [f"role_of(agent{number}, voter)." for number in range(1, agents + 1)]
    return ["role_of(chair, chair).", *voters, *(f"motion(motion{number})." for number in range(1, motions + 1))]


def main() -> None:
    """Write a stream and its background."""
    options = argparse.ArgumentParser(description="Votes of a committee of any size.")
    options.add_argument("--agents", type=int, default=40)
    options.add_argument("--motions", type=int, default=5)
    options.add_argument("--rounds", type=int, default=10)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--output", type=Path, required=True)
    options.add_argument("--roles", type=Path, required=True)
    given = options.parse_args()
    stream = rows(given.agents, given.motions, given.rounds, given.seed)
    given.output.write_text("\n".join(stream) + "\n", encoding="utf-8")
    given.roles.write_text("\n".join(roles(given.agents, given.motions)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
