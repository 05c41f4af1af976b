"""What was pushed and taken back since the last question, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import TypeVar

import numpy as np

from holdsfor.engine.stream import EventColumns, FluentColumns, Stream

_Rows = TypeVar("_Rows", EventColumns, FluentColumns)


@dataclass
class Edit:
    """What was taken back, and what came in after that."""

    retracted: list[Stream] = field(default_factory=list)
    arrived: list[Stream] = field(default_factory=list)


def joined(streams: Sequence[Stream]) -> Stream:
    """Streams as one."""
    if len(streams) == 1:
        return streams[0]
    made = Stream()
    for symbol in dict.fromkeys(symbol for stream in streams for symbol in stream.events):
        made.events[symbol] = _stacked([stream.events[symbol] for stream in streams if symbol in stream.events])
    for symbol in dict.fromkeys(symbol for stream in streams for symbol in stream.fluents):
        made.fluents[symbol] = _stacked([stream.fluents[symbol] for stream in streams if symbol in stream.fluents])
    return made


def _stacked(parts: Sequence[_Rows]) -> _Rows:
    if len(parts) == 1:
        return parts[0]
    args = tuple(np.concatenate(columns) for columns in zip(*(part.args for part in parts), strict=True))
    names = [column.name for column in fields(parts[0]) if column.name != "args" and not column.kw_only]
    return type(parts[0])(args, *(np.concatenate([getattr(part, name) for part in parts]) for name in names))
