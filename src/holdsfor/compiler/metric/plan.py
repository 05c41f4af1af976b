"""The plan of a metric program: relations in strata, and the time direction of each stratum."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction

from holdsfor.compiler.analysis.argument_names import head_variables
from holdsfor.compiler.analysis.graphs import strong_components
from holdsfor.compiler.metric.normal import normalise
from holdsfor.compiler.metric.rules import NormalRule, Relation, sources
from holdsfor.ir.metric import MetricFact, MetricProgram, Range


class Direction(StrEnum):
    """The time direction in which a recursive stratum derives facts."""

    NOWHERE = "nowhere"
    FORWARD = "forward"
    BACKWARD = "backward"
    BOTH = "both directions"


@dataclass(frozen=True)
class MetricStratum:
    """Relations that are evaluated together.

    `stride` is the least distance that a recursive stratum with a direction advances per round.
    """

    number: int
    relations: tuple[Relation, ...]
    rules: tuple[NormalRule, ...]
    is_recursive: bool
    direction: Direction
    stride: Fraction | None = None


@dataclass(frozen=True)
class MetricPlan:
    """The plan of a metric program."""

    strata: tuple[MetricStratum, ...]
    outputs: tuple[Relation, ...]
    inputs: tuple[Relation, ...]
    facts: tuple[MetricFact, ...]
    delays: Mapping[Relation, Fraction] = field(default_factory=dict)
    """By how much the results of a predicate are delayed, if they are not available at once."""
    variables: Mapping[tuple[str, int], tuple[str | None, ...]] = field(default_factory=dict, compare=False, repr=False)
    """The variables of the rule heads at the arguments of each predicate, by name and arity."""

    @property
    def rules(self) -> tuple[NormalRule, ...]:
        """All rules in stratum order."""
        return tuple(rule for stratum in self.strata for rule in stratum.rules)

    @property
    def is_forward(self) -> bool:
        """Whether no result lies before its premises, so that the program can run on a stream."""
        return all(looks_back(rule) for rule in self.rules)


def looks_back(rule: NormalRule) -> bool:
    """Whether a rule derives nothing for times before its input."""
    return all(_is_forward(offsets) for _, offsets, _ in sources(rule))


def make_metric_plan(program: MetricProgram, queries: Iterable[str] = ()) -> MetricPlan:
    """The plan of a checked program, restricted to the needs of queries if there are any."""
    plan = plan_rules(normalise(program), program.facts, queries)
    return replace(plan, variables=head_variables(program))


def plan_rules(
    rules: Sequence[NormalRule],
    facts: Sequence[MetricFact] = (),
    queries: Iterable[str] = (),
    *,
    keep: Iterable[Relation] = (),
) -> MetricPlan:
    """The plan of normalised rules, restricted to what the predicates or relations to keep need."""
    wanted = set(queries)
    by_head: dict[Relation, list[NormalRule]] = {}
    for rule in rules:
        by_head.setdefault(rule.head, []).append(rule)
    written = [head for head in dict.fromkeys(rule.head for rule in rules) if head.is_written]
    outputs = tuple(head for head in written if not wanted or head.name in wanted)
    graph = _needed(by_head, (*outputs, *keep))
    strata: list[MetricStratum] = []
    for component in reversed(strong_components(graph)):
        own = [rule for relation in component for rule in by_head.get(relation, ())]
        if own:
            strata.append(_stratum(len(strata) + 1, component, own, graph))
    heads = {rule.head for rule in rules}
    inputs = tuple(relation for relation in graph if relation.is_written and relation not in heads)
    named = {relation.name for relation in graph}
    return MetricPlan(tuple(strata), outputs, inputs, tuple(fact for fact in facts if fact.predicate in named))


def _needed(by_head: dict[Relation, list[NormalRule]], roots: Iterable[Relation]) -> dict[Relation, list[Relation]]:
    """The relations that each relation reads, for all relations that the roots need."""
    graph: dict[Relation, list[Relation]] = {}
    waiting = list(roots)
    while waiting:
        relation = waiting.pop()
        if relation in graph:
            continue
        read = [source for rule in by_head.get(relation, ()) for source, _, _ in sources(rule)]
        graph[relation] = list(dict.fromkeys(read))
        waiting += graph[relation]
    return graph


def _stratum(
    number: int, component: tuple[Relation, ...], rules: Sequence[NormalRule], graph: dict[Relation, list[Relation]]
) -> MetricStratum:
    members = set(component)
    inner = [offsets for rule in rules for source, offsets, _ in sources(rule) if source in members]
    is_recursive = len(component) > 1 or component[0] in graph[component[0]]
    return MetricStratum(number, component, tuple(rules), is_recursive, _direction(inner), _stride(inner))


def _is_forward(offsets: Range) -> bool:
    return offsets.low is not None and offsets.low >= 0


def _is_backward(offsets: Range) -> bool:
    return offsets.high is not None and offsets.high <= 0


def _direction(inner: Sequence[Range]) -> Direction:
    if all(offsets.low == offsets.high == 0 for offsets in inner):
        return Direction.NOWHERE
    if all(map(_is_forward, inner)):
        return Direction.FORWARD
    return Direction.BACKWARD if all(map(_is_backward, inner)) else Direction.BOTH


def _stride(inner: Sequence[Range]) -> Fraction | None:
    """The shortest distance over which a rule of the stratum carries facts."""
    distances = [abs(bound) for offsets in inner for bound in (offsets.low, offsets.high) if bound]
    return min(distances, default=None)
