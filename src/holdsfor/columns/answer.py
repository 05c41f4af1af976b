"""The answer at one query time, as tables."""

from __future__ import annotations

from holdsfor.columns.tables import Events, Intervals
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.records import record


@record
class Answer:
    """The results at one query time: intervals that reach into the window, and derived events inside it.

    `conflicts` counts the new ones: initiations broken at their own time-point, minus those that a late event removed.
    """

    query_time: int
    fluents: dict[Symbol, Intervals]
    events: dict[Symbol, Events]
    conflicts: int
