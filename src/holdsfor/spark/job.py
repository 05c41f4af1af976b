"""What every worker is told: the rules, the stages, the kinds of rows and the windows. Plain data that can be pickled."""

from __future__ import annotations

import copyreg
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from holdsfor.compiler.analysis.alignment import Places
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.core.engine import shipped
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.layouts import Form
from holdsfor.spark.keys import Ties
from holdsfor.spark.stages import StagePlan
from holdsfor.spark.wire import MOST_BUCKETS, MOST_TAGS, Tag, Wire, slot_names
from holdsfor.times import TimeScale


def _symbol(symbol: Symbol) -> tuple[type[Symbol], tuple[object, ...]]:
    return Symbol, (symbol.kind, symbol.name, symbol.arity, symbol.inner, symbol.part)


# A symbol carries its hash with it, and hashes of text differ from process to process.
copyreg.pickle(Symbol, _symbol)


@dataclass(frozen=True)
class StageSpec:
    """A stage as a worker sees it."""

    number: int
    members: dict[Symbol, Places]
    tags: dict[int, Tag]
    ties: Ties | None = None


@dataclass(frozen=True)
class Span:
    """The windows that were asked for; what is None follows from the stream."""

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
    """How many rows of a bucket are worked on at a time, if they come in order of time."""
    time_scale: TimeScale | None = None
    """What one time-point is, where changelogs are to have timestamps."""
    sides: tuple[tuple[int, ...], ...] = ()
    """The grids of buckets of all stages."""

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
    """All kinds of rows of a run: of each source in each stage that reads it."""

    wire: Wire
    inputs: dict[tuple[int, int], tuple[int, Tag]]
    """By the number of the stage and the place of the source."""

    @property
    def has_ends(self) -> bool:
        """Whether there are any intervals on the way."""
        return self.wire.staged or any(tag.form is Form.INTERVAL for _, tag in self.inputs.values())

    def of_stage(self, number: int) -> dict[int, Tag]:
        """The tags of a stage."""
        return dict(found for key, found in self.inputs.items() if key[0] == number)


def plan_rows(stages: StagePlan, sources: Sequence[SourceRows], *, arrivals: bool) -> Rows:
    """Tags and slots for everything that travels."""
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
    ties: Mapping[int, Ties] = MappingProxyType({}),
) -> Job:
    """What the workers are told; `ties` are those of stages whose keys are tied together."""
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
