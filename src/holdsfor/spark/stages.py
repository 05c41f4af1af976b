"""The stages of a distributed run, made from a physical plan: their keys, and the bucket routes of their inputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from holdsfor.columns.dictionary import value_of
from holdsfor.columns.kernels import Ints
from holdsfor.compiler.analysis.alignment import Places, Spreading
from holdsfor.compiler.analysis.entities import EntityKind, Role, Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.core.program import encoded
from holdsfor.physical.buckets import grid_sides
from holdsfor.physical.instructions import Constant
from holdsfor.physical.model import Route
from holdsfor.physical.model import Stage as PhysicalStage
from holdsfor.spark.keys import parts
from holdsfor.syntax.terms import arguments


@dataclass(frozen=True)
class KeyLink:
    """Two places of an input, or of a fact table, whose values belong together."""

    source: Symbol | tuple[str, int]
    one: int
    other: int

    def __str__(self) -> str:
        return str(self.source) if isinstance(self.source, Symbol) else f"{self.source[0]}/{self.source[1]}"


@dataclass(frozen=True)
class StageInput:
    """An input of a stage. Rows go to the bucket of each key in `spreading`; None sends all rows to every bucket.

    `made_in` is the stage that computes the input, if any; the stream may contain it as well (`is_input`).
    """

    symbol: Symbol
    spreading: Spreading | None
    made_in: int | None
    is_input: bool
    lines: tuple[tuple[int, tuple[int, ...]], ...] = ()
    """For rows read by a partial key: columns, and the key parts with their values."""


@dataclass(frozen=True)
class SparkStage:
    """A stage of the plan: a pass over the buckets."""

    number: int
    members: tuple[tuple[Symbol, Places], ...]
    deliveries: tuple[StageInput, ...]
    links: tuple[KeyLink, ...] = ()
    """The links that tie keys; tied keys share a bucket."""
    sides: tuple[int, ...] = ()
    """The sides of the bucket grid; empty if keys are hashed as a whole. See `holdsfor.physical.buckets`."""
    why: str = ""
    """The reason for a single bucket."""

    @property
    def is_single(self) -> bool:
        """Whether one bucket does all the work."""
        return not any(places for _, places in self.members)


@dataclass(frozen=True)
class StagePlan:
    """All stages, in order."""

    plan: Plan
    stages: tuple[SparkStage, ...]
    in_one_place: str = ""
    """The reason why one bucket does all the work, if it does."""

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the stages."""
        return (self.in_one_place,) if self.in_one_place else tuple(_warnings(self.stages))


def _warnings(stages: Iterable[SparkStage]) -> Iterator[str]:
    for stage in stages:
        named = ", ".join(str(symbol) for symbol, _ in stage.members)
        if stage.is_single and stage.why:
            yield f"{named}: one worker does all the work, because {stage.why}"
        if stage.links and stage.why:
            sources = ", ".join(dict.fromkeys(map(str, stage.links)))
            yield f"{named}: {stage.why}; all that occur together in {sources} share a bucket"


def fact_parts(plan: Plan, link: KeyLink) -> tuple[Ints, Ints]:
    """The key parts that a fact table relates."""
    assert not isinstance(link.source, Symbol)
    rows = [arguments(rule.head) for rule in plan.analysis.background.rules[link.source]]
    return parts(value_of(row[link.one]) for row in rows), parts(value_of(row[link.other]) for row in rows)


def bucket_count(plan: Plan, wanted: int) -> int:
    """The number of buckets of a run: one, if records of all keys fill a domain."""
    return 1 if plan.filling else wanted


def physical_stages(plan: Plan, buckets: int, *, tied: bool = True) -> StagePlan:
    """The stages that the core runs.

    The connected components of tied keys share a bucket. If `tied` is false, or if results of earlier stages tie keys,
    the components are unknown before the run, so the stage has one bucket.
    """
    lowered = encoded(plan).lowered
    symbols, home = lowered.symbols, dict[Symbol, int]()
    found = []
    for number, stage in enumerate(lowered.plan.stages, 1):
        links = _links(stage, symbols, home) if tied else ()
        in_one_bucket = stage.is_tied and not links
        members = tuple((symbols[route.table], () if in_one_bucket else route.places[0]) for route in stage.members)
        deliveries = tuple(_deliveries(stage, symbols, home, plan, in_one_bucket=in_one_bucket))
        found.append(SparkStage(number, members, deliveries, links, grid_sides(stage, buckets), stage.why))
        home |= dict.fromkeys((symbol for symbol, _ in members), number)
    return StagePlan(plan, tuple(found), _in_one_place(plan))


def _in_one_place(plan: Plan) -> str:
    if not plan.filling or not plan.domain_readers:
        return ""
    named = ", ".join(map(str, plan.domain_readers))
    return f"{named}: a dynamicDomain has values from records of all keys: all work is in one place"


def _links(stage: PhysicalStage, symbols: tuple[Symbol, ...], home: dict[Symbol, int]) -> tuple[KeyLink, ...]:
    """The links that tie the keys of a stage, if they are only input or facts; facts must consist of names and numbers."""
    found: list[KeyLink] = []
    for route in stage.inputs if stage.is_tied else ():
        first, *others = (place for (place,) in route.places or ((0,),))
        if others and symbols[route.table] in home:
            return ()
        found += [KeyLink(symbols[route.table], first, other) for other in others]
    for tie in stage.fact_ties:
        if not all(isinstance(value, Constant) for group in tie.groups for value in group):
            return ()
        name, _, arity = tie.label.rpartition("/")
        found.append(KeyLink((name, int(arity)), *tie.columns))
    return tuple(found)


def _deliveries(
    stage: PhysicalStage, symbols: tuple[Symbol, ...], home: dict[Symbol, int], plan: Plan, *, in_one_bucket: bool
) -> Iterator[StageInput]:
    read = set()
    for route in stage.inputs:
        symbol = symbols[route.table]
        read.add(symbol)
        made_in = home.get(symbol)
        is_input = symbol.kind is EntityKind.EVENT or plan.analysis.entities[symbol].role is Role.INPUT_FLUENT
        # Rows of the stream are part of what an earlier stage computes.
        spreading = ((),) if in_one_bucket else _spreading(route, is_tied=stage.is_tied)
        yield StageInput(symbol, spreading, made_in, is_input and made_in is None, lines=_lines(route))
    for symbol in sorted(plan.filling - read):
        yield StageInput(symbol, ((),), None, is_input=True)


def _spreading(route: Route, *, is_tied: bool) -> tuple[tuple[int, ...], ...] | None:
    if route.is_shared or route.parts:
        return None
    # All keys that a row ties are in one bucket.
    return route.places[:1] if is_tied else route.places


def _lines(route: Route) -> tuple[tuple[int, tuple[int, ...]], ...]:
    return tuple((places[0], parts) for places, parts in zip(route.places, route.parts, strict=False))
