"""The logical plan: strata in evaluation order, with their rules and inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from holdsfor import ir
from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.dependencies import conditions
from holdsfor.compiler.analysis.entities import Role, Symbol
from holdsfor.compiler.analysis.mixing import read_atoms
from holdsfor.compiler.limits import MAX_DELAYED_EFFECTS
from holdsfor.compiler.passes.implied_groundings import without_implied_groundings
from holdsfor.ir.metric import MetricFact, MetricProgram, MetricRule

if TYPE_CHECKING:
    from holdsfor.compiler.metric.plan import MetricPlan

_T = TypeVar("_T")
_P = ParamSpec("_P")


@dataclass(frozen=True)
class Stratum:
    """Fluents and events that are evaluated together."""

    number: int
    level: int
    members: tuple[Symbol, ...]
    rules: tuple[ir.Rule, ...]
    inputs: tuple[Symbol, ...]
    analysis: Analysis = field(repr=False, compare=False)
    metric: MetricPlan | None = None
    """The metric rules of the members, which read other fluents and events as input."""


@dataclass(frozen=True)
class Plan:
    """A compiled program."""

    analysis: Analysis
    strata: tuple[Stratum, ...]
    max_delayed_effects: int = MAX_DELAYED_EFFECTS
    """The limit of delayed effects that follow from each other without an event in between."""
    cache: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """Values derived from the plan, by the function that computes them and its other arguments."""

    @property
    def inputs(self) -> tuple[Symbol, ...]:
        """The events and fluents that must come from the stream."""
        roles = (Role.INPUT_EVENT, Role.INPUT_FLUENT)
        entities = self.analysis.entities.with_role(*roles)
        return tuple(entity.symbol for entity in entities if entity.uses or entity.symbol in self.filling)

    @cached_property
    def domain_readers(self) -> tuple[Symbol, ...]:
        """The fluents and derived events that read domains filled by input, in rules or in groundings.

        Their results depend on all records, however old.
        """
        analysis = self.analysis
        if not analysis.background.dependent:
            return ()
        return tuple(
            symbol
            for stratum in self.strata
            for symbol in stratum.members
            for entity in (analysis.entities[symbol],)
            if any(
                _reads_domain(analysis.bodies.get(id(rule), ()), analysis)
                for rule in (*entity.rules, *entity.groundings)
            )
        )

    @cached_property
    def filling(self) -> frozenset[Symbol]:
        """The input that fills domains with readers."""
        return frozenset(one.symbol for one in self.analysis.fillings) if self.domain_readers else frozenset()

    @property
    def outputs(self) -> tuple[Symbol, ...]:
        """The fluents and derived events that are computed and visible."""
        hidden = self.analysis.program.hidden
        return tuple(symbol for stratum in self.strata for symbol in stratum.members if symbol.name not in hidden)

    @property
    def clock_tick(self) -> int:
        """The distance of neighbouring time-points; the plan itself counts ticks."""
        return self.analysis.program.clock_tick

    @property
    def has_metric_rules(self) -> bool:
        """Whether some strata are metric rules."""
        return any(stratum.metric is not None for stratum in self.strata)

    def __getstate__(self) -> dict[str, Any]:
        """Leaves out fields that can be computed again."""
        return {**self.__dict__, "cache": {}}


def once_per_plan(work: Callable[Concatenate[Plan, _P], _T]) -> Callable[Concatenate[Plan, _P], _T]:
    """Caches a value that is derived from a plan with the plan, so that it is computed once."""

    @wraps(work)
    def found(plan: Plan, /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        key = work, args, tuple(kwargs.items())
        if key not in plan.cache:
            plan.cache[key] = work(plan, *args, **kwargs)
        kept: _T = plan.cache[key]
        return kept

    return found


def make_plan(analysis: Analysis) -> Plan:
    """Arranges an analysed program into strata."""
    analysis = without_implied_groundings(analysis)
    graph = analysis.graph
    strata: list[Stratum] = []
    for members in graph.fluent_components:
        if analysis.entities[members[0]].role is Role.INPUT_FLUENT:
            continue
        rules = tuple({id(rule): rule for symbol in members for rule in analysis.entities[symbol].rules}.values())
        inputs = _inputs(members, rules, analysis)
        metric = None
        if analysis.entities[members[0]].role is Role.METRIC_FLUENT:
            from holdsfor.compiler.metric.plan import make_metric_plan

            program = _metric_program(members, analysis)
            metric, inputs = make_metric_plan(program), tuple(dict.fromkeys(_metric_inputs(program, analysis)))
        strata.append(Stratum(0, graph.symbol_levels[members[0]], members, rules, inputs, analysis, metric))
    strata.sort(key=lambda stratum: stratum.level)
    return Plan(analysis, tuple(_numbered(strata)))


def _reads_domain(body: ir.Body, analysis: Analysis) -> bool:
    """Whether a body calls a background predicate that depends on domains filled by input."""
    calls = (literal for literal in ir.walk(body) if isinstance(literal, ir.Call))
    return any(analysis.background.depends_on_input(call.atom) for call in calls)


def _numbered(strata: list[Stratum]) -> Iterator[Stratum]:
    for number, stratum in enumerate(strata, 1):
        yield replace(stratum, number=number)


def _inputs(members: tuple[Symbol, ...], rules: tuple[ir.Rule, ...], analysis: Analysis) -> tuple[Symbol, ...]:
    found: dict[Symbol, None] = {}
    for rule in rules:
        for condition in conditions(rule.body, analysis.entities):
            found.setdefault(condition.symbol)
        if isinstance(rule, ir.DelayRule):
            found.setdefault(analysis.entities.fluent(rule.trigger))
    return tuple(symbol for symbol in found if symbol not in members)


def _metric_program(members: tuple[Symbol, ...], analysis: Analysis) -> MetricProgram:
    symbols = analysis.graph.with_metric_sources(members)
    defining = [one for symbol in symbols for one in analysis.entities[symbol].metric]
    rules = tuple(one for one in defining if isinstance(one, MetricRule))
    return MetricProgram(rules, tuple(one for one in defining if isinstance(one, MetricFact)))


def _metric_inputs(program: MetricProgram, analysis: Analysis) -> Iterator[Symbol]:
    """The symbols that metric rules read and that are not metric predicates."""
    for rule in program.rules:
        for atom in read_atoms(rule):
            yield from (
                symbol for symbol in analysis.entities.meant(atom.signature) if symbol not in analysis.graph.metric
            )
