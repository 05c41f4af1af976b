"""Cuts a metric program into stages of a distributed run: strata that run together, their keys, and their inputs.

A stage is one pass over buckets of keys. There are as few stages as possible: each stratum joins the first stage that
accepts it. If an input reaches a stage by several routes (by different arguments for different rules), each route has a
name of its own in the rules. So no bucket derives anything about the keys of another one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from holdsfor.compiler.metric.keys import KeyedRead, Keys, all_keys, keyed_reads, read_relations, why_unsplit
from holdsfor.compiler.metric.plan import MetricPlan, MetricStratum
from holdsfor.compiler.metric.rules import Joined, Lasting, NormalRule, Relation, Scan, Total

_MOST_SPLITS = 64


@dataclass(frozen=True)
class Delivery:
    """An input of a stage.

    Rows are routed to the bucket of the argument at `place`. None sends all rows to every bucket, or to the only one.
    `made_in` is the stage that derives the rows; None means that they are given facts. `copy` is the name of the input
    in the rules of the stage.
    """

    relation: Relation
    place: int | None
    copy: Relation
    made_in: int | None


@dataclass(frozen=True)
class MetricStage:
    """Strata that run in one pass over the buckets. `reason` says why a stage cannot be split."""

    number: int
    strata: tuple[MetricStratum, ...]
    keys: Mapping[Relation, int]
    deliveries: tuple[Delivery, ...]
    reason: str | None = None

    @property
    def is_single(self) -> bool:
        """Whether one bucket does all the work."""
        return self.reason is not None

    @property
    def makes(self) -> tuple[Relation, ...]:
        """The relations that the stage derives."""
        return tuple(relation for stratum in self.strata for relation in stratum.relations)


@dataclass(frozen=True)
class MetricStages:
    """All stages of a plan, in order."""

    plan: MetricPlan
    stages: tuple[MetricStage, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the stages."""
        return tuple(
            f"stage {stage.number} runs in one place: {stage.reason}" for stage in self.stages if stage.is_single
        )


_Route = tuple[Relation, int | None]
"""An input and the argument by which it is routed; None sends it to every bucket."""


@dataclass(frozen=True)
class _Split:
    """A possible split of the strata of a stage: their keys and the routes of their inputs."""

    keys: Keys
    routes: frozenset[_Route]

    @property
    def cost(self) -> tuple[int, int]:
        """The number of inputs that every bucket receives, and the total number of routes."""
        return sum(place is None for _, place in self.routes), len(self.routes)

    def with_stratum(self, stratum: MetricStratum) -> Iterator[_Split]:
        """All splits that include one more stratum."""
        for keys in all_keys(stratum, self.keys):
            together = self.keys | keys
            yield _Split(together, self.routes | frozenset(_routes([stratum], together)))


_EMPTY = _Split({}, frozenset())


@dataclass
class _Draft:
    """A stage under construction: its strata, and their possible splits; no split if there is one bucket."""

    strata: list[MetricStratum] = field(default_factory=list)
    splits: list[_Split] = field(default_factory=list)


def metric_stages(plan: MetricPlan) -> MetricStages:
    """Cuts a plan into stages."""
    drafts: list[_Draft] = []
    home: dict[Relation, int] = {}
    for stratum in plan.strata:
        number = _placed(stratum, drafts, home)
        home |= dict.fromkeys(stratum.relations, number)
    return MetricStages(plan, tuple(_stage(number, draft, home) for number, draft in enumerate(drafts, 1)))


def _placed(stratum: MetricStratum, drafts: list[_Draft], home: Mapping[Relation, int]) -> int:
    """Adds a stratum to the first stage that accepts it; returns the number of the stage."""
    first = max((home[source] for source in read_relations([stratum]) if source in home), default=1)
    alone = list(_EMPTY.with_stratum(stratum))
    for number in range(first, len(drafts) + 1):
        draft = drafts[number - 1]
        splits = [split for before in draft.splits for split in before.with_stratum(stratum)]
        # Strata that can be split do not join a stage with a single bucket, and vice versa.
        if splits or not (alone or draft.splits):
            draft.strata.append(stratum)
            draft.splits = sorted(splits, key=lambda split: split.cost)[:_MOST_SPLITS]
            return number
    drafts.append(_Draft([stratum], sorted(alone, key=lambda split: split.cost)))
    return len(drafts)


