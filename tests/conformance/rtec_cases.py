"""The RTEC conformance cases: programs, streams and right answers, in a form that any engine can be run on."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest
from _pytest.mark import ParameterSet

from holdsfor import load
from holdsfor.loading import Reasoner
from holdsfor.reference import EventRow, IntervalRow, Record, Windows
from tests.strategies.recorded import RowReader

ROOT = Path(__file__).parent / "rtec"
CASES = [
    *sorted(ROOT.glob("cases/*/")),
    *sorted(ROOT.glob("disagreements/*/"), key=lambda path: int(path.name[1:])),
    *sorted(ROOT.glob("2026-11/*/")),
]

IntervalTuple = tuple[int, str, str, float, float]
EventTuple = tuple[int, str, int]

OPEN: dict[str, tuple[str, str]] = {}
"""Cases that some evaluators do not pass yet: which evaluators, and what is missing."""

MALFORMED = {"15-findall-same-variable-twice": 1}
"""How many rows of a case's stream do not fit its rules, and are put aside."""


def parameters(evaluator: str, folders: Iterable[Path] = CASES) -> list[ParameterSet]:
    """Every case as a test parameter; a case that is open for the evaluator has to fail."""
    return [pytest.param(folder, id=folder.name, marks=_marks(evaluator, folder.name)) for folder in folders]


def _marks(evaluator: str, case: str) -> list[pytest.MarkDecorator]:
    evaluators, reason = OPEN.get(case, ("", ""))
    return [pytest.mark.xfail(strict=True, reason=reason)] if evaluator in evaluators.split() else []


class Reported(Protocol):
    """What an evaluator has found."""

    @property
    def intervals(self) -> Iterable[IntervalRow]: ...
    @property
    def events(self) -> Iterable[EventRow]: ...


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

    @property
    def malformed(self) -> int:
        return MALFORMED.get(self.folder.name, 0)


def load_case(folder: Path) -> Case:
    """Read a case; where the papers are not decisive the original's answers are the target."""
    run: dict[str, Any] = json.loads((folder / "run.json").read_text())
    suffix = "_rtec" if run.get("oracle") == "rtec" and (folder / "expected_rtec.csv").exists() else ""
    events_file = folder / f"expected_events{suffix}.csv"
    return Case(
        folder,
        run["window"],
        run["step"],
        run["start"],
        run["end"],
        {
            (int(row["query_time"]), row["fluent"], row["value"], _moment(row["start"]), _moment(row["end"]))
            for row in _rows(folder / f"expected{suffix}.csv")
        },
        {(int(row["query_time"]), row["event"], int(row["time"])) for row in _rows(events_file)}
        if events_file.exists()
        else None,
    )


def check_case(folder: Path, recognise: Callable[[Reasoner, list[Record], Windows], Reported]) -> None:
    """Assert that an evaluator of records reports the right answers of a case, at its own window setting."""
    case = load_case(folder)
    reasoner = load(case.rules)
    stream = RowReader(reasoner.analysis).read([case.stream])
    assert len(stream.malformed) == case.malformed
    found = recognise(reasoner, stream.records, Windows(case.window, case.step, case.start, case.end))
    assert {(r.query_time, r.fluent, r.value, r.start, r.end) for r in found.intervals} == case.intervals
    if case.events is not None:
        assert {(r.query_time, r.event, r.time) for r in found.events} == case.events


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def _moment(text: str) -> float:
    return float(text) if text in ("inf", "-inf") else int(text)
