"""Reports of a fleet of any size, some of which arrive late.

python examples/fleet_management/generate.py --vehicles 50 --output reports.csv --thresholds thresholds.prolog

A late report has two different times: when it arrived and when it happened. The order of rows is that of arrival.
"""
# ruff: noqa: INP001 -- a script, not a package

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np


def rows(vehicles: int, reports: int, late: float, delay: int, seed: int) -> list[str]:
    """Speed with every report; fuel, stations, weather and manoeuvres with some."""
    random = np.random.default_rng(seed)
    vehicle = random.integers(1, vehicles + 1, reports)
    time = np.sort(random.integers(1, 10 * reports // vehicles + 1, reports))
    arrival = time + np.where(random.random(reports) < late, random.integers(1, delay + 1, reports), 0)
    speed, fuel = random.integers(40, 120, reports), random.integers(5, 60, reports)
    celsius, rain = random.integers(-5, 25, reports), random.integers(0, 3, reports)
    chance = random.random(reports)
    found = []
    for index in np.argsort(arrival, kind="stable").tolist():
        both, who = f"{arrival[index]}|{time[index]}", f"vehicle{vehicle[index]}"
        found.append(f"speed|{both}|{who}|{speed[index]}")
        if chance[index] < 0.5:
            found.append(f"fuelLevel|{both}|{who}|{fuel[index]}")
        if chance[index] < 0.2:
            found.append(f"closeToGas|{both}|{who}")
        if 0.6 < chance[index] < 0.8:
            found.append(f"weather|{both}|{who}|{celsius[index]}|{rain[index]}")
        if chance[index] > 0.8:
            found.append(f"abrupt{'Cornering' if chance[index] > 0.9 else 'Acceleration'}|{both}|{who}")
        if chance[index] > 0.97:
            found.append(f"engineOff|{both}|{who}")
    return found


def thresholds(vehicles: int) -> list[str]:
    """Background facts: the speed limit and the tank of each vehicle."""
    numbers = range(1, vehicles + 1)
    return [f"threshold(vehicle{n}, speed, {80 + 10 * (n % 2)}).\nthreshold(vehicle{n}, fuel, 60)." for n in numbers]


def main() -> None:
    """Write a stream and its background."""
    options = argparse.ArgumentParser(description="Reports of a fleet, some of which arrive late.")
    options.add_argument("--vehicles", type=int, default=50)
    options.add_argument("--reports", type=int, default=5000)
    options.add_argument("--late", type=float, default=0.2, help="the share of reports that are late")
    options.add_argument("--delay", type=int, default=60, help="how late they are at most")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--output", type=Path, required=True)
    options.add_argument("--thresholds", type=Path, required=True)
    given = options.parse_args()
    stream = rows(given.vehicles, given.reports, given.late, given.delay, given.seed)
    given.output.write_text("\n".join(stream) + "\n", encoding="utf-8")
    given.thresholds.write_text("\n".join(thresholds(given.vehicles)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
