"""What a workload is: something to make ready, then tasks that are timed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.peers.clocks import processor_time

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "examples"

Figures = Mapping[str, float]
"""Numbers that a task reports by itself, by name."""
Work = Callable[[], Figures | None]


def again(work: Work) -> Callable[[], Work]:
    """Work that can be done time and again."""
    return lambda: work


@dataclass(frozen=True)
class Task:
    """Something that is timed. What it takes is divided by `windows` where a figure for one window is asked for.

    `fresh` makes the work of a repetition and is not timed. Work may return figures of its own; those of the last
    repetition count.
    """

    fresh: Callable[[], Work]
    windows: int = 1
    repeat: int = 7
    warm_up: int = 2
    warm_seconds: float = 0.0
    """Of processor time, before the first repetition that counts."""
    clock: Callable[[], float] = processor_time


@dataclass(frozen=True)
class Ready:
    """A workload made ready: its tasks, and what is known about it, such as the number of events.

    `measured` are results of tasks that ran elsewhere, as they will be written; `series` are numbers for pictures.
    """

    tasks: dict[str, Task]
    facts: dict[str, float] = field(default_factory=dict)
    measured: dict[str, Any] = field(default_factory=dict)
    series: dict[str, list[float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Workload:
    """A name, words for it, and how to make it ready; in the quick form it is small and says little.

    Slow ones run only if they are named or all are asked for.
    """

    name: str
    title: str
    make: Callable[[bool], Ready]
    slow: bool = False


def example(folder: str, script: str = "generate") -> ModuleType:
    """A script of an example, imported from its file."""
    path = EXAMPLES / folder / f"{script}.py"
    spec = importlib.util.spec_from_file_location(f"{folder}_{script}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
