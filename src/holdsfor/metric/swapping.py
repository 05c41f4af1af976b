"""Continues a metric stream with other rules.

A stream with the new rules gets the facts that are kept, and goes to the present time. It is exact where these facts reach. What the
edit does not reach, and kept facts do not suffice for, is still answered by the stream that had it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from math import inf, lcm
from operator import itemgetter
from typing import Generic, TypeAlias, TypeVar

from holdsfor.columns.metric.facts import Facts, FactSet, Signature, maximal, minus, no_facts
from holdsfor.columns.metric.timeline import cells, rescaled
from holdsfor.compiler.analysis.definitions import FLUENT, Node, metric_definitions
from holdsfor.compiler.analysis.reach import Reach, needed, reach
from holdsfor.compiler.metric.plan import Direction, MetricPlan
from holdsfor.compiler.metric.reach import reach as longest
from holdsfor.compiler.metric.rules import Relation, sources
from holdsfor.core.metric_feed import MetricFeed
from holdsfor.core.metric_stream import MetricStream
from holdsfor.diagnostics import HoldsforError
from holdsfor.ir.metric import MetricProgram, Range
from holdsfor.physical.exactness import Exactness, SwapPlan, When

Since: TypeAlias = Fraction | float
"""A time from which on answers are exact; it may be infinite."""
SPARE = 10_000
"""The number of facts that are kept beyond the need of the rules: an earlier clean-up would cost more."""
S = TypeVar("S", bound=MetricStream | MetricFeed)


@dataclass(frozen=True)
class PlannedProgram:
    """A program and its plan on a stream."""

    program: MetricProgram
    plan: MetricPlan


class _InputLog:
    """The input facts, as far back as they are kept."""

    def __init__(self) -> None:
        self.since: Since = -inf
        self._edits: list[tuple[FactSet, bool]] = []
        """Facts in the order in which they were pushed or retracted."""
        self._rows, self._least = 0, SPARE

    def note(self, facts: FactSet, *, is_retraction: bool = False) -> None:
        """Add pushed or retracted facts."""
        self._edits.append((facts, is_retraction))
        self._rows += sum(table.rows for table in facts.tables.values())

    def forget(self, before: Fraction) -> None:
        """Drop the facts before a time, once there are many of them."""
        if self._rows <= 2 * self._least:
            return
        found = self.all()
        low = cells(Range(before, None), found.scale)[0]
        kept = FactSet(found.scale, {name: table.clipped(low, _END) for name, table in found.tables.items()})
        self.since = max(self.since, before)
        self._edits, self._rows = [], 0
        self.note(kept)
        self._least = max(self._rows, SPARE)

    def all(self) -> FactSet:
        """All facts that are kept."""
        scale = lcm(1, *(facts.scale for facts, _ in self._edits))
        edits: dict[Signature, list[tuple[Facts, bool]]] = {}
        for facts, is_retraction in self._edits:
            for name, table in _rescaled(facts, scale).items():
                edits.setdefault(name, []).append((table, is_retraction))
        return FactSet(scale, {name: _remaining(listed) for name, listed in edits.items()})


def _remaining(edits: Sequence[tuple[Facts, bool]]) -> Facts:
    """The facts of one predicate that were not retracted."""
    found = no_facts(len(edits[0][0].args))
    for is_retraction, tables in groupby(edits, key=itemgetter(1)):
        some = maximal([table for table, _ in tables])
        found = minus(found, some) if is_retraction else maximal([found, some])
    return found


@dataclass
class _Earlier(Generic[S]):
    """A stream with earlier rules, and the predicates that it answers until its successor is exact."""

    stream: S
    until: dict[Signature, Since]


class Streams(Generic[S]):
    """The streams that answer a session: one, or several after swaps of rules."""

    def __init__(
        self, rules: PlannedProgram, make: Callable[[MetricPlan], S], lateness: Fraction = Fraction(0)
    ) -> None:
        self.rules, self._make, self._lateness = rules, make, lateness
        self._far = _look_back(rules.plan)
        self.main: S = make(rules.plan)
        self.earlier: list[_Earlier[S]] = []
        self._log = _InputLog()
        self._reached: Fraction | None = None
        self._exact: dict[Signature, Since] = {}
        """The times from which on answers are exact again after a swap."""
        self.late = self.unmatched = 0
        """The counts of streams that have ended."""

    @property
    def all(self) -> list[S]:
        """All streams."""
        return [self.main, *(one.stream for one in self.earlier)]

    @property
    def has_begun(self) -> bool:
        """Whether there has been an `advance`."""
        return self._reached is not None

    def push(self, facts: FactSet) -> None:
        """Push facts to all streams."""
        self._log.note(self._accepted(facts))
        for stream in self.all:
            stream.push(facts)

    def retract(self, facts: FactSet) -> None:
        """Retract facts from all streams."""
        self._log.note(self._accepted(facts), is_retraction=True)
        for stream in self.all:
            assert isinstance(stream, MetricFeed)
            stream.retract(facts)

    def advance(self, until: Fraction, go: Callable[[S], FactSet]) -> FactSet:
        """Advances all streams to a time, and combines their answers."""
        found = self.answers(go)
        self.advanced(until)
        return found

    def advanced(self, until: Fraction) -> None:
        """Drops the facts and streams that are not needed after a time."""
        self._reached = until if self._reached is None else max(until, self._reached)
        for one in self.earlier:
            one.until = {name: since for name, since in one.until.items() if since > self.border}
        self.earlier = [one for one in self.earlier if one.until]
        self._log.forget(self.border - self._far)

    @property
    def border(self) -> Fraction:
        """Facts up to this time are final."""
        assert self._reached is not None
        return self._reached - self._lateness

    def answers(self, ask: Callable[[S], FactSet]) -> FactSet:
        """The answers of the streams, each about its predicates."""
        found = ask(self.main)
        for one in self.earlier:
            other = ask(one.stream)
            scale = lcm(found.scale, other.scale)
            own, theirs = _rescaled(found, scale), _rescaled(other, scale)
            found = FactSet(scale, own | {name: theirs[name] for name in one.until})
        return found

    # Other rules

    def plan_swap(self, rules: PlannedProgram, *, is_filled: bool) -> SwapPlan:
        """Which answers are exact at once after a swap, which later, and which need earlier facts."""
        return self._swap(rules, is_filled=is_filled)[0]

    def swap(self, rules: PlannedProgram, backfill: FactSet | None) -> SwapPlan:
        """Continue with other rules; a backfill has all facts of inputs from the beginning."""
        plan, exact, earlier_until = self._swap(rules, is_filled=backfill is not None)
        made = self._make(rules.plan)
        for facts in (self._log.all(), *((backfill,) if backfill is not None else ())):
            made.push(facts)
        if self._reached is not None:
            made.advance(self._reached)
        answered = {name for one in self.earlier for name in one.until}
        for one in self.earlier:
            one.until = {name: since for name, since in earlier_until.items() if name in one.until}
        own = {name: since for name, since in earlier_until.items() if name not in answered}
        self.earlier.append(_Earlier(self.main, own))
        for one in [one for one in self.earlier if not one.until]:
            self.earlier.remove(one)
        self.late += self.main.late
        if isinstance(self.main, MetricFeed):
            self.unmatched += self.main.unmatched
        self.rules, self.main, self._exact = rules, made, exact
        self._far = _look_back(rules.plan)
        return plan

    def _swap(
        self, rules: PlannedProgram, *, is_filled: bool
    ) -> tuple[SwapPlan, dict[Signature, Since], dict[Signature, Since]]:
        """The plan; the times from which on answers are exact; and the times until which earlier streams answer."""
        _require_alike(self.rules, rules)
        old, new = metric_definitions(self.rules.program), metric_definitions(rules.program)
        edit = reach(old, new)
        kept = exact_from(rules.plan, self._log.since)
        filled = dict.fromkeys(kept, -inf) if is_filled else kept
        shown: Since = -inf if self._reached is None else self._reached - self._lateness
        outputs, exact, earlier_until = [], {}, {}
        for relation in rules.plan.outputs:
            name = relation.name, relation.arity
            is_reached = Node(FLUENT, *name) in edit.reached
            since = filled[relation]
            if not is_reached and kept[relation] > shown:
                earlier_until[name], since = kept[relation], self._exact.get(name, -inf)
            if since > shown:
                exact[name] = since
            inputs = sorted(
                f"{one.name}/{one.arity}" for one in rules.plan.inputs if _node(one) in needed(new, [_node(relation)])
            )
            about = since - rules.plan.delays.get(relation, 0)
            outputs.append(_exactness(str(relation), about, since > shown, inputs, is_reached=is_reached))
        return _described(outputs, edit, old.outputs - new.outputs, self._log.since), exact, earlier_until

    def _accepted(self, facts: FactSet) -> FactSet:
        """Facts without the late ones."""
        if self._reached is None:
            return facts
        border, delays = self._reached - self._lateness, self.rules.plan.delays
        tables = {}
        for name, table in facts.tables.items():
            since = border - delays.get(Relation(*name), Fraction(0))
            tables[name] = table.clipped(cells(Range(since, None, low_open=True), facts.scale)[0], _END)
        return FactSet(facts.scale, tables)


def exact_from(plan: MetricPlan, given: Since) -> dict[Relation, Since]:
    """The times from which on relations are exact, if all facts after a time are given."""
    found: dict[Relation, Since] = {}
    for stratum in plan.strata:
        # Facts of a predicate that rules derive may be given as well.
        since = given
        for rule in stratum.rules:
            for source, offsets, _ in sources(rule):
                if source in stratum.relations:
                    continue
                before = found.get(source, given)
                far = inf if offsets.high is None else offsets.high
                since = max(since, before if before == -inf else before + far)
        lasts = stratum.is_recursive and stratum.direction is not Direction.NOWHERE
        found.update(dict.fromkeys(stratum.relations, inf if lasts and since > -inf else since))
    return found


def _look_back(plan: MetricPlan) -> Fraction:
    """The look-back of the rules, apart from those that look back without limit."""
    finite = [Fraction(one) for one in exact_from(plan, Fraction(0)).values() if one != inf]
    return max([longest(plan), *finite])


def _require_alike(before: PlannedProgram, after: PlannedProgram) -> None:
    if before.program.time_scale != after.program.time_scale:
        raise HoldsforError("these rules count time in another unit or zone: begin a new session")
    for relation in before.plan.outputs:
        if relation in after.plan.outputs and before.plan.delays.get(relation) != after.plan.delays.get(relation):
            raise HoldsforError(f"answers about {relation} would come with another delay: begin a new session")


def _exactness(name: str, since: Since, in_doubt: bool, inputs: Iterable[str], *, is_reached: bool) -> Exactness:
    if not in_doubt:
        return Exactness(name, When.AT_ONCE, is_reached=is_reached)
    if since == inf:
        why = "it may depend on facts of any time before"
        return Exactness(name, When.BACKFILL, None, why, tuple(inputs), is_reached)
    return Exactness(name, When.LATER, Fraction(since), "the rules look back to facts that are gone", (), is_reached)


def _described(outputs: list[Exactness], edit: Reach, gone: Iterable[Node], since: Since) -> SwapPlan:
    changed = sorted(str(node) if node.name else "directives" for node in edit.changed)
    rows_since = None if since == -inf else Fraction(since)
    return SwapPlan(tuple(outputs), tuple(changed), tuple(sorted(map(str, gone))), rows_since)


def _node(relation: Relation) -> Node:
    return Node(FLUENT, relation.name, relation.arity)


def _rescaled(facts: FactSet, scale: int) -> dict[Signature, Facts]:
    return {name: rescaled(table, scale // facts.scale) for name, table in facts.tables.items()}


_END = cells(Range(None, None), 1)[1]
