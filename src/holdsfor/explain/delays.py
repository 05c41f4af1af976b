"""Explains delayed effects: attempts that took effect, were cancelled or postponed, or are pending."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from holdsfor.explain.evidence import Evidence
from holdsfor.explain.nodes import Attempted, Effected, Kind, Node, Pair, RuleUse
from holdsfor.explain.wording import done, length_text, pair_text, point_text, span_text
from holdsfor.ir import DelayRule, EffectKind
from holdsfor.logic.arithmetic import evaluate
from holdsfor.logic.unify import Bindings, resolve
from holdsfor.reference.evaluator import bind
from holdsfor.syntax.terms import Term

if TYPE_CHECKING:
    from holdsfor.explain.proofs import Prover


class Fate(StrEnum):
    """The outcome of an attempt."""

    CAME_TRUE = "came true"
    CANCELLED = "cancelled"
    POSTPONED = "postponed"
    UNDER_WAY = "under way"


@dataclass(frozen=True)
class Attempt:
    """A delayed effect since the initiation of its trigger. `ended` is the time of cancellation or postponement."""

    rule: DelayRule
    bindings: Bindings
    trigger: Pair
    initiated: int
    due: int
    effect: Pair | None
    is_postponable: bool
    fate: Fate
    ended: int

    @property
    def claim(self) -> Attempted:
        """The claim of the attempt."""
        return Attempted(self.trigger, self.initiated, self.due, self.effect)


class Attempts:
    """Finds the delayed effects that concern a pair."""

    def __init__(self, prover: Prover) -> None:
        self._prover = prover
        self._evidence: Evidence = prover.evidence

    def proof(self, kind: EffectKind, pair: Pair, time: int, depth: int) -> Node | None:
        """A proof that a pair is initiated or terminated at a time-point by a delayed effect."""
        for attempt in self.on(kind, pair, time):
            if attempt.due == time and attempt.fate is Fate.CAME_TRUE:
                begun = self._prover.effect(EffectKind.INITIATED, attempt.trigger, attempt.initiated, depth)
                if begun is not None:
                    below = (self._story(attempt, begun),)
                    text = f"{pair_text(pair)} is {done(kind)} at {point_text(time)} by a delayed effect"
                    use = RuleUse(attempt.rule, attempt.bindings)
                    what = Kind.INITIATED if kind is EffectKind.INITIATED else Kind.TERMINATED
                    return Node(what, text, claim=Effected(kind, pair, time), use=use, children=below)
        return None

    def _story(self, attempt: Attempt, begun: Node) -> Node:
        trigger, first, due = pair_text(attempt.trigger), attempt.initiated, attempt.due
        text = f"{trigger} was initiated at {point_text(first)} and held until {point_text(due)}, {length_text(due - first)} later"
        notes = []
        if attempt.is_postponable:
            again = span_text(first + 1, due)
            text += f"; it was not initiated again {again}, which would have postponed the effect"
            times = self._evidence.effect_times(EffectKind.INITIATED, attempt.trigger)
            last = max((t for t in self._evidence.breaks(attempt.trigger) if t < first), default=-math.inf)
            earlier = [t for t in times if last < t < first]
            if earlier:
                shown = ", ".join(map(str, earlier[-4:]))
                notes.append(Node(Kind.NOTE, f"earlier attempts, of {shown}, were postponed"))
        return Node(Kind.DELAYED, text, claim=attempt.claim, children=(begun, *notes))

    def shown(self, attempt: Attempt, depth: int) -> Node:
        """The outcome of an attempt that did not take effect."""
        trigger, first, due = pair_text(attempt.trigger), attempt.initiated, attempt.due
        prover = self._prover
        children = [prover.effect(EffectKind.INITIATED, attempt.trigger, first, depth)]
        match attempt.fate:
            case Fate.CANCELLED:
                text = f"cancelled: {trigger}, initiated at {point_text(first)}, was to have this effect at {point_text(due)}, but ended at {point_text(attempt.ended)}"
                children.append(prover.refuter.broken(attempt.trigger, attempt.ended, depth))
            case Fate.POSTPONED:
                text = f"postponed: {trigger}, initiated at {point_text(first)}, was to have this effect at {point_text(due)}, but was initiated again at {point_text(attempt.ended)}"
                children.append(prover.effect(EffectKind.INITIATED, attempt.trigger, attempt.ended, depth))
            case Fate.UNDER_WAY:
                text = f"not yet: {trigger} was initiated at {point_text(first)}; the effect is due at {point_text(due)}, if nothing comes between"
            case _:
                text = f"not yet: {trigger} was initiated at {point_text(first)}, and has this effect only at {point_text(due)}"
        use = RuleUse(attempt.rule, attempt.bindings)
        below = tuple(node for node in children if node is not None)
        return Node(Kind.DELAYED, text, holds=False, claim=attempt.claim, use=use, children=below)

    # All attempts

    def on(self, kind: EffectKind, pair: Pair, until: int) -> Iterator[Attempt]:
        """The attempts to initiate or terminate a pair that were pending at some time before a time-point."""
        for rule in self._prover.program.delays:
            for start in _targets(rule, kind, pair):
                for trigger in self._triggers(rule, start):
                    yield from self._of(rule, trigger, start, until)

    def _triggers(self, rule: DelayRule, start: Bindings) -> list[Pair]:
        symbol = self._evidence.entities.fluent(rule.trigger)
        columns = [resolve(column, start) for column in symbol.columns(rule.trigger.fluent)]
        return self._evidence.initiated(symbol, columns, resolve(rule.trigger.value, start))

    def _of(self, rule: DelayRule, trigger: Pair, start: Bindings, until: int) -> Iterator[Attempt]:
        evidence = self._evidence
        heads: tuple[tuple[Term, Term], ...] = (rule.trigger.fluent, trigger[0]), (rule.trigger.value, trigger[1])
        breaks = set(evidence.breaks(trigger))
        times = [t for t in evidence.effect_times(EffectKind.INITIATED, trigger) if t < until and t not in breaks]
        for bound in bind(start, *heads):
            for answer in evidence.solver.solve(evidence.analysis.body(rule), bound):
                effect = rule.effect
                target = None if effect is None else (resolve(effect.fluent, answer), resolve(effect.value, answer))
                delay = int(evaluate(rule.delay, answer))
                for time in times:
                    yield self._attempt(rule, answer, trigger, time, time + delay, target)

    def _attempt(
        self, rule: DelayRule, answer: Bindings, trigger: Pair, time: int, due: int, effect: Pair | None
    ) -> Attempt:
        evidence = self._evidence
        end = next((t + 1 for t in evidence.breaks(trigger) if t > time), math.inf)
        is_postponable = self.is_postponable(trigger)
        again = [t for t in evidence.effect_times(EffectKind.INITIATED, trigger) if time < t <= due]
        if is_postponable and again and again[0] < end:
            fate, ended = Fate.POSTPONED, again[0]
        elif end <= due:
            fate, ended = Fate.CANCELLED, int(end) - 1
        elif due > evidence.now:
            fate, ended = Fate.UNDER_WAY, due
        else:
            fate, ended = Fate.CAME_TRUE, due
        return Attempt(rule, answer, trigger, time, due, effect, is_postponable, fate, ended)

    def is_postponable(self, pair: Pair) -> bool:
        """Whether a new initiation of a pair postpones its delayed effects."""
        evidence = self._evidence
        return any(
            evidence.solver.provable(evidence.analysis.body(rule), bound)
            for rule in self._prover.program.postpones
            for bound in bind({}, (rule.fvp.fluent, pair[0]), (rule.fvp.value, pair[1]))
        )


def _targets(rule: DelayRule, kind: EffectKind, pair: Pair) -> Iterator[Bindings]:
    """The bindings with which a delayed effect concerns a pair."""
    if kind is EffectKind.TERMINATED and rule.effect is None:
        yield from bind({}, (rule.trigger.fluent, pair[0]), (rule.trigger.value, pair[1]))
    elif kind is EffectKind.INITIATED and rule.effect is not None:
        yield from bind({}, (rule.effect.fluent, pair[0]), (rule.effect.value, pair[1]))
