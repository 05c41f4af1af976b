"""Infections of any number of hosts.

python examples/immune_response/generate.py --hosts 100 --steps 1000 --output hosts.csv

The clock of a host ticks every three time-points; infections come at random.
"""
# ruff: noqa: INP001 -- a script, not a package

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

TICK = 3


def rows(hosts: int, steps: int, infections: int, seed: int) -> list[str]:
    """The stream, sorted by time. An infection falls between two steps, so that it is seen by the next."""
    random = np.random.default_rng(seed)
    found = [(TICK * step, f"step|host{host}") for host in range(1, hosts + 1) for step in range(1, steps + 1)]
    times = TICK * random.integers(1, steps, (hosts, infections)) + 1
    found += [(int(time), f"infection|host{host}") for host, listed in enumerate(times, 1) for time in set(listed)]
    return [f"{name}|{time}|{time}|{host}" for time, text in sorted(found) for name, host in [text.split("|")]]


def main() -> None:
    """Write a stream."""
    options = argparse.ArgumentParser(description="Infections of any number of hosts.")
    options.add_argument("--hosts", type=int, default=100)
    options.add_argument("--steps", type=int, default=1000)
    options.add_argument("--infections", type=int, default=10, help="for each host")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--output", type=Path, required=True)
    given = options.parse_args()
    stream = rows(given.hosts, given.steps, given.infections, given.seed)
    given.output.write_text("\n".join(stream) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
