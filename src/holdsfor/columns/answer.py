"""What is known at one query time, as tables."""

from __future__ import annotations

from holdsfor.columns.tables import Events, Intervals
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.records import record


@record
class Answer:
    """What holds at one query time: intervals that reach into the window, derived events inside it.

    `conflicts` are those that are new: initiations broken at their own time-point, less those a late event undid.
    """

    query_time: int
    fluents: dict[Symbol, Intervals]
    events: dict[Symbol, Events]
    conflicts: int
