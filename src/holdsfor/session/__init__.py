"""Live sessions: input can be late or retracted, and a query costs only the re-evaluation of what has changed."""

from __future__ import annotations

from holdsfor.compiler.plan import Plan
from holdsfor.session.causes import Cause
from holdsfor.session.changes import Change, Changes
from holdsfor.session.live import Session
from holdsfor.times import DurationInput, TimeInput

__all__ = ["Cause", "Change", "Changes", "Session", "open_session"]


def open_session(
    plan: Plan,
    window: DurationInput | None = None,
    start: TimeInput | None = None,
    *,
    changes: bool = True,
    unit: str | None = None,
    threads: int | None = None,
) -> Session:
    """A session of a program."""
    return Session(plan, window, start, changes=changes, unit=unit, threads=threads)
