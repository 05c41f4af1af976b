"""Computes how much a key can keep of each table behind the border of a window: rows, time-points, or everything.

The plan contains the bounds (`Table.keep`, `Table.recomputed`, `PhysicalPlan.settle`). This module combines them and
checks them against what an engine keeps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from holdsfor.physical.model import FOREVER, PhysicalPlan, Role, Stage, Table
from holdsfor.physical.operators import added
from holdsfor.records import record

_EVENTS = (Role.INPUT_EVENT, Role.DERIVED_EVENT)


@record
class RowBound:
    """The bound on the rows of a table that a key keeps behind the border: `standing` rows per instance, and the rows of `span`
    time-points.

    A fluent's row is an interval, dated at its end. Without a bound, `span` is FOREVER and `why` gives the reason.
    `is_single` means that a key has only one instance, so that `standing` is a number of rows.
    """

    standing: int
    is_single: bool
    span: int
    why: str = ""

    def __str__(self) -> str:
        """The bound in words."""
        if self.span == FOREVER:
            return f"without bound, because {self.why}"
        some = f"{self.standing} row{'' if self.is_single else ' for each instance'}" if self.standing else ""
        timed = f"rows of {self.span} time-points" if self.span else ""
        return " and ".join(filter(None, (some, timed))) or "nothing"


@record
class KeptRow:
    """A row that an engine keeps: an event at a time (`start` and `end`), or an interval [start, end) of a pair."""

    table: int
    instance: tuple[object, ...]
    start: int
    end: int


def bounds(plan: PhysicalPlan) -> tuple[RowBound, ...]:
    """The bound of each table."""
    stage_of = {route.table: stage for stage in plan.stages for route in stage.members}
    return tuple(_bound(plan, table, stage_of.get(number), number) for number, table in enumerate(plan.tables))


def _bound(plan: PhysicalPlan, table: Table, stage: Stage | None, number: int) -> RowBound:
    if table.recomputed and plan.settle != FOREVER:
        return RowBound(0, is_single=True, span=0)
    span = added(plan.settle, table.keep)
    why = table.keep_why if table.keep == FOREVER else plan.settle_why
    # Tied keys are evaluated as one key with many instances.
    keys = (
        ()
        if stage is None or stage.is_tied
        else next(route.places[0] for route in stage.members if route.table == number)
    )
    is_single = table.role is Role.SIMPLE_FLUENT and set(keys) == set(range(table.columns))
    standing = 0 if table.role in _EVENTS else 1
    return RowBound(standing, is_single, span, why if span == FOREVER else "")


def excess(plan: PhysicalPlan, border: int, kept: Iterable[KeptRow], slack: int = 0) -> Iterator[str]:
    """The rows that one key keeps behind a border beyond its bounds, in words; `slack` rows of a table may wait to be dropped.

    Rows after the border belong to the window. A simple fluent has one value at a time, so an instance has one interval
    that reaches the border. Other fluents have one such interval per value, because the value is part of the instance.
    """
    limits = bounds(plan)
    old: Counter[int] = Counter()
    standing: Counter[tuple[int, tuple[object, ...]]] = Counter()
    for row in kept:
        bound = limits[row.table]
        is_event = plan.tables[row.table].role in _EVENTS
        last = row.end if is_event else row.end - 1
        if bound.span == FOREVER or (is_event and last > border):
            continue
        if not is_event and row.start <= border - bound.span and last > border:
            standing[row.table, row.instance] += 1
        elif last <= border - bound.span - (0 if is_event else 1):
            old[row.table] += 1
    for table, count in old.items():
        if count > slack:
            yield f"{plan.tables[table].label} keeps {count} rows from before {border - limits[table].span}"
    for (table, instance), count in standing.items():
        if count > max(1, limits[table].standing):
            yield f"{plan.tables[table].label}{instance} has {count} intervals at the border {border}"
