"""Histories of a driver: rows pushed and retracted in any order and grouping, advances, and moves of the state in between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from holdsfor.reference import InputInterval, Occurrence, Record
from tests.strategies.edits import moment
from tests.strategies.engine_runs import Scenario, _shown
from tests.strategies.scenario_words import Pen


@dataclass(frozen=True)
class Push:
    """Rows that come in together."""

    records: list[Record]


@dataclass(frozen=True)
class Retract:
    """Rows that are taken back together."""

    records: list[Record]


@dataclass(frozen=True)
class Advance:
    """A query time, the number of threads, and whether changes are read after it."""

    query: int
    threads: int = 1
    changes: bool = True


@dataclass(frozen=True)
class Reload:
    """The state is saved, and an engine that has just been made loads it."""


@dataclass(frozen=True)
class Split:
    """The state is split by key into so many parts, which are merged into an engine that has just been made."""

    parts: int


Step = Push | Retract | Advance | Reload | Split


@dataclass(frozen=True, repr=False)
class History:
    """A program, a window or None, and what is done. Rows that happen up to `start` do not count.

    With `checkpoint_cells`, keys have a checkpoint after so many cells of their rows, however few those are.
    """

    scenario: Scenario
    window: int | None
    steps: list[Step]
    start: int | None = None
    checkpoint_cells: int | None = None

    def __repr__(self) -> str:
        options = f"window {self.window}, start {self.start}, checkpoint cells {self.checkpoint_cells}"
        lines = [self.scenario.text, options]
        for step in self.steps:
            if isinstance(step, Push | Retract):
                lines.append(type(step).__name__.lower())
                lines += [f"    {_shown(record)}" for record in step.records]
            else:
                lines.append(str(step))
        return "\n".join(lines)


def history(pen: Pen, one: Scenario) -> History:
    """The records of a scenario pushed, retracted, corrected and pushed again, with advances in between."""
    times = [moment(record) for record in one.records] or [0]
    first, last = min(times), max(times)
    # Most streams have some twenty time-points, those about calendars many more.
    unit = max(1, (last - first) // 25)
    queries = sorted(pen.number(first - 1, last + 4 * unit) for _ in range(pen.number(1, 6)))
    if pen.chance(40):
        queries = [last + pen.number(0, 3)] if pen.chance(20) else _regular(pen, first, last, unit)
    sizes = [(2, 1), (5, unit * pen.number(2, 9)), (4, unit * pen.number(10, 30) + pen.number(0, 1))]
    window = None if pen.chance(30) else pen.weighted(sizes)
    if window is not None and pen.chance(20):
        # A window that has left behind all there was.
        queries.append(queries[-1] + window + pen.number(0, last - first))
    slots: list[list[Step]] = [[] for _ in queries]
    lateness = pen.weighted([(3, 0), (4, 30), (2, 100)])
    for record in one.records:
        _schedule(pen, record, queries, slots, lateness, one.records)
    steps: list[Step] = []
    for query, slot in zip(queries, slots, strict=True):
        steps += _grouped(pen, slot)
        if pen.chance(10):
            steps.append(_move(pen))
        steps.append(Advance(query, pen.weighted([(4, 1), (3, 2), (1, pen.number(3, 8))]), changes=pen.chance(75)))
        if pen.chance(20):
            steps.append(_move(pen))
    start = None if pen.chance(75) else pen.number(first - 2, first + 3)
    # A row has at least two cells.
    cells = pen.weighted([(2, None), (4, 1), (2, 6), (1, 15)])
    return of_inputs(History(one, window, steps, start, cells))


def of_inputs(one: History) -> History:
    """The same without rows that no rule reads: those never reach a driver."""
    entities = one.scenario.reasoner.analysis.entities

    def is_read(record: Record) -> bool:
        if isinstance(record, Occurrence):
            return entities.event(record.event) in entities.table
        return entities.pair(record.fluent, record.value) in entities.table

    return replace(
        one,
        steps=[
            replace(step, records=[record for record in step.records if is_read(record)])
            if isinstance(step, Push | Retract)
            else step
            for step in one.steps
        ],
    )


def _regular(pen: Pen, first: int, last: int, unit: int) -> list[int]:
    step = unit * pen.number(1, 9)
    return list(range(first - 1 + step, last + step, step)[:12]) or [last]


def _schedule(
    pen: Pen, record: Record, queries: list[int], slots: list[list[Step]], lateness: int, others: Sequence[Record]
) -> None:
    """Put a push of a record into a slot, perhaps again, with retractions and corrections after or even before it."""
    on_time = next((place for place, query in enumerate(queries) if moment(record) <= query), len(queries) - 1)
    place = pen.number(0, len(queries) - 1) if pen.chance(lateness) else on_time
    slots[place].append(Push([record]))
    if pen.chance(6):
        slots[pen.number(0, len(queries) - 1)].append(Push([record]))
    if not pen.chance(22):
        return
    what = pen.weighted([(6, "back"), (3, "correct"), (2, "again"), (1, "early"), (1, "stranger"), (2, "part")])
    later = pen.number(place, len(queries) - 1)
    if what == "stranger":
        slots[later].append(Retract([_moved(pen, pen.pick(others))]))
        return
    if what == "part" and isinstance(record, InputInterval) and not record.is_point:
        slots[later].append(Retract([_part(pen, record)]))
        return
    if what == "early":
        slots[pen.number(0, place)].insert(0, Retract([record]))
        return
    slots[later].append(Retract([record]))
    if what == "correct":
        slots[later].append(Push([_moved(pen, record)]))
    elif what == "again":
        slots[pen.number(later, len(queries) - 1)].append(Push([record]))


def _moved(pen: Pen, record: Record) -> Record:
    """A record at another time."""
    by = pen.number(-3, 3)
    if isinstance(record, Occurrence):
        return replace(record, time=record.time + by)
    return replace(record, start=record.start + by, end=record.end + by)


def _part(pen: Pen, record: InputInterval) -> InputInterval:
    """An interval that overlaps another one."""
    start = record.start + pen.number(-1, 3)
    end = record.end if pen.chance(30) else start + pen.number(1, 4)
    return replace(record, start=start, end=max(start + 1, end))


def _grouped(pen: Pen, slot: list[Step]) -> list[Step]:
    """The steps of a slot, in order or in any order; neighbours of a kind come together."""
    order = pen.shuffled(slot) if pen.chance(25) else slot
    limit = pen.weighted([(3, 100), (1, 1), (1, 3)])
    made: list[Step] = []
    for step in order:
        last = made[-1] if made else None
        assert isinstance(step, Push | Retract)
        if isinstance(last, Push | Retract) and type(step) is type(last) and len(last.records) < limit:
            last.records.extend(step.records)
        else:
            made.append(replace(step, records=list(step.records)))
    return made


def _move(pen: Pen) -> Step:
    return Reload() if pen.chance(60) else Split(pen.number(1, 4))
