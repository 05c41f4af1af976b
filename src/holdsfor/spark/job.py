"""Describes a run for the workers: rules, stages, kinds of rows and windows, as data that can be pickled."""

from __future__ import annotations

import copyreg
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from holdsfor.compiler.analysis.alignment import Places
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.core.program import shipped
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.layouts import Form
from holdsfor.spark.keys import TiedParts
from holdsfor.spark.stages import StagePlan
from holdsfor.spark.wire import MOST_BUCKETS, MOST_TAGS, Tag, Wire, slot_names
from holdsfor.times import TimeScale


def _symbol(symbol: Symbol) -> tuple[type[Symbol], tuple[object, ...]]:
    return Symbol, (symbol.kind, symbol.name, symbol.arity, symbol.inner, symbol.part)


# A symbol contains its hash, and hashes of text differ between processes.
copyreg.pickle(Symbol, _symbol)


@dataclass(frozen=True)
class StageSpec:
    """A stage as needed by a worker."""

    number: int
    members: dict[Symbol, Places]
    tags: dict[int, Tag]
    ties: TiedParts | None = None


@dataclass(frozen=True)
class Span:
    """The requested windows; None is derived from the stream."""

    window: int | None = None
    step: int | None = None
    start: int | None = None
    end: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether one query over everything is meant."""
        return self.window is None and self.step is None and self.start is None and self.end is None


@dataclass(frozen=True)
class Job:
    """A distributed run."""

    program: bytes
    wire: Wire
    stages: tuple[StageSpec, ...]
    buckets: int
    span: Span
    fluents: frozenset[str] | None
    derived_events: bool
    rows_at_once: int | None = None
    """The number of rows per piece, if the rows of a bucket come in time order."""
    time_scale: TimeScale | None = None
    """The length of a time-point, if changelogs have timestamps."""
    sides: tuple[tuple[int, ...], ...] = ()
    """The bucket grids of all stages."""

    @property
    def last(self) -> int:
        """The number of the last stage."""
        return len(self.stages)


@dataclass(frozen=True)
class SourceRows:
    """Input rows of one shape: the slot classes of their arguments and of their value."""

    symbol: Symbol
    form: Form
    args: tuple[str, ...]
    value: str | None = None


@dataclass(frozen=True)
class Rows:
    """The kinds of rows in a run: those of each source in each stage that reads it."""

    wire: Wire
    inputs: dict[tuple[int, int], tuple[int, Tag]]
    """By stage number and source index."""

    @property
    def has_ends(self) -> bool:
        """Whether any rows are intervals."""
        return self.wire.staged or any(tag.form is Form.INTERVAL for _, tag in self.inputs.values())

    def of_stage(self, number: int) -> dict[int, Tag]:
        """The tags of a stage."""
        return dict(found for key, found in self.inputs.items() if key[0] == number)


def plan_rows(stages: StagePlan, sources: Sequence[SourceRows], *, arrivals: bool) -> Rows:
    """Assigns tags and slots to all rows that are exchanged."""
    inputs = [
        (stage.number, place)
        for stage in stages.stages
        for place, source in enumerate(sources)
        if any(delivery.symbol == source.symbol and delivery.is_input for delivery in stage.deliveries)
    ]
    classes = [[*sources[place].args, *filter(None, [sources[place].value])] for _, place in inputs]
    staged = len(stages.stages) > 1
    # Results of early stages pass through later ones as two texts.
    named, slots = slot_names([*classes, ["x", "x"]] if staged else classes)
    numbered = list(enumerate(named))
    made_inputs = {}
    for key, (number, names) in zip(inputs, numbered, strict=False):
        source = sources[key[1]]
        made_inputs[key] = number, _tag(source.symbol, names, source.form)
    if len(numbered) > MOST_TAGS:
        raise HoldsforError(f"Spark takes at most {MOST_TAGS:,} kinds of rows, and these rules have {len(numbered):,}")
    wire = Wire(slots, staged, arrivals, deliveries=staged)
    return Rows(wire, made_inputs)


def _tag(symbol: Symbol, names: tuple[str, ...], form: Form) -> Tag:
    if symbol.kind is EntityKind.FLUENT:
        return Tag(symbol, names[:-1], names[-1], form)
    return Tag(symbol, names, None, form)


def make_job(
    stages: StagePlan,
    rows: Rows,
    *,
    buckets: int,
    span: Span,
    fluents: Collection[str] | None = None,
    derived_events: bool = False,
    rows_at_once: int | None = None,
    ties: Mapping[int, TiedParts] = MappingProxyType({}),
) -> Job:
    """The job for the workers; `ties` are those of stages with tied keys."""
    if buckets > MOST_BUCKETS:
        raise HoldsforError(f"there can be at most {MOST_BUCKETS:,} partitions, not {buckets:,}")
    specs = tuple(
        StageSpec(stage.number, dict(stage.members), rows.of_stage(stage.number), ties.get(stage.number))
        for stage in stages.stages
    )
    return Job(
        shipped(stages.plan),
        rows.wire,
        specs,
        buckets,
        span,
        None if fluents is None else frozenset(fluents),
        derived_events,
        rows_at_once,
        sides=tuple(stage.sides for stage in stages.stages),
    )
