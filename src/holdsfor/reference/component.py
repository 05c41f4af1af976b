"""Evaluates one component of simple fluents and derived events through time.

At every relevant time-point the rules are solved to a fixpoint, in the order of the dependencies inside a time-point.
The initiations and terminations give the state of the next time-point.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable
from dataclasses import dataclass

from holdsfor.compiler.analysis.entities import Role, Symbol
from holdsfor.compiler.analysis.instant import DELAYED, EVENT, INITIATED, TERMINATED, Moment
from holdsfor.compiler.limits import too_many_delayed_effects, wrong_delay
from holdsfor.ir import INITIAL, Boundary, DelayRule, EffectKind, EffectRule, EventRule, IntervalRule, Rule
from holdsfor.logic.arithmetic import evaluate
from holdsfor.logic.unify import is_ground, resolve, substitute, unify
from holdsfor.reference.evaluator import World, bind
from holdsfor.reference.intervals import Interval, maximal
from holdsfor.reference.statics import Pair, StaticSolver
from holdsfor.syntax.terms import Compound, Const, Term, Var, functor, variables


@dataclass(frozen=True, slots=True)
class PendingEffect:
    """A pending delayed effect."""

    due: int
    trigger: Pair
    initiated: int
    effect: Pair | None
    postponable: bool
    rule: DelayRule


class ComponentState:
    """The state of one component at the present time-point."""

    def __init__(self, world: World, members: tuple[Symbol, ...]) -> None:
        self._world = world
        self._members = frozenset(members)
        self.now = 0
        self._tick = world.tick
        self._value: dict[Term, tuple[Term, float]] = {}
        self._static: dict[Pair, float] = {}
        self._closed: dict[Pair, list[Interval]] = {}
        self._attempts: list[PendingEffect] = []
        self._come_true: list[PendingEffect] = []
        """Attempts due at the present time-point: such an attempt may renew its own trigger, which would postpone
        it.
        """
        self._in_a_row = 0
        self._last_initiated: dict[Pair, int] = {}
        analysis = world.analysis
        self._groups = [
            inside
            for group in analysis.instant.components
            if (inside := [moment for moment in group if moment.vertex.symbol in self._members])
        ]
        self._rules = _rules_by_moment(world, members)
        self._static_rules = [
            (rule, analysis.body(rule))
            for symbol in members
            for rule in analysis.entities[symbol].rules
            if isinstance(rule, IntervalRule)
        ]
        self._static_order = analysis.static_order(members)

    def run(self) -> None:
        """Advances to the query time and stores the results in the world."""
        self._world.running = self
        given = {INITIAL * self._tick, *self._world.moments(), *self._world.scheduled, *self._world.silences}
        agenda = sorted(given)
        done = -math.inf
        while agenda and agenda[0] <= self._world.now:
            time = heapq.heappop(agenda)
            if time > done:
                done = time
                self._in_a_row = 0 if time in given else self._in_a_row
                self._step(time)
                for attempt in self._attempts:
                    heapq.heappush(agenda, attempt.due)
        self._world.running = None
        self._finish()

    def _finish(self) -> None:
        for fluent, (value, since) in self._value.items():
            self._closed.setdefault((fluent, value), []).append((since, math.inf))
        for pair, found in self._closed.items():
            if self._world.is_declared(pair) and not self._is_static(pair):
                self._world.intervals[pair] = found
        # Statically determined fluents follow from finished fluents after the query time. Up to it, they keep the
        # values that rules have read: later knowledge could select another of their rules.
        then = self._world.now + self._tick
        for pair, since in self._static.items():
            self._closed.setdefault(pair, []).append((since, then))
        intervals = self._world.intervals
        for symbol in self._static_order:
            self._world.run_static(symbol)
            for pair in [pair for pair in {**intervals, **self._closed} if self._symbol(pair) == symbol]:
                later = [(max(start, then), end) for start, end in intervals.pop(pair, [])]
                found = maximal([*self._closed.get(pair, []), *later])
                if found:
                    intervals[pair] = found

    # Queries of the world

    def owns(self, pair: Pair) -> bool:
        """Whether the pair belongs to this component."""
        return self._symbol(pair) in self._members

    def holds(self, pair: Pair, time: int) -> bool:
        """Whether the pair holds at a time-point up to the present one."""
        return self.has(pair, time) and self._world.is_declared(pair)

    def has(self, pair: Pair, time: int) -> bool:
        """Whether a pair has been initiated, regardless of groundings."""
        value, since = self._value.get(pair[0], (None, math.inf))
        since = since if value == pair[1] else self._static.get(pair, math.inf)
        past = any(start <= time < end for start, end in self._closed.get(pair, ()))
        return past or since <= time

    def holds_next(self, pair: Pair) -> bool:
        """Whether the pair holds just after the present time-point, given the effects so far."""
        if self._is_static(pair):
            return pair in self._static_next()
        value, _ = self._value.get(pair[0], (None, 0.0))
        starts = pair in self._effects(EffectKind.INITIATED)
        return (starts or value == pair[1]) and not self._is_broken(pair) and self._world.is_declared(pair)

    def pairs(self) -> list[Pair]:
        """The pairs that have held so far, and those that start now."""
        current = ((fluent, value) for fluent, (value, _) in self._value.items())
        begin = (pair for pair in self._effects(EffectKind.INITIATED) if self.holds_next(pair))
        return list(dict.fromkeys((*self._closed, *current, *self._static, *begin)))

    def edges(self) -> set[int]:
        """The time-points at which a pair of this component started or ended."""
        ends = {int(t) - self._tick for found in self._closed.values() for interval in found for t in interval}
        return ends | {int(since) - self._tick for _, since in self._value.values()}

    # One time-point

    def _effects(self, kind: EffectKind) -> dict[Pair, None]:
        return self._world.effects.setdefault((kind, self.now), {})

    def _step(self, time: int) -> None:
        self.now = time
        self._come_true.clear()
        if time == INITIAL * self._tick:
            for pair in filter(self.owns, self._world.initial_pairs):
                self._initiate(pair)
        for group in self._groups:
            while any(self._decide(moment) for moment in group):
                pass
        for attempt in self._attempts:
            if attempt not in self._come_true and not self._comes_true(attempt):
                continue
            self._count(attempt)
            if attempt.effect is not None and not self.owns(attempt.effect):
                self._world.scheduled.setdefault(self.now, {}).setdefault(attempt.effect)
        self._apply()

    def _count(self, attempt: PendingEffect) -> None:
        """Counts delayed effects that follow from each other without an event in between; too many raise an error."""
        self._in_a_row += 1
        if self._in_a_row > self._world.max_delayed_effects:
            raise too_many_delayed_effects(attempt.rule, self._world.max_delayed_effects, self.now)

    def _decide(self, moment: Moment) -> bool:
        """Adds the results of a moment at the present time-point; returns whether any is new."""
        before = self._size()
        for rule in self._rules.get(moment, ()):
            self._fire(rule)
        if moment.what == TERMINATED:
            for pair in self._world.silences.get(self.now, ()):
                self._effects(EffectKind.TERMINATED).setdefault(_apart(pair))
        for attempt in self._due(moment):
            self._come_true.append(attempt)
            if attempt.effect is None:
                self._effects(EffectKind.TERMINATED).setdefault(attempt.trigger)
            else:
                self._initiate(attempt.effect)
        if moment.what == INITIATED:
            for pair in self._world.scheduled.get(self.now, ()):
                if self._concerns(moment, pair):
                    self._initiate(pair)
        return self._size() > before

    def _size(self) -> int:
        initiated, terminated = self._effects(EffectKind.INITIATED), self._effects(EffectKind.TERMINATED)
        return len(initiated) + len(terminated) + len(self._world.events.get(self.now, ()))

    def _fire(self, rule: Rule) -> None:
        assert isinstance(rule, EffectRule | EventRule)
        body = self._world.analysis.body(rule)
        for start in bind({}, (rule.time, Const(self.now))):
            for answer in list(self._world.solve(body, start)):
                # A fluent terminated for all instances may leave open which instance a condition refers to.
                if isinstance(rule, EventRule):
                    event = resolve(rule.event, answer)
                    if is_ground(event):
                        self._world.events.setdefault(self.now, {}).setdefault(event)
                    continue
                pair = (resolve(rule.fvp.fluent, answer), resolve(rule.fvp.value, answer))
                if rule.kind is EffectKind.INITIATED:
                    if all(map(is_ground, pair)):
                        self._initiate(pair)
                else:
                    self._effects(EffectKind.TERMINATED).setdefault(_apart(pair))

    def _initiate(self, pair: Pair) -> None:
        self._effects(EffectKind.INITIATED).setdefault(pair)

    def _due(self, moment: Moment) -> Iterable[PendingEffect]:
        """Attempts of a moment that take effect now."""
        for attempt in self._attempts:
            target = attempt.effect or attempt.trigger
            if moment.what == _kind(attempt) and self._concerns(moment, target) and self._comes_true(attempt):
                yield attempt

    def _comes_true(self, attempt: PendingEffect) -> bool:
        """Whether an attempt takes effect now: its trigger has held since, and was not renewed."""
        value, since = self._value.get(attempt.trigger[0], (None, math.inf))
        unbroken = value == attempt.trigger[1] and since <= attempt.initiated + self._tick
        renewed = attempt.postponable and self._is_renewed(attempt)
        return attempt.due == self.now and unbroken and not renewed

    def _concerns(self, moment: Moment, pair: Pair) -> bool:
        return moment.vertex in self._world.analysis.graph.matching(self._symbol(pair), pair[1])

    def _is_renewed(self, attempt: PendingEffect) -> bool:
        again = attempt.trigger in self._effects(EffectKind.INITIATED)
        return again or self._last_initiated[attempt.trigger] > attempt.initiated

    # The next state

    def _is_broken(self, pair: Pair) -> bool:
        fluent, value = pair
        other = any(f == fluent and v != value for f, v in self._effects(EffectKind.INITIATED))
        return other or any(
            unify(Compound("=", ended), Compound("=", pair), {}) is not None
            for ended in self._effects(EffectKind.TERMINATED)
        )

    def _apply(self) -> None:
        self._attempts = [attempt for attempt in self._attempts if attempt.due > self.now]
        static = self._static_next() if self._static_rules else set()
        initiated = [pair for pair in self._effects(EffectKind.INITIATED) if self.owns(pair)]
        broken = [(f, v) for f, (v, _) in self._value.items() if self._is_broken((f, v))]
        effective = [pair for pair in initiated if not self._is_broken(pair)]
        self._world.conflicts |= {(pair[0], self.now) for pair in initiated if pair not in effective}
        for pair in broken:
            since = self._value.pop(pair[0])[1]
            self._closed.setdefault(pair, []).append((since, self.now + self._tick))
        for fluent, value in effective:
            self._value.setdefault(fluent, (value, self.now + self._tick))
            self._last_initiated[(fluent, value)] = self.now
            self._stage((fluent, value))
        self._update_static(static)

    def _stage(self, pair: Pair) -> None:
        world = self._world
        for rule in world.analysis.program.delays:
            for bound in bind({}, (rule.trigger.fluent, pair[0]), (rule.trigger.value, pair[1])):
                for answer in world.solve(world.analysis.body(rule), bound):
                    target = rule.effect
                    effect = (resolve(target.fluent, answer), resolve(target.value, answer)) if target else None
                    self._attempts.append(
                        PendingEffect(
                            self.now + _delay(rule, evaluate(rule.delay, answer), self._tick),
                            pair,
                            self.now,
                            effect,
                            self._is_postponable(pair),
                            rule,
                        )
                    )

    def _is_postponable(self, pair: Pair) -> bool:
        world = self._world
        return any(
            world.provable(world.analysis.body(rule), bound)
            for rule in world.analysis.program.postpones
            for bound in bind({}, (rule.fvp.fluent, pair[0]), (rule.fvp.value, pair[1]))
        )

    # Statically determined fluents inside a cycle

    def _symbol(self, pair: Pair) -> Symbol:
        return self._world.analysis.entities.pair(*pair)

    def _is_static(self, pair: Pair) -> bool:
        return self._world.analysis.entities[self._symbol(pair)].role is Role.STATIC_FLUENT

    def static_coming(self, time: int) -> set[Pair]:
        """The statically determined pairs that hold just after a time-point, if it is the present one."""
        return self._static_next() if self._static_rules and time >= self.now else set()

    def _static_next(self) -> set[Pair]:
        """The statically determined pairs that hold just after the present time-point."""
        then = self.now + self._tick
        found: set[Pair] = set()

        def lookup(pair: Pair) -> list[Interval]:
            if not self.owns(pair):
                return [(then, then + self._tick)] if self._world.holds(pair, then) else []
            holds = pair in found if self._is_static(pair) else self.holds_next(pair)
            return [(then, then + self._tick)] if holds else []

        for symbol in self._static_order:
            rules = [
                entry for entry in self._static_rules if self._world.analysis.entities.fluent(entry[0].fvp) == symbol
            ]
            analysis = self._world.analysis
            solver = StaticSolver(self._world, lookup, [*self._world.pairs(), *found], self.now, analysis, self._tick)
            for pair, listed in solver.evaluate(rules).items():
                if any(start <= then < end for start, end in listed) and self._world.is_declared(pair):
                    found.add(pair)
        return found

    def _update_static(self, holding: set[Pair]) -> None:
        for pair in [pair for pair in self._static if pair not in holding]:
            self._closed.setdefault(pair, []).append((self._static.pop(pair), self.now + self._tick))
        for pair in holding:
            self._static.setdefault(pair, self.now + self._tick)


def _apart(pair: Pair) -> Pair:
    """A pair with its open variables renamed apart from all rules."""
    fresh: dict[str, Term] = {v.name: Var(f"{v.name}~") for term in pair for v in variables(term)}
    return substitute(pair[0], fresh), substitute(pair[1], fresh)


def _kind(attempt: PendingEffect) -> str:
    """The moment that decides an attempt."""
    if attempt.effect is None:
        return TERMINATED
    return DELAYED if attempt.postponable else INITIATED


def _delay(rule: DelayRule, value: float, tick: int) -> int:
    if value % tick or value < 1:
        raise wrong_delay(rule, value, tick)
    return int(value)


def _rules_by_moment(world: World, members: tuple[Symbol, ...]) -> dict[Moment, list[Rule]]:
    found: dict[Moment, list[Rule]] = {}
    graph = world.analysis.graph
    for symbol in members:
        for rule in world.analysis.entities[symbol].rules:
            if _reads_hidden(rule, world):
                continue
            if isinstance(rule, EventRule):
                what = EVENT
            elif isinstance(rule, EffectRule):
                what = INITIATED if rule.kind is EffectKind.INITIATED else TERMINATED
            else:
                continue
            for vertex in graph.heads(rule):
                found.setdefault(Moment(what, vertex), []).append(rule)
    return found


def _reads_hidden(rule: Rule, world: World) -> bool:
    """Whether the compiler generated a rule for a `forget`, which the reference evaluator defines directly."""
    hidden = world.analysis.program.hidden
    return bool(hidden) and any(
        isinstance(one, Boundary) and (functor(one.fvp.fluent) or ("",))[0] in hidden for one in rule.body
    )
