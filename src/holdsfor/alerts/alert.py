"""An alert is an interval of a fluent with its id in the changelog, and an action."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from holdsfor.columns.op import Op
from holdsfor.times import TimeScale

SCHEMA = "holdsfor.alert/1"
"""The name of the JSON format; fields may be added, never removed or changed."""
Moment = int | str | None


class Action(StrEnum):
    """The action of an alert. If the interval has already ended when it is first reported, the action is `CLOSE`."""

    OPEN = "open"
    UPDATE = "update"
    CLOSE = "close"
    WITHDRAW = "withdraw"


@dataclass(frozen=True)
class Alert:
    """An alert, identified by its `id`. Times are numbers, or ISO 8601 if the time unit is known.

    A start of None is before all time, an end of None is open.
    """

    id: str
    action: Action
    fluent: str
    value: str
    start: Moment
    end: Moment
    query_time: Moment
    causes: tuple[str, ...] = ()

    @property
    def delivery(self) -> str:
        """The id of this message: the same change of the same alert has the same id, however often it is sent."""
        parts = (self.id, self.action, self.start, self.end, self.query_time)
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]

    def as_json(self) -> dict[str, Any]:
        """The alert as plain data."""
        return {
            "schema": SCHEMA,
            "id": self.id,
            "delivery": self.delivery,
            "action": self.action.value,
            "fluent": self.fluent,
            "value": self.value,
            "start": self.start,
            "end": self.end,
            "query_time": self.query_time,
            "causes": list(self.causes),
        }

    def json(self) -> str:
        """The same as JSON text, in one line."""
        return json.dumps(self.as_json(), ensure_ascii=False)


def alerts_of(
    changes: Iterable[Any], fluents: Collection[str] | None = None, time_scale: TimeScale | None = None
) -> Iterator[Alert]:
    """The alerts for changes, in order: changes of a session, or rows of the changelog of a stream.

    `fluents` are the names to report; None is all. With a `time_scale`, times are written in ISO 8601.
    """
    for change in changes:
        row: Mapping[str, Any] = change if isinstance(change, Mapping) else change._asdict()
        if fluents is not None and row["fluent"].partition("(")[0].strip("'") not in fluents:
            continue
        start, end, at = (_moment(row[name], time_scale) for name in ("start", "end", "query_time"))
        causes = tuple(map(str, row.get("causes") or ()))
        yield Alert(row["id"], _action(Op(row["op"]), end), row["fluent"], row["value"], start, end, at, causes)


def _action(op: Op, end: Moment) -> Action:
    if op is Op.RETRACT:
        return Action.WITHDRAW
    if end is not None and op in (Op.OPEN, Op.CLOSE):
        return Action.CLOSE
    return Action.OPEN if op is Op.OPEN else Action.UPDATE


def _moment(time: Any, scale: TimeScale | None) -> Moment:
    if isinstance(time, datetime):
        return time.isoformat()
    return time if time is None or scale is None or isinstance(time, str) else scale.text(time)
