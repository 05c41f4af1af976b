"""What can become of an interval from one query time to the next."""

from __future__ import annotations

from enum import StrEnum


class Op(StrEnum):
    """What happened to an interval. `OPEN` is its first report, even if its end is known by then."""

    OPEN = "open"
    EXTEND = "extend"
    CLOSE = "close"
    REVISE = "revise"
    RETRACT = "retract"
