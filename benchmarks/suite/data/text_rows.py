"""Rows of RTEC's stream format, mixed as at sea."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.csv as arrow_csv

RULES = """
initiatedAt(moving(V)=true, T) :- happensAt(velocity(V,Speed,Course,Heading), T), Speed > 1, Course >= 0, Heading >= 0.
initiatedAt(within(V,A)=true, T) :- happensAt(entersArea(V,A), T).
initiatedAt(silent(V)=true, T) :- happensAt(gap_start(V), T).
holdsFor(near(V,W)=true, I) :- holdsFor(proximity(V,W)=true, I).
"""


def lines(rows: int, vessels: int = 34_000, seed: int = 1) -> list[str]:
    """Rows of four kinds and widths, in order of time."""
    random = np.random.default_rng(seed)
    time_of = np.sort(random.integers(1_443_650_400, 1_443_708_000, rows)).tolist()
    vessel = random.integers(200_000_000, 200_000_000 + vessels, (2, rows)).tolist()
    speed, course = np.round(random.gamma(2, 4, rows), 1).tolist(), np.round(random.random(rows) * 360, 1).tolist()
    area, kind = random.integers(0, 4_000, rows).tolist(), random.random(rows).tolist()
    found = []
    for t, v, w, s, c, a, k in zip(time_of, *vessel, speed, course, area, kind, strict=True):
        if k < 0.6:
            found.append(f"velocity|{t}|{t}|{v}|{s}|{c}|{a % 360}\n")
        elif k < 0.8:
            found.append(f"entersArea|{t}|{t}|{v}|area{a}\n")
        elif k < 0.9:
            found.append(f"gap_start|{t}|{t}|{v}\n")
        else:
            found.append(f"proximity|{t}|{t}|{t + 60}|true|{v}|{w}\n")
    return found


def cut_into_lines(path: Path) -> None:
    """What Arrow needs to do no more than find the lines."""
    arrow_csv.read_csv(
        path,
        arrow_csv.ReadOptions(column_names=["line"]),
        arrow_csv.ParseOptions(delimiter="\x01", quote_char=False),
    )