def _reads(strata: Sequence[MetricStratum], keys: Keys) -> Iterator[tuple[NormalRule, tuple[KeyedRead, ...]]]:
    for stratum in strata:
        for rule in stratum.rules:
            yield rule, keyed_reads(rule, keys[rule.head])


def _routes(strata: Sequence[MetricStratum], keys: Keys) -> Iterator[_Route]:
    """The routes by which strata receive their inputs from outside a stage."""
    for _, reads in _reads(strata, keys):
        for read in reads:
            if read.relation not in keys:
                yield read.relation, read.places[0] if read.places else None


def _stage(number: int, draft: _Draft, home: Mapping[Relation, int]) -> MetricStage:
    if not draft.splits:
        reason = "; ".join(dict.fromkeys(map(why_unsplit, draft.strata)))
        return _single(number, draft.strata, home, reason)
    made = [relation for stratum in draft.strata for relation in stratum.relations]
    keys = draft.splits[0].keys
    routes = dict.fromkeys(_routes(draft.strata, keys))
    copies = dict(_copies(list(routes)))
    deliveries = [Delivery(relation, keys[relation], relation, None) for relation in made if relation.is_written]
    deliveries += [Delivery(relation, place, copies[relation, place], home.get(relation)) for relation, place in routes]
    strata = tuple(_with_copies(stratum, keys, copies) for stratum in draft.strata)
    return MetricStage(number, strata, keys, tuple(deliveries))


def _single(number: int, strata: Sequence[MetricStratum], home: Mapping[Relation, int], reason: str) -> MetricStage:
    """A stage that is not split."""
    made = [relation for stratum in strata for relation in stratum.relations]
    given = [Delivery(relation, None, relation, None) for relation in made if relation.is_written]
    received = [
        Delivery(relation, None, relation, home.get(relation))
        for relation in read_relations(strata)
        if relation not in made
    ]
    return MetricStage(number, tuple(strata), {}, (*given, *received), reason)


def one_stage(plan: MetricPlan, reason: str) -> MetricStages:
    """All strata of a plan in one stage that is not split, with the reason."""
    return MetricStages(plan, (_single(1, plan.strata, {}, reason),) if plan.strata else ())


def _copies(routes: Sequence[_Route]) -> Iterator[tuple[_Route, Relation]]:
    """A name for each route of an input. With a single route, the input keeps its name."""
    for relation, place in routes:
        if sum(other == relation for other, _ in routes) == 1:
            yield (relation, place), relation
        else:
            name = f"{relation.name} {'everywhere' if place is None else f'by {place + 1}'}"
            yield (relation, place), Relation(name, relation.arity, is_written=False)


def _with_copies(stratum: MetricStratum, keys: Keys, copies: Mapping[_Route, Relation]) -> MetricStratum:
    rules = []
    for rule, reads in _reads([stratum], keys):
        names = [
            read.relation if read.relation in keys else copies[read.relation, read.places[0] if read.places else None]
            for read in reads
        ]
        rules.append(_reading(rule, iter(names)))
    return replace(stratum, rules=tuple(rules))


def _reading(rule: NormalRule, names: Iterator[Relation]) -> NormalRule:
    """The rule with its inputs renamed in order."""
    match rule:
        case Lasting(left=left, right=right):
            return replace(rule, left=replace(left, relation=next(names)), right=replace(right, relation=next(names)))
        case Joined(literals=literals):
            renamed = tuple(
                replace(one, relation=next(names))
                if isinstance(one, Scan)
                else replace(one, scan=replace(one.scan, relation=next(names)))
                if isinstance(one, Total)
                else one
                for one in literals
            )
            return replace(rule, literals=renamed)
        case _:
            return replace(rule, source=next(names))


def stage_plan(stages: MetricStages, stage: MetricStage, outputs: Sequence[Relation]) -> MetricPlan:
    """A stage as a plan of its own, whose inputs are the deliveries."""
    made = set(stage.makes)
    inputs = tuple(delivery.copy for delivery in stage.deliveries if delivery.relation not in made)
    delays = stages.plan.delays
    copied = {one.copy: delays[one.relation] for one in stage.deliveries if one.relation in delays}
    return MetricPlan(stage.strata, tuple(outputs), inputs, (), {**delays, **copied})
