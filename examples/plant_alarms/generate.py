"""The readings of a plant as CSV, what its operators did as JSON lines, the table of its sensors, and what was planted.

python examples/plant_alarms/generate.py --lines 1 --readings readings.csv --actions actions.jsonl --sensors sensors.csv \
    --truth truth.csv

Each line of the plant has six sensors, which report every four minutes. On a Friday from 15:00 to 20:00 local time,
a temperature climbs slowly and is seen to, but late, a pressure crosses its limit again and again, a level is too high and nobody
looks, a flow meter falls silent, and a dip of the power sends most of them over their limits at once. Some readings are
bad: what they say is no measurement.
"""
# ruff: noqa: INP001 -- a script, not a package

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import numpy as np

BERLIN = ZoneInfo("Europe/Berlin")
BEGIN = datetime(2026, 3, 27, 15, tzinfo=BERLIN)
MINUTES = 300
# Name, area, limit, the value below which an alarm ends, the usual value.
SENSORS = (
    ("TT", "reactor", 180, 172, 155.0),
    ("PT", "reactor", 8, 7.8, 6.5),
    ("AT", "reactor", 50, 45, 30.0),
    ("LT", "tank", 90, 85, 60.0),
    ("VT", "tank", 7, 6, 4.0),
    ("FT", "feed", 40, 36, 25.0),
)
OPERATORS = ("anna", "ben", "carla")


class Line:
    """One line of the plant: what its sensors measure, and what its operators do."""

    def __init__(self, number: int, random: np.random.Generator) -> None:
        self._random = random
        self._name = number
        self._shift = int(random.integers(0, 8))
        self._silent = 120 + self._shift

    def tag(self, kind: str) -> str:
        """The name of a sensor, as TT-101."""
        return f"{kind}-{self._name}01"

    def area(self, name: str) -> str:
        """The name of one of its areas, as reactor1."""
        return f"{name}{self._name}"

    def readings(self) -> Iterator[tuple[datetime, str, str, str]]:
        """Time, sensor, value and quality of all readings."""
        for minute in range(0, MINUTES, 4):
            for at, (kind, _, limit, _, usual) in enumerate(SENSORS):
                if kind == "FT" and self._silent <= minute < self._silent + 40:
                    continue
                time = BEGIN + timedelta(minutes=minute, seconds=7 * at + int(self._random.integers(0, 5)))
                if self._random.random() < 0.01:
                    yield time, self.tag(kind), "" if self._random.random() < 0.5 else "9999", "bad"
                    continue
                value = self._value(kind, minute - self._shift, limit, usual) + self._random.normal() * usual * 0.004
                yield time, self.tag(kind), f"{value:.2f}", "good"

    @staticmethod
    def _value(kind: str, minute: int, limit: float, usual: float) -> float:
        """What a sensor measures, but for noise."""
        if 240 <= minute < 252 and kind in ("TT", "PT", "AT", "LT"):
            return limit * 1.1
        if kind == "TT" and 20 <= minute < 88:
            return usual + min(minute - 20, 50) * 0.65
        if kind == "PT" and 90 <= minute < 150:
            return limit + (0.3 if minute // 8 % 2 else -0.5)
        if kind == "LT" and 200 <= minute < 230:
            return limit * 1.05
        return usual

    def actions(self) -> Iterator[tuple[datetime, str, str]]:
        """Time, operator and sensor of all alarms that somebody saw to: all but that of the level."""
        for minute, kind in ((77, "TT"), (93, "PT"), (105, "PT"), (244, "TT"), (245, "PT"), (247, "AT"), (249, "LT")):
            time = BEGIN + timedelta(minutes=minute + self._shift, seconds=int(self._random.integers(50, 60)))
            yield time, str(self._random.choice(OPERATORS)), self.tag(kind)

    def truth(self) -> Iterator[str]:
        """What was planted, and when it begins at the earliest."""
        for what, kind, minute in (
            ("drifting", "TT", 20 + self._shift),
            ("chattering", "PT", 90 + self._shift),
            ("overdue", "TT", 50 + self._shift),
            ("overdue", "LT", 200 + self._shift),
            ("silent", "FT", self._silent),
            ("flood", "reactor", 240 + self._shift),
        ):
            name = self.area(kind) if what == "flood" else self.tag(kind)
            yield f"{what},{name},{(BEGIN + timedelta(minutes=minute)).isoformat()}"


def main() -> None:
    """Write readings, actions, sensors and the truth."""
    options = argparse.ArgumentParser(description="The readings of a plant, and what its operators did.")
    options.add_argument("--lines", type=int, default=1)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--readings", type=Path, required=True)
    options.add_argument("--actions", type=Path, required=True)
    options.add_argument("--sensors", type=Path, required=True)
    options.add_argument("--truth", type=Path, required=True)
    given = options.parse_args()
    random = np.random.default_rng(given.seed)
    lines = [Line(number, random) for number in range(1, given.lines + 1)]
    rows = sorted(row for line in lines for row in line.readings())
    texts = [",".join((time.isoformat(), *more)) for time, *more in rows]
    given.readings.write_text("\n".join(["time,sensor,value,quality", *texts]) + "\n", encoding="utf-8")
    actions = sorted(action for line in lines for action in line.actions())
    texts = [
        json.dumps({"at": time.isoformat(), "operator": {"id": who}, "action": "acknowledge", "alarm": {"sensor": tag}})
        for time, who, tag in actions
    ]
    given.actions.write_text("\n".join(texts) + "\n", encoding="utf-8")
    texts = [
        f"{line.tag(kind)},{line.area(area)},{limit},{clear}"
        for line in lines
        for kind, area, limit, clear, _ in SENSORS
    ]
    given.sensors.write_text("\n".join(["sensor,area,limit,clear", *texts]) + "\n", encoding="utf-8")
    texts = [row for line in lines for row in line.truth()]
    given.truth.write_text("\n".join(["situation,what,since", *texts]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
