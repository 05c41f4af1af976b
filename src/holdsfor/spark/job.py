"""What every worker is told: the rules, the stages, the kinds of rows and the windows. Plain data that can be pickled."""

from __future__ import annotations

import copyreg
import pickle
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

from holdsfor.compiler.analysis.alignment import Places, Spreading
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.limits import MAX_DELAYED_EFFECTS
from holdsfor.compiler.plan import Plan
from holdsfor.core.engine import shipped
from holdsfor.diagnostics import HoldsforError
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.evaluation import width
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.retention import retention
from holdsfor.io.layouts import Form
from holdsfor.ir import Program
from holdsfor.loading import from_program
from holdsfor.spark.wire import MOST_BUCKETS, MOST_TAGS, Kind, Tag, Wire, slot_names
from holdsfor.spreading.keys import Ties
from holdsfor.spreading.stages import Delivery, StagePlan
from holdsfor.times import TimeScale


def _symbol(symbol: Symbol) -> tuple[type[Symbol], tuple[object, ...]]:
    return Symbol, (symbol.kind, symbol.name, symbol.arity, symbol.inner, symbol.part)


# A symbol carries its hash with it, and hashes of text differ from process to process.
copyreg.pickle(Symbol, _symbol)


@dataclass(frozen=True)
class Exit:
    """Where the rows of a symbol go from the stage that makes them: as which tag, to which stage, by which keys."""

    symbol: Symbol
    kind: Kind
    tag: int
    stage: int
    spreading: Spreading | None


@dataclass(frozen=True)
class StageSpec:
    """A stage as a worker sees it."""

    number: int
    strata: frozenset[tuple[Symbol, ...]]
    members: dict[Symbol, Places]
    tags: dict[int, Tag]
    exits: tuple[Exit, ...]
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
    max_delayed_effects: int = MAX_DELAYED_EFFECTS
    time_scale: TimeScale | None = None
    """What one time-point is, where changelogs are to have timestamps."""
    sides: tuple[tuple[int, ...], ...] = ()
    """The grids of buckets of all stages, if the core runs them."""

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
    """All kinds of rows of a run: of each source in each stage that reads it, and of each table between stages."""

    wire: Wire
    inputs: dict[tuple[int, int], tuple[int, Tag]]
    """By the number of the stage and the place of the source."""
    tables: dict[tuple[int, Symbol, Kind], tuple[int, Tag]]

    @property
    def has_ends(self) -> bool:
        """Whether there are any intervals on the way."""
        return self.wire.staged or any(tag.form is Form.INTERVAL for _, tag in self.inputs.values())

    def of_stage(self, number: int) -> dict[int, Tag]:
        """The tags of a stage."""
        return dict(found for key, found in (*self.inputs.items(), *self.tables.items()) if key[0] == number)


def plan_rows(stages: StagePlan, sources: Sequence[SourceRows], *, arrivals: bool) -> Rows:
    """Tags and slots for everything that travels."""
    inputs = [
        (stage.number, place)
        for stage in stages.stages
        for place, source in enumerate(sources)
        if any(delivery.symbol == source.symbol and delivery.is_input for delivery in stage.deliveries)
    ]
    tables = [] if stages.is_physical else stage_tables(stages)
    classes = [[*sources[place].args, *filter(None, [sources[place].value])] for _, place in inputs]
    classes += [["x"] * (width(symbol) + _has_value(symbol)) for _, symbol, _ in tables]
    staged = len(stages.stages) > 1
    # Results of early stages pass through later ones as two texts.
    named, slots = slot_names([*classes, ["x", "x"]] if staged else classes)
    numbered = list(enumerate(named))
    made_inputs = {}
    for key, (number, names) in zip(inputs, numbered, strict=False):
        source = sources[key[1]]
        made_inputs[key] = number, _tag(source.symbol, Kind.INPUT, names, source.form)
    made_tables = {}
    for table, (number, names) in zip(tables, numbered[len(inputs) :], strict=False):
        made_tables[table] = number, _tag(table[1], table[2], names)
    if len(numbered) > MOST_TAGS:
        raise HoldsforError(f"Spark takes at most {MOST_TAGS:,} kinds of rows, and these rules have {len(numbered):,}")
    wire = Wire(slots, staged, arrivals, deliveries=staged and stages.is_physical)
    return Rows(wire, made_inputs, made_tables)


