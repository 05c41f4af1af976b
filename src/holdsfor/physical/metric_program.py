"""Lowers a metric program to a physical plan: stages by keys, on rational time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from fractions import Fraction

from holdsfor.compiler.metric.demand import TimeDemand
from holdsfor.compiler.metric.plan import MetricPlan
from holdsfor.compiler.metric.rules import Relation
from holdsfor.compiler.metric.stages import MetricStage, MetricStages, metric_stages, one_stage
from holdsfor.physical.metric import MetricComponent, MetricInput, MetricOutput
from holdsfor.physical.metric_limits import limits_of
from holdsfor.physical.metric_lower import lower_metric
from holdsfor.physical.model import FOREVER, Component, PhysicalPlan, Role, Route, Stage, Table
from holdsfor.records import record

_ZERO = Fraction(0)


class Arrival(Enum):
    """How facts arrive."""

    TOGETHER = auto()
    """All facts at once; results are needed for all times."""
    REVISED = auto()
    """On a stream; facts may be late and may be retracted."""
    FINAL = auto()
    """On a stream, in time order."""


@record
class LoweredMetricProgram:
    """A plan, with the tables for the facts of relations and the tables that contain the outputs.

    `scale` is the number of ticks per time unit.
    """

    plan: PhysicalPlan
    given: dict[Relation, tuple[int, ...]]
    outputs: dict[Relation, int]
    scale: int


def program_stages(plan: MetricPlan, arrival: Arrival) -> MetricStages:
    """The stages in which a program is evaluated. Keys have no benefit if nothing is evaluated twice."""
    return one_stage(plan, "facts come in time") if arrival is Arrival.FINAL else metric_stages(plan)


def lower_program(
    plan: MetricPlan, scale: int, arrival: Arrival, whole: MetricPlan | None = None
) -> LoweredMetricProgram:
    """The physical plan of a program.

    On a stream, a program derives nothing for times before its premises. Results up to a border and the state of a
    checkpoint there are all that later times need. `whole` is the plan that determines which times of the strata
    are needed, if this program is part of it.
    """
    lowering = _Lowering(plan, scale, arrival, TimeDemand(whole or plan, _ZERO, _ZERO))
    stages = tuple(map(lowering.stage, lowering.stages))
    keep = FOREVER if arrival is Arrival.TOGETHER else 0
    tables = tuple(Table(one.label, one.role, one.columns, keep=keep) for one in lowering.tables)
    physical = PhysicalPlan(tables, (), (), stages, (), (), (), 0, settle=keep)
    given: dict[Relation, tuple[int, ...]] = {}
    for (relation, is_made, _), number in lowering.numbers.items():
        if not is_made:
            given[relation] = (*given.get(relation, ()), number)
    outputs = {relation: lowering.number(relation, is_made=True) for relation in plan.outputs}
    return LoweredMetricProgram(physical, given, outputs, scale)


@dataclass
class _Lowering:
    program: MetricPlan
    scale: int
    arrival: Arrival
    demand: TimeDemand
    tables: list[Table] = field(default_factory=list)
    numbers: dict[tuple[Relation, bool, bool], int] = field(default_factory=dict)
    """Table numbers by relation, whether rules derive its rows, and whether all keys share them."""

    def __post_init__(self) -> None:
        self.stages = program_stages(self.program, self.arrival).stages
        later = [
            (delivery.relation, delivery.place is None and not stage.is_single)
            for stage in self.stages
            for delivery in stage.deliveries
            if delivery.made_in is not None
        ]
        # Relations that later stages share have a table of their own.
        self._shared = {relation for relation, is_shared in later if is_shared}
        self._read = {relation for relation, is_shared in later if not is_shared} | set(self.program.outputs)

    def number(self, relation: Relation, *, is_made: bool, is_shared: bool = False) -> int:
        """The table of a relation."""
        key = (relation, is_made, is_shared)
        if key not in self.numbers:
            self.numbers[key] = len(self.tables)
            role = Role.STATIC_FLUENT if is_made else Role.INPUT_FLUENT
            label = f"{relation}{'' if is_made else ' given'}{' everywhere' if is_shared else ''}"
            self.tables.append(Table(label, role, relation.arity))
        return self.numbers[key]

    def stage(self, stage: MetricStage) -> Stage:
        """A stage with one component."""
        outside = [*stage.makes, *(delivery.copy for delivery in stage.deliveries)]
        lowered = lower_metric(stage.strata, outside, self.scale)
        number = {relation: place for place, relation in enumerate(lowered.relations)}
        inputs, routes = self._inputs(stage, number)
        made = [(relation, is_shared) for relation in stage.makes for is_shared in self._variants(relation)]
        tables = tuple(self.number(relation, is_made=True, is_shared=is_shared) for relation, is_shared in made)
        component = MetricComponent(
            lowered.part,
            lowered.scale,
            inputs,
            tuple(MetricOutput(number[relation], table) for (relation, _), table in zip(made, tables, strict=True)),
            tuple(limits_of(one, self.demand.of(one), lowered.scale) for one in stage.strata),
            (),
            FOREVER,
            is_rational=True,
            is_forward=self.arrival is not Arrival.TOGETHER,
            is_final=self.arrival is Arrival.FINAL,
        )
        key = 0 if stage.is_single else 1
        members = tuple(
            Route(table, ((stage.keys[relation],) if key else (),), is_shared=False)
            for (relation, _), table in zip(made, tables, strict=True)
        )
        whole = Component(tables, (), (), (), (), is_static=True, metric=component)
        return Stage((whole,), key, members, routes, why=stage.reason or "")

    def _variants(self, relation: Relation) -> Iterable[bool]:
        """The variants of a relation that have a table: only those read outside the stage."""
        if relation in self._read:
            yield False
        if relation in self._shared:
            yield True

    def _inputs(
        self, stage: MetricStage, number: dict[Relation, int]
    ) -> tuple[tuple[MetricInput, ...], tuple[Route, ...]]:
        links: list[MetricInput] = []
        places: dict[int, set[int]] = {}
        shared: dict[int, None] = {}
        for delivery in stage.deliveries:
            is_shared = delivery.place is None and not stage.is_single
            is_made = delivery.made_in is not None
            table = self.number(delivery.relation, is_made=is_made, is_shared=is_shared)
            links.append(MetricInput(number[delivery.copy], table, FOREVER, FOREVER))
            if is_shared:
                shared[table] = None
            else:
                places.setdefault(table, set())
                if delivery.place is not None:
                    places[table].add(delivery.place)
        routes = [
            Route(table, tuple((place,) for place in sorted(found)) or ((),), is_shared=False)
            for table, found in places.items()
        ]
        routes += [Route(table, (), is_shared=True) for table in shared]
        return tuple(links), tuple(routes)


def read_relations(plan: MetricPlan) -> Iterator[Relation]:
    """The relations that may have facts: inputs, and derived relations that have a name in the program."""
    yield from plan.inputs
    for stratum in plan.strata:
        yield from (relation for relation in stratum.relations if relation.is_written)
