"""Rows that are pushed into a session or retracted, before the engine gets them."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.stream import Stream
from holdsfor.core.engine import Engine
from holdsfor.core.rows import EventRows, Rows
from holdsfor.core.vocabulary import Vocabulary


def is_table(frame: object) -> bool:
    """Whether it is a table of Arrow, which can be handed over as often as one likes."""
    arrow = sys.modules.get("pyarrow")
    return arrow is not None and isinstance(frame, arrow.Table)


class PlainEvents(NamedTuple):
    """Events of one table that the core has read, and the last of their times."""

    rows: EventRows
    last: int


class Given(NamedTuple):
    """Events that the core has read, and a stream of everything else."""

    stream: Stream
    dictionary: Dictionary
    plain: Sequence[PlainEvents] = ()

    @property
    def last(self) -> int | None:
        """The last time-point that any of it speaks of."""
        found = [one.last for one in self.plain]
        if self.stream.events or self.stream.fluents:
            found.append(self.stream.moments()[1])
        return max(found, default=None)

    def rows(self, engine: Engine) -> Iterator[Rows]:
        """All of it as the core takes it, table by table. Nobody else can change these rows."""
        yield from (one.rows for one in self.plain)
        if self.stream.events or self.stream.fluents:
            # Whoever gave the columns may change them before time goes on.
            yield from (
                rows.kept() for rows, _ in engine.rows_of(self.stream, Vocabulary(self.dictionary, engine.words))
            )
