"""The stages of a distributed run with their keys and inputs, as plain data made from a plan, independent of Spark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from holdsfor.columns.dictionary import value_of
from holdsfor.columns.kernels import Ints
from holdsfor.compiler.analysis.alignment import Places, Spreading
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.spark.keys import parts
from holdsfor.syntax.terms import arguments


@dataclass(frozen=True)
class Link:
    """Two places of an input, or of a fact table, whose values belong together."""

    source: Symbol | tuple[str, int]
    one: int
    other: int

    def __str__(self) -> str:
        return str(self.source) if isinstance(self.source, Symbol) else f"{self.source[0]}/{self.source[1]}"


@dataclass(frozen=True)
class Delivery:
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
class Stage:
    """A stage of the plan: a pass over the buckets."""

    number: int
    members: tuple[tuple[Symbol, Places], ...]
    deliveries: tuple[Delivery, ...]
    links: tuple[Link, ...] = ()
    """What ties keys, so that connected components share a bucket."""
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
    stages: tuple[Stage, ...]
    in_one_place: str = ""
    """The reason why one bucket does all the work, if it does."""

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the stages."""
        return (self.in_one_place,) if self.in_one_place else tuple(_warnings(self.stages))


def _warnings(stages: Iterable[Stage]) -> Iterator[str]:
    for stage in stages:
        named = ", ".join(str(symbol) for symbol, _ in stage.members)
        if stage.is_single and stage.why:
            yield f"{named}: one worker does all the work, because {stage.why}"
        if stage.links and stage.why:
            sources = ", ".join(dict.fromkeys(map(str, stage.links)))
            yield f"{named}: {stage.why}; all that occur together in {sources} share a bucket"


def fact_parts(plan: Plan, link: Link) -> tuple[Ints, Ints]:
    """The key parts that a fact table relates."""
    assert not isinstance(link.source, Symbol)
    rows = [arguments(rule.head) for rule in plan.analysis.background.rules[link.source]]
    return parts(value_of(row[link.one]) for row in rows), parts(value_of(row[link.other]) for row in rows)
