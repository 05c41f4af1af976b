"""A network of any size: who hears whom, and the signals of a few sources.

python examples/network_monitoring/generate.py --nodes 200 --output network.txt

Time goes in steps of a half. Sources fall silent now and then; connections last for a while.
"""
# ruff: noqa: INP001 -- a script, not a package

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np


def facts(nodes: int, sources: int, span: int, seed: int) -> list[str]:
    """Facts, a line each."""
    random = np.random.default_rng(seed)
    found = []
    for source in range(1, sources + 1):
        times = np.cumsum(random.choice([0.5, 1.0, 1.5, 6.0], 2 * span, p=[0.3, 0.4, 0.25, 0.05]))
        found += [f"Signal(source{source})@{time:g}" for time in times[times < span]]
    for node, source, time in random.integers(1, (nodes + 1, sources + 1, span), (nodes // 10 + 1, 3)):
        found.append(f"Order(node{node},source{source})@{time}")
    for node, other, start, lasts in random.integers(1, (nodes + 1, nodes + 1, span, 6), (3 * nodes, 4)):
        found.append(f"Connection(node{node},node{other})@[{start},{start + lasts})")
    return found


def main() -> None:
    """Write facts."""
    options = argparse.ArgumentParser(description="A network of any size.")
    options.add_argument("--nodes", type=int, default=200)
    options.add_argument("--sources", type=int, default=5)
    options.add_argument("--span", type=int, default=60)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--output", type=Path, required=True)
    given = options.parse_args()
    lines = facts(given.nodes, given.sources, given.span, given.seed)
    given.output.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
