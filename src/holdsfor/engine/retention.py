"""What of the past must outlive its window: decided once per plan.

Statically determined fluents are of three kinds.

- Their operators look at one time-point at a time, or a limited distance back, and so do those of what they read.
  Nothing of the past is needed but since when they have held at the border, and what they read for as far as they look
  back.
- Durations, sequences and Allen relations look at whole intervals: what they say of the past may change for as long as
  an interval goes on or waits for another. Metric operators that look ahead say nothing for certain of the last
  time-points: all instances *lag* behind the border. Such fluents are *unsettled*; `unsettled.py` finds out from when
  on, and what they read is kept from there on. So are those with metric operators that look back without limit.
- Emptiness tests, complements and instances that are not all in sight may depend on anything that ever happened. They
  are worked out from the *whole* history of what they read, again and again.

Whoever reads a fluent whose past may change has such a past itself; rules about time-points are then asked again for so
much of the past (`hindsight.py`). Metric rules that look into the future, or read such
a fluent, are worked out from the whole history; others keep what will follow from the past. Conditions with a time-point of their own get as
much of the past as they can still see.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holdsfor.compiler.analysis.dependencies import conditions
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.analysis.lookback import reach
from holdsfor.compiler.analysis.variants import Variant, variants
from holdsfor.compiler.plan import Plan, Stratum, once_per_plan
from holdsfor.engine.distances import Offset, is_endless, offsets
from holdsfor.engine.hindsight import hindsight
from holdsfor.engine.tables import FOREVER
from holdsfor.ir import (
    AHEAD,
    DURATIONS,
    METRIC,
    Algebra,
    AllenMode,
    AllenRelation,
    EffectRule,
    EventRule,
    IntervalOperator,
    IntervalRule,
    Intervals,
    walk,
)
from holdsfor.syntax.terms import Term, Var, variables

if TYPE_CHECKING:
    from holdsfor.compiler.metric.plan import MetricPlan


@dataclass(frozen=True)
class Retention:
    """Which fluents keep ended intervals, and how far back before the border events and boundaries are kept.

    `unsettled` and `derivable` are statically determined fluents of the second and third kind; `parts` is what the
    former read, `whole` what the latter do. `reasons` says why the whole history of a fluent is kept. `lists` is how far
    back before the border `holdsFor` rules look at a fluent, `lag` how far before it a fluent's own past is unsettled,
    whichever the instance. `room` is how much later and earlier an end can be moved by operators. `back` is how far
    before the window rules about time-points are asked again.
    """

    whole: frozenset[Symbol]
    parts: frozenset[Symbol]
    reach: dict[Symbol, int]
    derivable: frozenset[Symbol]
    unsettled: frozenset[Symbol]
    reasons: dict[Symbol, str]
    lists: dict[Symbol, int]
    lag: dict[Symbol, int]
    room: tuple[int, int]
    back: int

    def keeps_past(self, symbol: Symbol) -> bool:
        """Whether ended intervals of a fluent are kept."""
        return symbol in self.whole or symbol in self.parts or symbol in self.reach or symbol in self.lists

    def span(self, symbol: Symbol) -> int:
        """How far back before the border intervals of a fluent are kept, whatever they are."""
        return max(self.reach.get(symbol, 0), self.lists.get(symbol, 0))


@once_per_plan
def retention(plan: Plan) -> Retention:
    """What a plan must keep."""
    found = _Found(plan)
    for stratum in plan.strata:
        found.add(stratum)
    return found.retention()


class _Found:
    """What was found out so far, stratum by stratum."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._parts: set[Symbol] = set()
        self._derivable: set[Symbol] = set()
        self._unsettled: set[Symbol] = set()
        self._reasons: dict[Symbol, str] = {}
        self._far: dict[Symbol, int] = {}
        self._distances = _Distances(plan)

    def add(self, stratum: Stratum) -> None:
        """A stratum; those before it have been added."""
        if stratum.metric is not None:
            self._add_metric(stratum, stratum.metric)
        else:
            for symbol in stratum.members:
                self._add_static(symbol)

    def retention(self) -> Retention:
        """What all strata need, and all rules that look back."""
        for rule in self._plan.analysis.program.rules:
            if isinstance(rule, EffectRule | EventRule) and isinstance(rule.time, Var):
                for symbol, distance in _earlier(self._plan, rule, rule.time.name):
                    self._far[symbol] = max(distance, self._far.get(symbol, 0))
                    if symbol.kind is EntityKind.FLUENT and distance >= FOREVER:
                        self._reasons.setdefault(symbol, f"the rule at {rule.span.location} looks back without limit")
        whole = frozenset(symbol for symbol in self._reasons if symbol not in self._derivable)
        parts, derivable, unsettled = map(frozenset, (self._parts, self._derivable, self._unsettled))
        looks, again = self._distances, hindsight(self._plan, unsettled, derivable)
        filled = dict.fromkeys(self._plan.domain_readers, "it reads a dynamicDomain, which any record may have filled")
        reasons = {**again.reasons, **filled, **self._reasons}
        back = int(FOREVER) if filled else again.back
        return Retention(
            whole, parts, self._far, derivable, unsettled, reasons, looks.lists, looks.lag, looks.room, back
        )

    def _add_static(self, symbol: Symbol) -> None:
        entities = self._plan.analysis.entities
        rules = [rule for rule in entities[symbol].rules if isinstance(rule, IntervalRule)]
        if not rules:
            return
        read = {condition.symbol for rule in rules for condition in conditions(rule.body, entities)}
        ways = [way for rule in rules for way in variants(replace(rule, body=self._plan.analysis.body(rule)))]
        is_settled = not read & self._changing and all(_looks_at_points(way) for way in ways)
        why = _unbounded(rules, ways, _listed(map(str, read & self._derivable)), is_settled=is_settled)
        if why is not None:
            self._derivable.add(symbol)
            self._need_whole(read, f"{symbol} needs all of it: {why}")
        elif not is_settled:
            self._unsettled.add(symbol)
            self._parts |= read
        self._distances.add(symbol, rules, ways, is_limited=why is None, is_settled=is_settled)

    def _add_metric(self, stratum: Stratum, metric: MetricPlan) -> None:
        """Metric rules keep what will follow from the past, not the past, unless the past itself may change."""
        changing = sorted(self._changing & set(stratum.inputs))
        if metric.is_forward and not changing:
            return
        self._derivable.update(stratum.members)
        why = f"its past changes with that of {_listed(map(str, changing))}" if changing else "it looks into the future"
        members = _listed(map(str, stratum.members))
        self._need_whole(stratum.inputs, f"{members} need{'s' * (len(stratum.members) == 1)} all of it: {why}")

    @property
    def _changing(self) -> set[Symbol]:
        return self._derivable | self._unsettled

    def _need_whole(self, read: Iterable[Symbol], why: str) -> None:
        for symbol in read:
            if symbol.kind is EntityKind.FLUENT:
                self._reasons.setdefault(symbol, why)
            else:
                self._far[symbol] = int(FOREVER)


