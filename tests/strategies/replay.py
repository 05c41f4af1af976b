"""Verifies explanations step by step against the rows and the rules, with the reference evaluator.

No result of the engine is trusted. Claims are looked up in the results of the reference evaluator. The premises of a
claim must be the steps below it, condition by condition. Inertia is followed from effect to effect.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Role
from holdsfor.explain.explanation import Explanation
from holdsfor.explain.known import Case, Frame
from holdsfor.explain.metric_world import MetricWorld
from holdsfor.explain.nodes import (
    Attempted,
    Claim,
    Conditional,
    Deriving,
    Effected,
    Happening,
    Holding,
    Kind,
    Listed,
    MetricCondition,
    MetricMissed,
    Missed,
    Node,
    NoInitiation,
    Pair,
)
from holdsfor.explain.wording import pair_text
from holdsfor.io.records import records
from holdsfor.ir import (
    INITIAL,
    Algebra,
    Boundary,
    Effect,
    EffectKind,
    EffectRule,
    EventRule,
    FindAll,
    Happens,
    Holds,
    InitiallyRule,
    Instance,
    IntervalRule,
    Intervals,
    Literal,
    Rule,
)
from holdsfor.logic.arithmetic import EvaluationError, NoValue
from holdsfor.logic.interval_lists import decode
from holdsfor.logic.unify import resolve, unify
from holdsfor.reference import evaluate, run_hidden
from holdsfor.reference.evaluator import World
from holdsfor.reference.history import KnownInput, Record, Windows, known_at
from holdsfor.reference.intervals import Interval
from holdsfor.reference.mixed import facts_read, metric_program
from holdsfor.reference.statics import StaticSolver
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var
from tests.strategies.replay_metric import MetricReplay, replay_facts

_FOUND = "found items"
"""A variable that no rule can name."""


def replay(found: Explanation) -> list[str]:
    """The errors in an explanation; empty if it is correct."""
    return problems(found.root, found.basis)


def problems(root: Node, basis: object) -> list[str]:
    """The errors in the steps of an explanation that was made from these rules and rows."""
    if isinstance(basis, MetricWorld):
        return replay_facts(root, basis.program, basis.facts, basis.dictionary)
    assert isinstance(basis, Case)
    rows = records(basis.stream, basis.dictionary)
    return Replay(basis.plan.analysis, rows, basis.frame, basis.query).problems(root)


class Replay:
    """The results of the reference evaluator at a query time, for the verification of explanations."""

    def __init__(self, analysis: Analysis, records: Sequence[Record], frame: Frame, query: int) -> None:
        self._analysis = analysis
        self._world: World = evaluate(analysis, _known(list(records), frame, query), frame.origin)
        run_hidden(self._world)
        self._raw: dict[Term, dict[Term, list[Interval]]] = {}

    def problems(self, root: Node) -> list[str]:
        """The errors in an explanation."""
        return list(dict.fromkeys(self._problems(root)))

    def _problems(self, root: Node) -> Iterator[str]:
        seen: set[int] = set()
        metric = [
            node.claim for node in root.walk() if isinstance(node.claim, Deriving | MetricCondition | MetricMissed)
        ]
        replayed = self._metric(metric) if metric else None
        for node in root.walk():
            if id(node) in seen:
                continue
            seen.add(id(node))
            if isinstance(node.claim, Deriving | MetricCondition | MetricMissed):
                assert replayed is not None
                yield from replayed.node(node)
            elif not self._is_so(node.claim, node):
                yield f"{node.text}: it is not so"
            yield from self._structure(node)

    def _metric(self, claims: Sequence[Deriving | MetricCondition | MetricMissed]) -> MetricReplay:
        world = self._world
        program = metric_program(world, sorted(world.analysis.graph.metric))
        return MetricReplay(program, list(facts_read(world, program, {})), claims)

    # Claims

    def _is_so(self, claim: Claim, node: Node) -> bool:
        world = self._world
        match claim:
            case Holding(pair=pair, time=time, interval=interval):
                held = world.intervals.get(pair, [])
                around = next((one for one in held if one[0] <= time < one[1]), None)
                return (around is not None) is node.holds and (interval is None or interval == around)
            case Effected(kind=kind, pair=pair, time=time):
                return self._has_effect(kind, pair, time) is node.holds
            case Happening(event=event, time=time):
                return (event in world.events.get(time, {})) is node.holds
            case Conditional(literal=literal, bindings=bindings):
                return self._is_met(literal, bindings)
            case Listed(out=out, time=time, bindings=bindings):
                found = resolve(out, bindings)
                assert isinstance(found, ListTerm)
                return any(start <= time < end for start, end in decode(found)) is node.holds
            case Attempted():
                return self._attempted(claim, node)
            case Missed():
                return self._missed(claim)
            case NoInitiation(pair=pair, first=first, last=last):
                times = [t for kind, t in world.effects if kind is EffectKind.INITIATED and first <= t <= last]
                return not any(self._has_effect(EffectKind.INITIATED, pair, t) for t in times)
            case _:
                return True

    def _missed(self, claim: Missed) -> bool:
        body, bindings = claim.body, dict(claim.bindings)
        if sorted(map(id, body)) != sorted(map(id, self._analysis.body(claim.rule))):
            return False
        if not all(self._is_met(one, bindings) for one in body[: claim.place]):
            return False
        assert isinstance(claim.rule, EffectRule | EventRule)
        try:
            for found in self._world.literal(body[claim.place], bindings):
                time = resolve(claim.rule.time, found)
                if not (isinstance(time, Const) and isinstance(time.value, int)) or (
                    claim.first <= time.value <= claim.last
                ):
                    return False
        except EvaluationError:
            pass
        return True

    def _has_effect(self, kind: EffectKind, pair: Pair, time: int) -> bool:
        return any(
            unify(Compound("=", pair), Compound("=", found), {}) is not None
            for found in self._world.effects.get((kind, time), ())
        )

    def _is_met(self, literal: Literal, bindings: Mapping[str, Term]) -> bool:
        if isinstance(literal, Instance):
            pair = resolve(literal.fvp.fluent, bindings), resolve(literal.fvp.value, bindings)
            return any(self._has_effect(EffectKind.INITIATED, pair, t) for _, t in self._world.effects)
        if isinstance(literal, FindAll) and isinstance(resolve(literal.result, bindings), ListTerm):
            return self._has_items(literal, bindings)
        solver = self._static() if isinstance(literal, Intervals | Algebra) else self._world
        try:
            return next(solver.literal(literal, dict(bindings)), None) is not None
        except EvaluationError:
            return False

    def _has_items(self, literal: FindAll, bindings: Mapping[str, Term]) -> bool:
        """Whether a list has the items that are found, in any order."""
        listed = resolve(literal.result, bindings)
        try:
            answers = self._world.literal(replace(literal, result=Var(_FOUND)), dict(bindings))
            found = [resolve(Var(_FOUND), answer) for answer in answers]
        except EvaluationError:
            return False
        both = (one.items for one in (listed, *found) if isinstance(one, ListTerm) and one.tail is None)
        wanted, *others = map(Counter, both)
        return others == [wanted]

    def _static(self) -> StaticSolver:
        world = self._world
        known = world.intervals
        return StaticSolver(world, lambda pair: known.get(pair, []), known, world.now, world.analysis, world.tick)

    # Inertia

    def _intervals(self, fluent: Term) -> dict[Term, list[Interval]]:
        """The values of a fluent from effect to effect, regardless of groundings."""
        if fluent in self._raw:
            return self._raw[fluent]
        found: dict[Term, list[Interval]] = {}
        value: Term | None = None
        since = 0.0
        for time in sorted({t for _, t in self._world.effects}):
            new = [v for f, v in self._world.effects.get((EffectKind.INITIATED, time), ()) if f == fluent]
            if value is not None and (
                any(v != value for v in new) or self._has_effect(EffectKind.TERMINATED, (fluent, value), time)
            ):
                found.setdefault(value, []).append((since, time + 1))
                value = None
            if value is None and len(new) == 1 and not self._has_effect(EffectKind.TERMINATED, (fluent, new[0]), time):
                value, since = new[0], time + 1
        if value is not None:
            found.setdefault(value, []).append((since, math.inf))
        self._raw[fluent] = found
        return found

    def _attempted(self, claim: Attempted, node: Node) -> bool:
        (fluent, value), time, due = claim.trigger, claim.initiated, claim.due
        held = next((one for one in self._intervals(fluent).get(value, ()) if one[0] <= time + 1 < one[1]), None)
        if held is None or not self._has_effect(EffectKind.INITIATED, claim.trigger, time):
            return False
        if not node.holds:
            return True
        renewed = any(self._has_effect(EffectKind.INITIATED, claim.trigger, t) for t in range(time + 1, due + 1))
        return held[1] > due and not (renewed and self._is_postponable(claim.trigger))

    def _is_postponable(self, pair: Pair) -> bool:
        for rule in self._analysis.program.postpones:
            bound = unify(rule.fvp.fluent, pair[0], {})
            bound = None if bound is None else unify(rule.fvp.value, pair[1], bound)
            if bound is not None and self._world.provable(self._analysis.body(rule), bound):
                return True
        return False

    # Premises

    def _structure(self, node: Node) -> Iterator[str]:
        if node.more:
            return
        claim, rule = node.claim, node.use.rule if node.use is not None else None
        if node.kind is Kind.HOLDS and isinstance(claim, Holding) and self._is_simple(claim.pair):
            yield from self._inertia(node, claim)
        if node.holds and node.use is not None and isinstance(rule, EffectRule | EventRule | InitiallyRule):
            yield from self._rule(node, rule, node.use.bindings)
        if isinstance(claim, Listed) and isinstance(rule, IntervalRule) and not self._gives_lists(rule, claim.bindings):
            yield f"{node.text}: the rule does not give these lists"

    def _gives_lists(self, rule: IntervalRule, bindings: Mapping[str, Term]) -> bool:
        """Whether a solution of a rule has these intervals in its lists, in any notation."""
        lists = {name: held for name, term in bindings.items() if (held := _decoded(term)) is not None}
        others = {name: term for name, term in bindings.items() if name not in lists}
        for answer in self._static().solve(self._analysis.body(rule), others):
            found = ((_decoded(resolve(Var(name), answer)), held) for name, held in lists.items())
            is_same = all(one is None or one == held for one, held in found)
            if is_same and _decoded(resolve(rule.out, answer)) == _decoded(resolve(rule.out, bindings)):
                return True
        return False

    def _is_simple(self, pair: Pair) -> bool:
        entities = self._analysis.entities
        return entities[entities.pair(*pair)].role is Role.SIMPLE_FLUENT

    def _inertia(self, node: Node, claim: Holding) -> Iterator[str]:
        assert claim.interval is not None
        begun = node.children[0].claim if node.children else None
        first = int(claim.interval[0]) - 1
        if not (isinstance(begun, Effected) and begun == Effected(EffectKind.INITIATED, claim.pair, first)):
            yield f"{node.text}: it does not begin with an initiation at {first}"
        held = self._intervals(claim.pair[0]).get(claim.pair[1], [])
        if not any(start == claim.interval[0] and claim.time < end for start, end in held):
            yield f"{node.text}: {pair_text(claim.pair)} is broken before {claim.time}"

    def _rule(self, node: Node, rule: Rule, bindings: Mapping[str, Term]) -> Iterator[str]:
        if all(rule is not other for other in self._analysis.program.rules):
            yield f"{node.text}: there is no such rule"
            return
        if not self._is_head(node.claim, rule, bindings):
            yield f"{node.text}: the rule does not say so"
        body = self._analysis.body(rule)
        if len(body) != len(node.children):
            yield f"{node.text}: {len(node.children)} of {len(body)} conditions are there"
            return
        for literal, child in zip(body, node.children, strict=True):
            if child.claim is None or not _is_about(child, literal, bindings):
                yield f"{node.text}: {child.text} is not its condition"

    def _is_head(self, claim: Claim, rule: Rule, bindings: Mapping[str, Term]) -> bool:
        if isinstance(rule, EventRule) and isinstance(claim, Happening):
            return (resolve(rule.event, bindings), resolve(rule.time, bindings)) == (claim.event, Const(claim.time))
        if isinstance(rule, EffectRule | InitiallyRule) and isinstance(claim, Effected):
            pair = resolve(rule.fvp.fluent, bindings), resolve(rule.fvp.value, bindings)
            is_kind = claim.kind is (rule.kind if isinstance(rule, EffectRule) else EffectKind.INITIATED)
            at = resolve(rule.time, bindings) if isinstance(rule, EffectRule) else Const(INITIAL)
            return pair == claim.pair and is_kind and at == Const(claim.time)
        return False


def _known(rows: list[Record], frame: Frame, query: int) -> KnownInput:
    """What the records say at a query time, computed record by record."""
    plan = frame.windows
    size = math.inf if plan.size is None else plan.size
    return known_at(rows, Windows(size, plan.step, plan.start, plan.end), query, ignore_arrival=plan.size is None)


def _decoded(term: Term) -> list[Interval] | None:
    """The intervals of a list; None if the term is not a list."""
    try:
        return decode(term)
    except NoValue:
        return None


def _is_about(child: Node, literal: Literal, bindings: Mapping[str, Term]) -> bool:
    """Whether a step proves a condition of a rule under its bindings."""
    claim = child.claim
    match literal:
        case Happens(event=event, time=time):
            at = Happening(resolve(event, bindings), _time(time, bindings))
            return child.holds and claim == at
        case Holds(fvp=fvp, time=time):
            pair = resolve(fvp.fluent, bindings), resolve(fvp.value, bindings)
            is_same = isinstance(claim, Holding) and (claim.pair, claim.time) == (pair, _time(time, bindings))
            return child.holds and is_same
        case Effect(kind=kind, fvp=fvp, time=time):
            pair = resolve(fvp.fluent, bindings), resolve(fvp.value, bindings)
            return child.holds and claim == Effected(kind, pair, _time(time, bindings))
        case Boundary():
            return isinstance(claim, Conditional) and claim.literal == literal and len(child.children) == 2
        case _:
            return isinstance(claim, Conditional) and claim.literal == literal


def _time(time: Term, bindings: Mapping[str, Term]) -> int:
    found = resolve(time, bindings)
    assert isinstance(found, Const) and isinstance(found.value, int)
    return found.value
