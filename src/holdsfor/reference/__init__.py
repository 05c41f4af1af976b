"""The reference evaluator: small, slow, and the definition of what is right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import EntityKind, Role
from holdsfor.compiler.limits import MAX_DELAYED_EFFECTS
from holdsfor.logic.failures import Failures
from holdsfor.reference.component import ComponentState
from holdsfor.reference.evaluator import World
from holdsfor.reference.forgetting import silences
from holdsfor.reference.history import (
    InputInterval,
    KnownInput,
    Occurrence,
    Record,
    Windows,
    known_at,
    on_ticks,
    whole_history,
)
from holdsfor.reference.mixed import run_metric
from holdsfor.syntax.printer import print_term

__all__ = ["EventRow", "InputInterval", "IntervalRow", "Occurrence", "Record", "Reference", "Windows", "recognise"]


@dataclass(frozen=True, slots=True, order=True)
class IntervalRow:
    """A maximal interval [start, end) reported at a query time."""

    query_time: int
    fluent: str
    value: str
    start: float
    end: float


@dataclass(frozen=True, slots=True, order=True)
class EventRow:
    """A derived event reported at a query time."""

    query_time: int
    event: str
    time: int


@dataclass(frozen=True)
class Reference:
    """All rows of a run, and the number of conflicts."""

    intervals: tuple[IntervalRow, ...]
    events: tuple[EventRow, ...]
    conflicts: int
    failures: Failures = field(default_factory=Failures, compare=False)


def recognise(
    analysis: Analysis,
    records: Sequence[Record],
    windows: Windows | None = None,
    *,
    tick: int = 1,
    max_delayed_effects: int = MAX_DELAYED_EFFECTS,
) -> Reference:
    """Runs a program over a stream; without windows, one query over everything. Time-points are a clock tick apart."""
    records = [on_ticks(record, tick) for record in records]
    intervals: list[IntervalRow] = []
    events: list[EventRow] = []
    conflicts: set[object] = set()
    failures = Failures()
    used = windows or whole_history(records, tick)
    origin = min(
        0,
        used.start + tick,
        *(record.start if isinstance(record, InputInterval) else record.time for record in records),
        0,
    )
    for query in used.query_times:
        known = known_at(records, used, query, ignore_arrival=windows is None, tick=tick)
        world = evaluate(analysis, known, origin, failures, max_delayed_effects=max_delayed_effects)
        intervals.extend(_interval_rows(world, query, used.size))
        events.extend(_event_rows(world, query, used.size))
        conflicts |= world.conflicts
    return Reference(tuple(sorted(intervals)), tuple(sorted(events)), len(conflicts), failures)


def evaluate(
    analysis: Analysis,
    known: KnownInput,
    origin: int,
    failures: Failures | None = None,
    *,
    max_delayed_effects: int = MAX_DELAYED_EFFECTS,
) -> World:
    """All results at one query time."""
    world = World(analysis, known, failures, max_delayed_effects)
    world.silences = silences(world)
    for members in analysis.graph.fluent_components:
        if members[0].name in analysis.program.hidden:
            # Rules that forgetting is lowered to; the reference evaluator uses the definition of `forget` instead.
            continue
        if analysis.is_static(members):
            world.run_static(members[0])
        elif members[0] in analysis.graph.metric:
            run_metric(world, members, origin)
        elif analysis.entities[members[0]].role is not Role.INPUT_FLUENT:
            ComponentState(world, members).run()
    return world


def run_hidden(world: World) -> None:
    """Evaluates the rules that forgetting is lowered to, for explanations. They depend on input alone."""
    for members in world.analysis.graph.fluent_components:
        if members[0].name in world.analysis.program.hidden:
            ComponentState(world, members).run()


def _interval_rows(world: World, query: int, size: float) -> list[IntervalRow]:
    entities = world.analysis.entities
    border = query - size + world.tick
    return [
        IntervalRow(query, print_term(fluent), print_term(value), start, end)
        for (fluent, value), found in world.intervals.items()
        if (symbol := entities.pair(fluent, value)) in entities.table and entities[symbol].role is not Role.INPUT_FLUENT
        for start, end in found
        if end > border or math.isinf(end)
    ]


def _event_rows(world: World, query: int, size: float) -> list[EventRow]:
    entities = world.analysis.entities
    derived = {e.symbol for e in entities if e.symbol.kind is EntityKind.EVENT and e.role is Role.DERIVED_EVENT}
    return [
        EventRow(query, print_term(event), time)
        for time, found in world.events.items()
        if query - size < time <= query
        for event in found
        if entities.event(event) in derived
    ]
