"""A description and a stream as tasks: reasoning from encoded columns, and the same with reading and writing."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from benchmarks.suite.workload import Ready, Task, Work, again

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.stream import Stream
from holdsfor.columns.windows import WindowPlan
from holdsfor.compiler.plan import Plan
from holdsfor.core.run import RecordedRun
from holdsfor.recognition import Recognition, read_events


@dataclass(frozen=True)
class Application:
    """A plan and its stream, in columns; `files` are those it was read from."""

    plan: Plan
    dictionary: Dictionary
    stream: Stream
    files: tuple[Path, ...] = ()


def from_files(plan: Plan, files: Sequence[Path]) -> Application:
    """Read the stream of an application."""
    reading = read_events(plan, files)
    return Application(plan, reading.dictionary, reading.stream, tuple(files))


def from_rows(plan: Plan, rows: Sequence[str]) -> Application:
    """The same from rows that were just made."""
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write("\n".join(rows) + "\n")
        file.flush()
        reading = read_events(plan, file.name)
    return Application(plan, reading.dictionary, reading.stream)


def start(application: Application, windows: WindowPlan | None) -> RecordedRun:
    """A run that has not done anything yet: on one thread, as processor time is what is compared."""
    return RecordedRun(application.plan, application.dictionary, application.stream, windows, threads=1)


def go(run: RecordedRun) -> int:
    """Work out all query times; how many intervals there are in all answers."""
    return sum(len(table) for answer in run for table in answer.fluents.values())


def _fresh(application: Application, windows: WindowPlan | None) -> Work:
    run = start(application, windows)

    def work() -> None:
        go(run)

    return work


def _whole(application: Application, windows: WindowPlan | None) -> None:
    go(start(application, windows))


def _from_file(application: Application, windows: WindowPlan | None) -> None:
    reading = read_events(application.plan, application.files)
    for _ in Recognition(application.plan, reading, windows):
        pass


def _in_a_window(application: Application, windows: WindowPlan | None) -> float:
    """Events, and intervals that are given, in a window on average. Windows may overlap."""
    stream = application.stream
    times = [table.time for table in stream.events.values()] + [table.start for table in stream.fluents.values()]
    moments = np.sort(np.concatenate(times))
    if windows is None or windows.size is None:
        return len(moments)
    ends = np.searchsorted(moments, windows.query_times, "right")
    begins = np.searchsorted(moments, windows.query_times - windows.size, "right")
    return float((ends - begins).mean())


def ready(application: Application, windows: WindowPlan | None = None, repeat: int = 7) -> Ready:
    """Reasoning; with what is done once for a run; and where the stream is in files, with reading them."""
    count = 1 if windows is None else len(windows.query_times)
    tasks = {
        "reasoning": Task(partial(_fresh, application, windows), count, repeat),
        "with setting up": Task(again(partial(_whole, application, windows)), count, repeat),
    }
    if application.files:
        tasks["with reading"] = Task(again(partial(_from_file, application, windows)), count, max(3, repeat // 2))
    events = sum(len(table.time) for table in application.stream.events.values())
    given = sum(len(table.start) for table in application.stream.fluents.values())
    facts = {
        "events": events,
        "input intervals": given,
        "windows": count,
        "a window": _in_a_window(application, windows),
    }
    return Ready(tasks, facts | {"intervals": go(start(application, windows))})
