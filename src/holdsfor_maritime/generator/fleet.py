"""The vessels: types, speeds and static data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from holdsfor_maritime.generator.motion import Floats, Ints

TYPES = ("cargo", "tanker", "fishing", "tug", "pilot", "passenger", "sar")
CARGO, TANKER, FISHING, TUG, PILOT, PASSENGER, SAR = range(len(TYPES))

_SHARE = (0.33, 0.15, 0.25, 0.07, 0.05, 0.09, 0.06)
_CODE = (70, 80, 30, 52, 50, 60, 51)
_CODES = (10, 10, 1, 1, 1, 10, 1)
"""The number of AIS codes of each type, from its first code."""
_SLOWEST = (10.0, 9.0, 8.0, 8.0, 14.0, 14.0, 18.0)
_FASTEST = (18.0, 15.0, 12.0, 12.0, 22.0, 24.0, 28.0)
_LENGTH = (160.0, 190.0, 24.0, 30.0, 14.0, 140.0, 17.0)
_WORDS = (
    "KER",
    "MOR",
    "AR",
    "PEN",
    "LOC",
    "ENEZ",
    "BRAN",
    "GWEN",
    "TAL",
    "ROZ",
    "DOUR",
    "STER",
    "BEG",
    "MEN",
    "AVEL",
    "HEOL",
)


@dataclass(frozen=True)
class Fleet:
    """Vessels, one per row."""

    mmsi: Ints
    type: Ints
    speed: Floats
    """Cruising speed, in knots."""
    no_heading: Ints
    """Whether AIS has no heading of it."""
    static: pa.Table

    def __len__(self) -> int:
        return len(self.mmsi)


def fleet(vessels: int, seed: int) -> Fleet:
    """Vessels of all types in their usual shares. The first ones have one of each type."""
    random = np.random.default_rng([seed, 11])
    # Shares are kept even in a small fleet: vessel n is of the type that is furthest behind its share.
    quotas = (np.arange(len(_SHARE)) + 0.5) / len(_SHARE) * 0.999
    order = np.argsort(
        np.concatenate([(np.arange(1, vessels + 1) - quotas[k]) / share for k, share in enumerate(_SHARE)]),
        kind="stable",  # the same fleet on every processor
    )
    kinds = np.repeat(np.arange(len(_SHARE)), vessels)[order[:vessels]]
    # Drawn without regard to the size of the fleet, so that a larger one does not repeat numbers.
    mmsi = 200_000_000 + random.permutation(max(vessels * 4, 1_000))[:vessels] * 20_011 % 575_000_000
    slow, fast = np.array(_SLOWEST)[kinds], np.array(_FASTEST)[kinds]
    speed = slow + (fast - slow) * random.random(vessels)
    length = np.array(_LENGTH)[kinds] * random.uniform(0.7, 1.3, vessels)
    width = length / random.uniform(5.5, 7.5, vessels)
    words = np.array(_WORDS)
    names = [
        f"{a} {b} {n}"
        for a, b, n in zip(
            *(words[random.integers(0, len(words), vessels)] for _ in range(2)), range(vessels), strict=True
        )
    ]
    share = random.random(vessels)
    static = pa.table(
        {
            "sourcemmsi": mmsi,
            "imonumber": 9_000_000 + np.arange(vessels),
            "callsign": [f"F{number:05d}" for number in range(vessels)],
            "shipname": names,
            "shiptype": np.array(_CODE)[kinds] + random.integers(0, np.array(_CODES)[kinds]),
            "tobow": (length * share).astype(np.int64),
            "tostern": (length * (1 - share)).astype(np.int64),
            "tostarboard": (width / 2).astype(np.int64),
            "toport": (width / 2).astype(np.int64),
            "eta": ["" for _ in range(vessels)],
            "draught": np.round(width / 4, 1),
            "destination": ["" for _ in range(vessels)],
            "mothershipmmsi": pa.nulls(vessels, pa.int64()),
            "t": np.zeros(vessels, np.int64),
        }
    )
    return Fleet(mmsi, kinds, speed, (random.random(vessels) < 0.25).astype(np.int64), static)