class _Distances:
    """How far `holdsFor` rules look back and ahead, fluent by fluent in the order of the plan."""

    def __init__(self, plan: Plan) -> None:
        self._entities = plan.analysis.entities
        self.lists: dict[Symbol, int] = {}
        self.lag: dict[Symbol, int] = {}
        self.room = (0, 0)
        self._moved: dict[Symbol, tuple[int, int]] = {}

    def add(
        self, symbol: Symbol, rules: list[IntervalRule], ways: list[Variant], *, is_limited: bool, is_settled: bool
    ) -> None:
        """A fluent after those that it reads; it `is_limited` unless it needs the whole history of them."""
        read = [found for way in ways for rule in rules for found in self._read(way, rule.out)]
        later = max((offset.later + self._moved.get(leaf, (0, 0))[0] for leaf, offset in read), default=0)
        earlier = max((offset.earlier + self._moved.get(leaf, (0, 0))[1] for leaf, offset in read), default=0)
        self._moved[symbol] = later, earlier
        self.room = max(self.room[0], later), max(self.room[1], earlier)
        if not is_limited:
            return
        lag = max((offset.ahead + self.lag.get(leaf, 0) for leaf, offset in read), default=0)
        if lag:
            self.lag[symbol] = lag
        for leaf, offset in read:
            far = lag + offset.back
            if far:
                # Whole intervals may touch what ended just before.
                self.lists[leaf] = max(self.lists.get(leaf, 0), far if is_settled else far + 1)

    def _read(self, way: Variant, out: Term) -> Iterator[tuple[Symbol, Offset]]:
        for name, offset in offsets(way, out).items():
            node = way.nodes[name]
            if isinstance(node, Intervals):
                yield self._entities.fluent(node.fvp), offset


def _earlier(plan: Plan, rule: EffectRule | EventRule, now: str) -> list[tuple[Symbol, int]]:
    found = []
    for condition in conditions(rule.body, plan.analysis.entities):
        literal = condition.literal
        if isinstance(literal, Intervals) or (isinstance(literal.time, Var) and literal.time.name == now):
            continue
        most = reach(rule.body, now, literal.time.name).most if isinstance(literal.time, Var) else float(FOREVER)
        found.append((condition.symbol, int(min(most, float(FOREVER)))))
    return found


