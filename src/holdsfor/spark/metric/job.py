"""Describes a distributed run of a metric program as plain data: the routes of facts, independent of Spark."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import lcm

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.metric.facts import Facts
from holdsfor.columns.metric.timeline import scale_of
from holdsfor.compiler.metric.plan import MetricPlan
from holdsfor.compiler.metric.rules import Relation
from holdsfor.compiler.metric.stages import Delivery, MetricStage, MetricStages, metric_stages, stage_plan
from holdsfor.metric.goals import Goals
from holdsfor.times import TimeScale

_PLANS: dict[tuple[str, int], MetricPlan] = {}
"""Plans of stages, by the mark of their job and their number."""
_MOST_PLANS = 256


@dataclass(frozen=True)
class FactRoute:
    """The route of facts of a relation: to the bucket of the argument at `place`, to every bucket, or to one bucket."""

    tag: int
    place: int | None
    is_everywhere: bool = False
    bucket: int = 0


@dataclass(frozen=True)
class MetricJob:
    """Stages over a number of buckets, from start to end.

    Every input of every stage has a number, its tag. The tags of result predicates follow.
    """

    stages: MetricStages
    buckets: int
    start: Fraction | None = None
    end: Fraction | None = None
    time_scale: TimeScale | None = None
    """The length of a time unit, if changes have timestamps."""
    goals: Goals | None = None
    """The goals of a query with constants; the plan is restricted to them."""
    mark: str = field(default="", compare=False)
    """Identifies the program: each task receives its own copy of the job."""

    @classmethod
    def of(
        cls,
        plan: MetricPlan,
        buckets: int,
        start: Fraction | None = None,
        end: Fraction | None = None,
        goals: Goals | None = None,
    ) -> MetricJob:
        """The job of a plan, or of a query on it."""
        plan = plan if goals is None else goals.made.plan
        mark = f"{fingerprint(plan)} {sorted((str(one), delay) for one, delay in plan.delays.items())}"
        return cls(metric_stages(plan), buckets, start, end, goals=goals, mark=mark)

    @property
    def plan(self) -> MetricPlan:
        """The plan."""
        return self.stages.plan

    @cached_property
    def tags(self) -> tuple[tuple[int, Delivery], ...]:
        """The stage and the delivery of each tag."""
        return tuple((stage.number, delivery) for stage in self.stages.stages for delivery in stage.deliveries)

    @property
    def last(self) -> int:
        """The number of the last stage."""
        return len(self.stages.stages)

    @cached_property
    def width(self) -> int:
        """The number of argument columns; rows that are set aside need two."""
        return max([2, *(relation.arity for stage in self.stages.stages for relation in _relations(stage))])

    @cached_property
    def scale(self) -> int:
        """The number of ticks per time unit that the program needs."""
        times = (self.start, self.end, *self.plan.delays.values())
        return lcm(
            scale_of(self.plan.rules, self.plan.facts), *(time.denominator for time in times if time is not None)
        )

    def result_tag(self, relation: Relation) -> int:
        """The tag of the results of a predicate."""
        return len(self.tags) + self.plan.outputs.index(relation)

    def result_of(self, tag: int) -> Relation:
        """The predicate of a result tag."""
        return self.predicate(self.plan.outputs[tag - len(self.tags)])

    def predicate(self, output: Relation) -> Relation:
        """The predicate of an output."""
        return output if self.goals is None else self.goals.made.predicates[output]

    def requested(self, output: Relation, facts: Facts, dictionary: Dictionary) -> Facts:
        """The facts of an output that match the query."""
        return facts if self.goals is None else self.goals.of_output(output, facts, dictionary)

    def routes(self, relation: Relation, made_in: int | None) -> tuple[FactRoute, ...]:
        """All routes of facts of a relation, from a stage or from input, to their readers."""
        return tuple(
            FactRoute(tag, delivery.place, delivery.place is None and not self.stages.stages[number - 1].is_single)
            for tag, (number, delivery) in enumerate(self.tags)
            if delivery.relation == relation and delivery.made_in == made_in
        )

    def leaving(self, stage: MetricStage) -> tuple[Relation, ...]:
        """The relations of a stage that are results, or that later stages read."""
        return tuple(one for one in stage.makes if one in self.plan.outputs or self.routes(one, stage.number))

    def plan_of(self, stage: MetricStage) -> MetricPlan:
        """The plan of a stage: one object per process, so that it is lowered once."""
        key = self.mark, stage.number
        if key not in _PLANS:
            if len(_PLANS) >= _MOST_PLANS:
                _PLANS.clear()
            _PLANS[key] = stage_plan(self.stages, stage, self.leaving(stage))
        return _PLANS[key]

    @cached_property
    def given(self) -> dict[tuple[str, int], Relation]:
        """The relations of input facts, by name and arity."""
        found = [delivery.relation for _, delivery in self.tags if delivery.made_in is None]
        return {(relation.name, relation.arity): relation for relation in found}


def fingerprint(plan: MetricPlan, goals: Goals | None = None) -> str:
    """A text that identifies the rules and the query."""
    text = "\n".join([*map(repr, plan.rules), repr(plan.facts), repr(sorted(map(str, plan.outputs)))])
    text += "" if goals is None else f"\n{goals.atoms}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _relations(stage: MetricStage) -> Iterator[Relation]:
    yield from stage.makes
    yield from (delivery.relation for delivery in stage.deliveries)
