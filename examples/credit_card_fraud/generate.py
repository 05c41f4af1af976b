"""Payments with any number of cards, some of which are copied or stolen, and a list of those.

python examples/credit_card_fraud/generate.py --cards 1000 --output payments.csv --truth truth.csv

Owners pay at home, and now and then travel, with time enough for the journey. A copy is used far away soon after its
owner has paid. A thief tries a stolen card with small amounts before the big one.
"""
# ruff: noqa: INP001 -- a script, not a package

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

FAR = {"athens": ("oslo", "lima"), "patras": ("oslo", "lima"), "oslo": ("athens", "lima"), "lima": ("athens", "oslo")}
JOURNEY = 60
Payment = tuple[int, str, int]


def life(random: np.random.Generator, payments: int) -> tuple[list[Payment], int]:
    """What an owner pays, where and when, and the time after the last payment."""
    city, time, found = str(random.choice(list(FAR))), int(random.integers(1, 50)), []
    for _ in range(payments):
        found.append((time, city, int(random.integers(5, 200))))
        time += int(random.integers(5, 40))
        if random.random() < 0.1:
            city, time = str(random.choice(list(FAR))), time + JOURNEY
    return found, time


def copied(random: np.random.Generator, start: int, home: str) -> Iterator[Payment]:
    """The owner pays, and so does a copy, too soon for any journey."""
    yield start, home, 20
    yield start + int(random.integers(3, 9)), str(random.choice(FAR[home])), 150


def stolen(start: int, home: str) -> Iterator[Payment]:
    """Two small amounts and a big one."""
    yield from ((start, home, 2), (start + 3, home, 3), (start + 6, home, 900))


def stream(cards: int, payments: int, frauds: float, seed: int) -> tuple[list[str], list[str]]:
    """The rows of the stream, and those of the truth: card, what was done, when it began."""
    random = np.random.default_rng(seed)
    found, truth = [], ["card,fraud,time"]
    for number in range(1, cards + 1):
        card = f"card{number}"
        paid, end = life(random, payments)
        if random.random() < frauds:
            kind, start, home = str(random.choice(["copied", "stolen"])), end + JOURNEY, paid[-1][1]
            paid += copied(random, start, home) if kind == "copied" else stolen(start, home)
            truth.append(f"{card},{kind},{start}")
        found += [(time, f"{card}|{city}|{amount}") for time, city, amount in paid]
    return [f"payment|{time}|{time}|{text}" for time, text in sorted(found)], truth


def main() -> None:
    """Write payments and the truth about them."""
    options = argparse.ArgumentParser(description="Payments with cards, some of them fraud.")
    options.add_argument("--cards", type=int, default=1000)
    options.add_argument("--payments", type=int, default=20, help="for each card")
    options.add_argument("--frauds", type=float, default=0.05, help="the share of cards that are copied or stolen")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--output", type=Path, required=True)
    options.add_argument("--truth", type=Path, required=True)
    given = options.parse_args()
    rows, truth = stream(given.cards, given.payments, given.frauds, given.seed)
    given.output.write_text("\n".join(rows) + "\n", encoding="utf-8")
    given.truth.write_text("\n".join(truth) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
