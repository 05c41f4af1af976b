"""The stages of a physical plan as those of a distributed run: where their inputs go, bucket by bucket."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.analysis.entities import EntityKind, Role, Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.core.engine import encoded
from holdsfor.physical.buckets import grid_sides
from holdsfor.physical.model import Route
from holdsfor.physical.model import Stage as PhysicalStage
from holdsfor.spreading.stages import Delivery, Stage, StagePlan, stage_plan


def runs_on_core(plan: Plan) -> bool:
    """Whether the core can run all stages of a program: metric rules and tied keys are still evaluated without it."""
    has_metric = any(stratum.metric is not None for stratum in plan.strata)
    return not has_metric and not any(stage.links for stage in stage_plan(plan).stages)


def bucket_count(plan: Plan, wanted: int) -> int:
    """How many buckets a run has: one, if a domain is filled by records of all keys."""
    return 1 if plan.filling else wanted


def physical_stages(plan: Plan, buckets: int) -> StagePlan:
    """The stages that the core runs."""
    lowered = encoded(plan).lowered
    symbols, home = lowered.symbols, dict[Symbol, int]()
    found = []
    for number, stage in enumerate(lowered.plan.stages, 1):
        members = tuple((symbols[route.table], route.places[0]) for route in stage.members)
        deliveries = tuple(_deliveries(stage, symbols, home, plan))
        found.append(Stage(number, (), members, deliveries, (), grid_sides(stage, buckets), stage.why))
        home |= dict.fromkeys((symbol for symbol, _ in members), number)
    why = stage_plan(plan).in_one_place if plan.filling else ""
    return StagePlan(plan, tuple(found), why, is_physical=True)


def _deliveries(
    stage: PhysicalStage, symbols: tuple[Symbol, ...], home: dict[Symbol, int], plan: Plan
) -> Iterator[Delivery]:
    read = set()
    for route in stage.inputs:
        symbol = symbols[route.table]
        read.add(symbol)
        made_in = home.get(symbol)
        is_input = symbol.kind is EntityKind.EVENT or plan.analysis.entities[symbol].role is Role.INPUT_FLUENT
        # What an earlier stage computes has the rows of the stream in it.
        yield Delivery(symbol, _spreading(route), made_in, is_input and made_in is None, lines=_lines(route))
    for symbol in sorted(plan.filling - read):
        yield Delivery(symbol, ((),), None, is_input=True)


def _spreading(route: Route) -> tuple[tuple[int, ...], ...] | None:
    return None if route.is_shared or route.parts else route.places


def _lines(route: Route) -> tuple[tuple[int, tuple[int, ...]], ...]:
    return tuple((places[0], parts) for places, parts in zip(route.places, route.parts, strict=False))
