"""The kinds of changes of an interval between query times."""

from __future__ import annotations

from enum import StrEnum


class Op(StrEnum):
    """The kind of a change. `OPEN` is the first report, even if the end is already known."""

    OPEN = "open"
    EXTEND = "extend"
    CLOSE = "close"
    REVISE = "revise"
    RETRACT = "retract"
