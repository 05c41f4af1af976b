"""Runs of the parts of programs that matter, over input that is read once."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add

from holdsfor.compiler.analyse import Analysis, analyse
from holdsfor.compiler.analysis.arithmetic_arguments import arithmetic_arguments
from holdsfor.compiler.analysis.definitions import FLUENT, Definitions, Node
from holdsfor.compiler.analysis.entities import EntityKind, Role, Symbol
from holdsfor.compiler.analysis.reach import needed, part_of
from holdsfor.compiler.plan import Plan
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.builder import Reading
from holdsfor.io.preprocessing_rules import has_preprocessing
from holdsfor.loading import Reasoner, from_program, read_input, recognised
from holdsfor.metric import MetricReasoner
from holdsfor.metric.reasoner import from_metric_program
from holdsfor.metric.result import MetricResult
from holdsfor.recognition import EventsInput, MappingInput
from holdsfor.result import Result
from holdsfor.review.programs import AnyReasoner
from holdsfor.times import DurationInput, TimeInput


@dataclass(frozen=True)
class EventInput:
    """Events, with the options of reading and of windows."""

    events: EventsInput
    mapping: MappingInput = None
    unit: str | None = None
    window: DurationInput | None = None
    step: DurationInput | None = None
    start: TimeInput | None = None
    end: TimeInput | None = None
    clock_tick: DurationInput | None = None
    threads: int | None = None

    def require_metric(self) -> None:
        """Refuse options that have no meaning for a metric program."""
        given = {"window": self.window, "step": self.step, "clock_tick": self.clock_tick, "threads": self.threads}
        unused = [name for name, value in given.items() if value is not None]
        if unused:
            raise HoldsforError(f"{', '.join(unused)} cannot be used with a metric program")


class Runs:
    """Runs of several programs over the same input."""

    def __init__(self, given: EventInput) -> None:
        self.given = given
        self._shared: Plan | None = None
        self._readings: list[tuple[Plan, Reading]] = []

    def share(self, reasoners: Sequence[AnyReasoner]) -> None:
        """Read input once for all programs that are going to be run, if their inputs are compatible."""
        plans = [self._ticked(one).plan for one in reasoners if isinstance(one, Reasoner)]
        self._shared = _reading_plan(plans) if len(plans) == len(reasoners) else None

    def reading(self, reasoner: Reasoner) -> Reading:
        """The input as a program needs it."""
        plan = self._shared or self._ticked(reasoner).plan
        for known, reading in self._readings:
            if known is plan:
                return reading
        given = self.given
        found = read_input(plan, given.events, given.mapping, given.unit)
        self._readings.append((plan, found))
        return found

    def moments(self) -> tuple[int, int]:
        """The first and the last time of what was read."""
        _, reading = self._readings[-1]
        found = reading.stream.moments()
        return int(found[0]), int(found[1])

    def _ticked(self, reasoner: Reasoner) -> Reasoner:
        tick = self.given.clock_tick
        return reasoner if tick is None else reasoner.with_clock_tick(tick, self.given.unit)

    def result(self, reasoner: AnyReasoner, found: Definitions, wanted: Collection[Node]) -> Result | MetricResult:
        """The results of a program for some events and fluents."""
        kept = needed(found, wanted)
        if isinstance(reasoner, MetricReasoner):
            return self._metric(reasoner, kept)
        reading = self.reading(reasoner)
        part = from_program(part_of(reasoner.analysis.written, found, kept))
        part = self._ticked(part.limited(max_delayed_effects=reasoner.max_delayed_effects))
        return self.recognised(part, reading)

    def recognised(self, reasoner: Reasoner, reading: Reading) -> Result:
        """The results of a program for input that was read."""
        given = self.given
        span = given.window, given.step, given.start, given.end
        return recognised(
            reasoner.plan, reading, span, threads=given.threads, events=given.events, mapping=given.mapping
        )

    def _metric(self, reasoner: MetricReasoner, kept: Collection[Node]) -> MetricResult:
        program = reasoner.program
        rules = tuple(rule for rule in program.rules if Node(FLUENT, *rule.head.signature) in kept)
        return self.materialised(from_metric_program(replace(program, rules=rules)))

    def materialised(self, reasoner: MetricReasoner) -> MetricResult:
        """The results of a metric program."""
        given = self.given
        given.require_metric()
        with warnings.catch_warnings():
            # Warnings about facts that only the rest of the program reads.
            warnings.simplefilter("ignore")
            return reasoner.materialise(
                given.events,
                start=given.start,
                end=given.end,
                mapping=given.mapping,
                unit=given.unit,
            )


def _reading_plan(plans: Sequence[Plan]) -> Plan | None:
    """A plan to read input with for all of some programs; None if one derives what another one reads."""
    written = [plan.analysis.written for plan in plans]
    scales = {(one.time_scale, one.clock_tick) for one in written}
    if len(scales) != 1 or any(map(has_preprocessing, plans)):
        return None
    forms = [_read_entities(plan.analysis) for plan in plans]
    if all(form == forms[0] for form in forms) and all(
        arithmetic_arguments(plan.analysis.program) == arithmetic_arguments(plans[0].analysis.program) for plan in plans
    ):
        return plans[0]
    together = analyse(reduce(add, written))
    known = _read_entities(together)
    for plan, form in zip(plans, forms, strict=True):
        here = plan.analysis.entities.table
        if any(known.get(symbol, _NOT_READ) != how for symbol, how in form.items()):
            return None
        if any(symbol in here and symbol not in form for symbol in known):
            return None
    return replace(plans[0], analysis=together, strata=())


_NOT_READ = object()


def _read_entities(analysis: Analysis) -> dict[Symbol, object]:
    """The names that rows may have, and how they are declared."""
    return {
        entity.symbol: entity.declared_input
        for entity in analysis.entities
        if entity.symbol.kind is EntityKind.EVENT or entity.role is Role.INPUT_FLUENT
    }
