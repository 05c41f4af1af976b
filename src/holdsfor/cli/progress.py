"""The progress of a run: a line on the terminal that disappears at the end."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdsfor.times import TimeScale, shown_time

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_PAUSE = 0.1


class ProgressLine:
    """Shows the number of rows read, then the query time and the events per second."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._task: TaskID | None = None
        self._begin = time.perf_counter()
        self.scale: TimeScale | None = None
        """The time unit, if it is known."""

    def reading(self, rows: int) -> None:
        """Shows the number of rows read."""
        self._show(f"reading  {rows:,} rows  {self._rate(rows)} rows/s", None)

    def recognising(self, queries: int) -> None:
        """Starts the phase of query times; `queries` is their number."""
        self._begin = time.perf_counter()
        self._show("recognising", queries)

    def reached(self, query_time: int, done: int, events: int) -> None:
        """Shows the last query time, the number `done` of them, and the events up to it."""
        self._show(f"query time {shown_time(query_time, self.scale)}  {self._rate(events)} events/s", None, done)

    def leave(self) -> None:
        """Clears the line before other output."""
        self._progress.stop()

    def _rate(self, count: int) -> str:
        return f"{count / max(time.perf_counter() - self._begin, 1e-9):,.0f}"

    def _show(self, text: str, total: int | None, done: int | None = None) -> None:
        if self._task is None:
            self._task = self._progress.add_task(text, total=total)
        self._progress.update(self._task, description=text, completed=done)
        if total is not None:
            self._progress.update(self._task, total=total, completed=0)


@contextmanager
def progress_line() -> Iterator[ProgressLine | None]:
    """A progress line on a terminal, otherwise None."""
    # A terminal that cannot move its cursor would show line after line.
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), TextColumn("{task.description}", markup=False), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, refresh_per_second=1 / _PAUSE) as progress:
        yield ProgressLine(progress)
