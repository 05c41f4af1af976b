"""What caused a change."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from holdsfor.times import TimeScale


class CauseKind(StrEnum):
    """How an input made a difference, in the order of the core's numbers; or an edit of rules, whose text names what differs."""

    ARRIVED = "arrived"
    LATE = "late"
    RETRACTED = "retracted"
    CORRECTED = "corrected"
    CORRECTION = "correction"
    RULE_CHANGED = "rule changed"


class Cause(NamedTuple):
    """An input that made a difference: what it says, and when that is. Events, and what is open, have no end."""

    kind: CauseKind
    text: str
    time: int
    end: int | None = None

    def __str__(self) -> str:
        return self.shown()

    def shown(self, scale: TimeScale | None = None) -> str:
        """The cause as text, with times as a scale has them."""
        shown = str if scale is None else scale.text
        when = f"at {shown(self.time)}" if self.end is None else f"from {shown(self.time)} to {shown(self.end)}"
        return f"{self.kind} {self.text} {when}"
