"""Figures of other systems, and what is aimed at: read from `anchors.toml`, held against results."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.suite.measure import Result


@dataclass(frozen=True)
class Anchor:
    """What another system took for one window of a workload, in ms."""

    workload: str
    task: str
    system: str
    ms: float
    source: str
    note: str = ""
    at_least: float | None = None
    events: int | None = None
    intervals: int | None = None
    rss_mb: float | None = None

    def ratio(self, result: Result) -> float:
        """How many times as long it took as the task here."""
        task = result["tasks"][self.task]
        return self.ms * task["windows"] / float(task["cpu_ms"]["min"])


@dataclass(frozen=True)
class Goal:
    """What is aimed at within one run: a figure of a task, or without one of the workload, is at most a number, or at least.

    `less` names a task that is subtracted. With `against`, another task, the figure is a multiple of that one, or with
    `at_least`, how many times as fast as that one the task is. `each` divides by the windows of the task. A goal in a
    `section` of its own is in the table of that section.
    """

    workload: str
    task: str
    figure: str
    at_most: float | None = None
    at_least: float | None = None
    against: str = ""
    less: str = ""
    each: bool = False
    unit: str = "ms"
    title: str = ""
    section: str = "targets"
    why: str = ""
    """What stands in the way."""

    def value(self, result: Result) -> float:
        """What it is in a result."""
        found = self._figure(result, self.task)
        if self.against:
            other = self._figure(result, self.against)
            return found / other if self.at_least is None else other / found
        found -= self._figure(result, self.less) if self.less else 0.0
        found /= result["tasks"][self.task]["windows"] if self.each else 1
        return 1e3 * found if self.unit == "µs" else found

    def _figure(self, result: Result, task: str) -> float:
        if not task:
            return float(result["facts"][self.figure])
        found = result["tasks"][task]
        if self.figure.removesuffix("_ms") in ("cpu", "wall"):
            return float(found[self.figure]["min"])
        return float(found["figures"][self.figure])

    @property
    def is_met_below(self) -> bool:
        """Whether less is better."""
        return self.at_least is None

    @property
    def needed(self) -> float:
        """The number that is aimed at."""
        found = self.at_most if self.at_least is None else self.at_least
        assert found is not None, f"{self.workload}: a goal needs at_most or at_least"
        return found

    @property
    def shown_unit(self) -> str:
        """Of the figure."""
        return "×" if self.against else self.unit

    def is_in(self, result: Result) -> bool:
        """Whether a result has what is needed."""
        if not self.task:
            return self.figure in result["facts"]
        return {self.task, self.against or self.task, self.less or self.task} <= result["tasks"].keys()

    def __str__(self) -> str:
        if self.title:
            return self.title
        unit = f"× {self.against}" if self.against else self.unit
        less = f" less {self.less}" if self.less else ""
        bound = "at most" if self.is_met_below else "at least"
        return f"{self.workload}, {self.task}{less}, {self.figure.removesuffix('_ms')}: {bound} {self.needed:g} {unit}"


@cache
def _read() -> dict[str, list[dict[str, object]]]:
    with (Path(__file__).parent / "anchors.toml").open("rb") as file:
        return tomllib.load(file)


def anchors(workload: str, result: Result) -> list[Anchor]:
    """Those of the tasks a workload has a result for."""
    every = [Anchor(**one) for one in _read()["anchor"] if one["workload"] == workload]  # type: ignore[arg-type]
    return [one for one in every if one.task in result["tasks"]]


def goals(workload: str) -> list[Goal]:
    """Those of a workload."""
    return [Goal(**one) for one in _read()["goal"] if one["workload"] == workload]  # type: ignore[arg-type]


def kept(workload: str) -> float | None:
    """The most facts that MeTeoR-Str kept for a workload."""
    return next((float(str(one["facts"])) for one in _read()["kept"] if one["workload"] == workload), None)


def aimed_at() -> list[str]:
    """Workloads for which there is a target."""
    found = [one["workload"] for one in _read()["anchor"] if "at_least" in one] + [
        one["workload"] for one in _read()["goal"]
    ]
    return list(dict.fromkeys(map(str, found)))


def obstacle(workload: str) -> str:
    """What stands in the way of a target of a workload, where that is known."""
    return next((str(one["text"]) for one in _read()["obstacle"] if one["workload"] == workload), "")


def loading_ms(rows: float) -> float:
    """What RTEC takes at least to load rows."""
    return rows * float(_read()["rtec_loading_us_a_row"]) / 1e3  # type: ignore[arg-type]