def _unbounded(rules: list[IntervalRule], ways: list[Variant], changing: str, *, is_settled: bool) -> str | None:
    """Why a fluent depends on everything that ever happened; None if it does not."""
    if len(rules) > 1:
        return "which of its rules counts depends on instances that may be long gone"
    if any(way.has_goals for way in ways):
        return "a list predicate of the program may look at all of a list"
    if any(way.guards for way in ways):
        return "whether a list of intervals is empty depends on its whole history"
    if changing:
        return f"its past changes with that of {changing}"
    if len(ways) > 1 and not is_settled:
        return "its alternatives look at whole intervals"
    found = (_Support(rules[0], way).problem(is_settled=is_settled) for way in ways)
    return next((problem for problem in found if problem is not None), None)


class _Support:
    """The variables of a rule that make its lists non-empty: its instances must follow from what is in sight."""

    def __init__(self, rule: IntervalRule, variant: Variant) -> None:
        self._rule, self._nodes = rule, variant.nodes
        self._problem: str | None = None

    def problem(self, *, is_settled: bool) -> str | None:
        """What makes the instances of the rule depend on the past, if anything does."""
        decided = self._names(self._rule.out)
        leaves = (literal for literal in walk(self._rule.body) if isinstance(literal, Intervals))
        ranging = {name for leaf in leaves for name in _leaf_names(leaf)}
        head = {v.name for part in (self._rule.fvp.fluent, self._rule.fvp.value) for v in variables(part)}
        if self._problem is None and not ranging <= decided:
            return f"{_listed(ranging - decided)} may have any value that ever occurred"
        if self._problem is None and not is_settled and not head <= decided:
            return f"{_listed(head - decided)} does not come from its intervals"
        return self._problem

    def _names(self, term: Term) -> frozenset[str]:
        node = self._nodes.get(term.name) if isinstance(term, Var) else None
        if node is None:
            return frozenset()
        if isinstance(node, Intervals):
            return _leaf_names(node)
        below = [self._names(item) for item in node.inputs]
        match node.operator:
            case IntervalOperator.INTERSECTION:
                return frozenset().union(*below)
            case IntervalOperator.UNION:
                self._require(
                    all(found == below[0] for found in below), "the lists of a union have different variables"
                )
                return frozenset().union(*below)
            case IntervalOperator.RELATIVE_COMPLEMENT:
                self._require(all(found <= below[0] for found in below), "what is taken away has variables of its own")
                return below[0]
            case IntervalOperator.SEQUENCE:
                self._require_fluents(node)
                self._require(below[1] <= below[0], "the second list of a sequence has variables of its own")
                return below[0]
            case IntervalOperator.ALLEN:
                self._require_fluents(node)
                self._require(below[0] == below[1], "the lists of an Allen relation have different variables")
                endless = node.relation is AllenRelation.BEFORE and node.mode is not AllenMode.TARGET
                self._require(not endless, "an interval may turn out to be before another at any time")
                return below[0]
            case operator if operator in DURATIONS:
                return below[0]
            case operator if operator in METRIC:
                return self._metric_names(node, below)
            case _:
                self._require(False, "a complement holds at all times but some")
                return below[0] if below else frozenset()

    def _metric_names(self, node: Algebra, below: list[frozenset[str]]) -> frozenset[str]:
        if is_endless(node):
            self._require(node.operator not in AHEAD, f"{node.operator} looks ahead without limit")
            if node.operator is not IntervalOperator.SINCE:
                self._require_fluents(node)
        if len(below) > 1:
            self._require(below[0] <= below[1], f"the first list of {node.operator} has variables of its own")
        return below[-1]

    def _require_fluents(self, node: Algebra) -> None:
        lists = (self._nodes.get(item.name) if isinstance(item, Var) else None for item in node.inputs)
        self._require(
            all(isinstance(found, Intervals) for found in lists),
            f"{node.operator} reads a list made by another operator",
        )

    def _require(self, fulfilled: bool, problem: str) -> None:
        if not fulfilled and self._problem is None:
            self._problem = problem


_AT_POINTS = frozenset({IntervalOperator.UNION, IntervalOperator.INTERSECTION, IntervalOperator.RELATIVE_COMPLEMENT})


def _leaf_names(leaf: Intervals) -> frozenset[str]:
    return frozenset(v.name for part in (leaf.fvp.fluent, leaf.fvp.value) for v in variables(part))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(names))


def _looks_at_points(variant: Variant) -> bool:
    """Whether all operators look at one time-point at a time, or a limited distance back."""
    return all(
        isinstance(node, Intervals) or node.operator in _AT_POINTS or _looks_back(node)
        for node in variant.nodes.values()
    )


def _looks_back(node: Algebra) -> bool:
    return node.operator in METRIC and node.operator not in AHEAD and not is_endless(node)


def undecided(plan: Plan) -> list[Symbol]:
    """Fluents whose past can change with what comes later, so that a history cannot be worked on piece by piece."""
    kept = retention(plan)
    return sorted(kept.derivable | kept.unsettled | set(plan.domain_readers))
