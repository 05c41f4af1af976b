"""The RTEC conformance cases: programs, streams and right answers, in a form that any engine can be run on."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent / "rtec"
CASES = sorted(ROOT.glob("cases/*/")) + sorted(ROOT.glob("disagreements/*/"), key=lambda path: int(path.name[1:]))

IntervalTuple = tuple[int, str, str, float, float]
EventTuple = tuple[int, str, int]


@dataclass(frozen=True)
class Case:
    """One case with its expected answers."""

    folder: Path
    window: int
    step: int
    start: int
    end: int
    intervals: set[IntervalTuple]
    events: set[EventTuple] | None

    @property
    def rules(self) -> Path:
        return self.folder / "rules.prolog"

    @property
    def stream(self) -> Path:
        return self.folder / "events.csv"


def load_case(folder: Path) -> Case:
    """Read a case; where the papers are not decisive the original's answers are the target."""
    run: dict[str, Any] = json.loads((folder / "run.json").read_text())
    suffix = "_rtec" if run["oracle"] == "rtec" and (folder / "expected_rtec.csv").exists() else ""
    events_file = folder / f"expected_events{suffix}.csv"
    return Case(
        folder,
        run["window"],
        run["step"],
        run["start"],
        run["end"],
        {
            (int(row["query_time"]), row["fluent"], row["value"], int(row["start"]), _end(row["end"]))
            for row in _rows(folder / f"expected{suffix}.csv")
        },
        {(int(row["query_time"]), row["event"], int(row["time"])) for row in _rows(events_file)}
        if events_file.exists()
        else None,
    )


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def _end(text: str) -> float:
    return math.inf if text == "inf" else int(text)
