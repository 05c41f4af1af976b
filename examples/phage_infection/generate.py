"""Any number of cells, infected by a virus, some of them put into ultraviolet light.

python examples/phage_infection/generate.py --cells 100 --steps 1000 --output cells.csv
"""
# ruff: noqa: INP001 -- a script, not a package

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

TICK = 2


def rows(cells: int, steps: int, lit: float, seed: int) -> list[str]:
    """The stream, sorted by time: steps at odd time-points, everything else at even ones."""
    random = np.random.default_rng(seed)
    found = [(TICK * step + 1, f"step|cell{cell}") for cell in range(1, cells + 1) for step in range(1, steps + 1)]
    enters = TICK * random.integers(1, max(2, steps // 2), cells)
    light = enters + TICK * random.integers(8, max(9, steps // 2), cells)
    found += [(int(time), f"phage_enters|cell{cell}") for cell, time in enumerate(enters, 1)]
    exposed = random.random(cells) < lit
    found += [(int(time), f"uv_light|cell{cell}") for cell, time in enumerate(light, 1) if exposed[cell - 1]]
    return [f"{name}|{time}|{time}|{cell}" for time, text in sorted(found) for name, cell in [text.split("|")]]


def main() -> None:
    """Write a stream."""
    options = argparse.ArgumentParser(description="Cells that are infected by a virus.")
    options.add_argument("--cells", type=int, default=100)
    options.add_argument("--steps", type=int, default=1000)
    options.add_argument("--lit", type=float, default=0.5, help="the share of cells that see ultraviolet light")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--output", type=Path, required=True)
    given = options.parse_args()
    stream = rows(given.cells, given.steps, given.lit, given.seed)
    given.output.write_text("\n".join(stream) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
