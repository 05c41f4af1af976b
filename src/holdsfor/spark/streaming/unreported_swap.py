"""Names the cause of changes that the first query time after a swap of rules reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from holdsfor.columns.kernels import Bools, Ints
from holdsfor.columns.op import Op
from holdsfor.session.changes import fluent_name

_EVER = 2**62


@dataclass(frozen=True)
class UnreportedSwap:
    """A swap of rules whose differences no query time has reported yet.

    `query` is the last query time of the earlier rules. `causes` are the texts of the causes, by the name of each
    fluent that the edit reaches.
    """

    query: int
    causes: Mapping[str, str]

    def named_in(self, changes: pa.Table) -> pa.Table:
        """Changes with the additional cause *rule changed*, where they are about times that were known before.

        What an interval is after that follows from the passage of time.
        """
        causes = changes["causes"].to_pylist()
        fluents = changes["fluent"].to_pylist()
        for place in np.flatnonzero(self._are_about_known_times(changes)).tolist():
            cause = self.causes.get(fluent_name(fluents[place]))
            if cause is not None:
                causes[place] = [*causes[place], cause]
        number = changes.column_names.index("causes")
        return changes.set_column(number, changes.schema.field(number), pa.array(causes, pa.list_(pa.string())))

    def _are_about_known_times(self, changes: pa.Table) -> Bools:
        ops = np.array(changes["op"].to_pylist(), dtype=object)
        is_gone, is_new = ops == Op.RETRACT.value, ops == Op.OPEN.value
        now = self._known(changes, "start", "end")
        former = self._known(changes, "previous_start", "previous_end")
        before = np.where(is_gone, now, former)
        before[:, is_new] = 0
        now[:, is_gone] = 0
        found: Bools = (before != now).any(axis=0)
        return found

    def _known(self, changes: pa.Table, start: str, end: str) -> Ints:
        """The starts and ends of intervals as far as the last query time decides them: up to the time-point after it."""
        first = _numbers(changes[start], -_EVER)
        last = _numbers(changes[end], _EVER)
        last = np.where(last > self.query + 1, _EVER, last)
        is_later = first > self.query + 1
        return np.stack([np.where(is_later, 0, first), np.where(is_later, 0, last)])


def _numbers(column: Any, missing: int) -> Ints:
    found: Ints = column.fill_null(missing).to_numpy()
    return found