def _tag(symbol: Symbol, kind: Kind, names: tuple[str, ...], form: Form | None = None) -> Tag:
    if _has_value(symbol):
        return Tag(symbol, kind, names[:-1], names[-1], form)
    return Tag(symbol, kind, names, None, form)


def _has_value(symbol: Symbol) -> bool:
    return symbol.kind is EntityKind.FLUENT


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
    if stages.is_physical:
        found = _core_job(stages, rows, buckets, span, fluents, ties, derived_events=derived_events)
        return replace(found, rows_at_once=rows_at_once)
    specs = []
    unsettled = retention(stages.plan).unsettled
    for stage in stages.stages:
        exits = []
        for symbol, _ in stage.members:
            for consumer, delivery in stages.consumers(symbol, stage.number):
                for kind in _kinds(delivery, unsettled):
                    number, _ = rows.tables[consumer.number, symbol, kind]
                    exits.append(Exit(symbol, kind, number, consumer.number, delivery.spreading))
        strata = frozenset(stratum.members for stratum in stage.strata)
        tags, tied = rows.of_stage(stage.number), ties.get(stage.number)
        specs.append(StageSpec(stage.number, strata, dict(stage.members), tags, tuple(exits), tied))
    return Job(
        pickle.dumps(replace(stages.plan.analysis.written, diagnostics=())),
        rows.wire,
        tuple(specs),
        buckets,
        span,
        None if fluents is None else frozenset(fluents),
        derived_events,
        rows_at_once,
        stages.plan.max_delayed_effects,
    )


def _core_job(
    stages: StagePlan,
    rows: Rows,
    buckets: int,
    span: Span,
    fluents: Collection[str] | None,
    ties: Mapping[int, Ties],
    *,
    derived_events: bool,
) -> Job:
    """What the workers are told of a program that the core runs."""
    specs = tuple(
        StageSpec(
            stage.number, frozenset(), dict(stage.members), rows.of_stage(stage.number), (), ties.get(stage.number)
        )
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
        sides=tuple(stage.sides for stage in stages.stages),
    )


def _kinds(delivery: Delivery, unsettled: Collection[Symbol]) -> tuple[Kind, ...]:
    """What of a table a later stage needs."""
    settled = (Kind.SETTLED,) if delivery.symbol in unsettled else ()
    return (Kind.TABLE, *(Kind(effect.value) for effect in delivery.effects), *settled)


def stage_tables(stages: StagePlan) -> list[tuple[int, Symbol, Kind]]:
    """The tables that stages hand to later ones: the number of the later one, the symbol, and what of it."""
    unsettled = retention(stages.plan).unsettled
    return [
        (stage.number, delivery.symbol, kind)
        for stage in stages.stages
        for delivery in stage.deliveries
        if delivery.made_in is not None and delivery.made_in < stage.number
        for kind in _kinds(delivery, unsettled)
    ]


def prepared(job: Job, spec: StageSpec) -> Prepared:
    """The strata of one stage, ready to run; what is kept of the past is decided by the whole program."""
    whole = _compiled(job.program)
    made = Prepared(whole, Dictionary())
    strata = tuple(stratum for stratum in whole.strata if stratum.members in spec.strata)
    made.plan = replace(whole, strata=strata, max_delayed_effects=job.max_delayed_effects)
    return made


@lru_cache(maxsize=8)
def _compiled(program: bytes) -> Plan:
    """A worker compiles a program once, however many buckets it gets."""
    written: Program = pickle.loads(program)  # noqa: S301 -- our own bytes, made by make_job
    return from_program(written).plan
