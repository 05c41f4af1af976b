"""Messages of an electronic market with any number of agents.

python examples/netbill/generate.py --agents 100 --deals 1000 --output deals.csv

A deal is a story: a consumer asks, a merchant makes an offer, sometimes twice, sometimes unasked; the consumer accepts in
time, too late, or never; the goods are paid for, or somebody reports a breach.
"""
# ruff: noqa: INP001 -- a script, not a package

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np

Row = tuple[int, str, str]


def deal(random: np.random.Generator, start: int, merchant: str, consumer: str, goods: str) -> Iterator[Row]:
    """The messages of one deal: time, name and arguments."""
    time = start
    if random.random() < 0.8:
        yield time, "request_quote", f"{consumer}|{merchant}|{goods}"
    price = int(random.integers(5, 100))
    time += int(random.integers(1, 4))
    yield time, "present_quote", f"{merchant}|{consumer}|{goods}|{price}"
    if random.random() < 0.2:
        time += int(random.integers(2, 9))
        yield time, "present_quote", f"{merchant}|{consumer}|{goods}|{price - 1}"
    if random.random() < 0.2:
        return
    time += int(random.integers(1, 20))
    yield time, "accept_quote", f"{consumer}|{merchant}|{goods}"
    time += int(random.integers(2, 15))
    if random.random() < 0.7:
        yield time, "settle", f"{merchant}|{consumer}|{goods}"
    else:
        offender = random.choice([merchant, consumer])
        yield time, "report_breach", f"{offender}|{merchant}|{consumer}|{goods}"


def rows(agents: int, deals: int, span: int, seed: int) -> list[str]:
    """The stream, sorted by time. Half of the agents sell, the others buy."""
    random = np.random.default_rng(seed)
    merchants = [f"merchant{number}" for number in range(1, agents // 2 + 1)]
    consumers = [f"consumer{number}" for number in range(1, agents - agents // 2 + 1)]
    found: list[Row] = []
    for start in np.sort(random.integers(0, span, deals)):
        goods = f"goods{random.integers(1, 11)}"
        found += deal(random, int(start), random.choice(merchants), random.choice(consumers), goods)
    return [f"{name}|{time}|{time}|{args}" for time, name, args in sorted(found)]


def main() -> None:
    """Write a stream."""
    options = argparse.ArgumentParser(description="Messages of an electronic market.")
    options.add_argument("--agents", type=int, default=100)
    options.add_argument("--deals", type=int, default=1000)
    options.add_argument("--span", type=int, default=1000, help="deals begin before this time-point")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--output", type=Path, required=True)
    given = options.parse_args()
    stream = rows(given.agents, given.deals, given.span, given.seed)
    given.output.write_text("\n".join(stream) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
