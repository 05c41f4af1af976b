"""Explains delayed effects: attempts that took effect, were cancelled or postponed, or are pending."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from holdsfor.explain.nodes import Attempted, Effected, Kind, Node, Pair, RuleUse
from holdsfor.explain.wording import length_text, pair_text, point_text, span_text
from holdsfor.ir import DelayRule, EffectKind
from holdsfor.logic.arithmetic import evaluate
from holdsfor.logic.unify import Bindings, resolve
from holdsfor.reference.evaluator import bind

if TYPE_CHECKING:
    from holdsfor.explain.proofs import Prover

_MOST_EARLIER = 4


class Fate(StrEnum):
    """The outcome of an attempt."""

    CAME_TRUE = "came true"
    CANCELLED = "cancelled"
    POSTPONED = "postponed"
    UNDER_WAY = "under way"


@dataclass(frozen=True)
class Attempt:
    """A delayed effect since the initiation of its trigger. `ended` is the time of cancellation or postponement."""

    use: RuleUse
    claim: Attempted
    is_postponable: bool
    fate: Fate
    ended: int


class Attempts:
    """Finds the delayed effects that concern a pair."""

    def __init__(self, prover: Prover) -> None:
        self._prover, self._evidence = prover, prover.evidence

    def proof(self, goal: Effected, node: Node, depth: int) -> Node | None:
        """A proof that a pair is initiated or terminated at a time-point by a delayed effect."""
        for attempt in self.on(goal.kind, goal.pair, goal.time):
            claim = attempt.claim
            if claim.due == goal.time and attempt.fate is Fate.CAME_TRUE:
                begun = self._prover.initiation(claim.trigger, claim.initiated, depth)
                if begun is not None:
                    text = f"{node.text} by a delayed effect"
                    return replace(node, text=text, use=attempt.use, children=(self._story(attempt, begun),))
        return None

    def _story(self, attempt: Attempt, begun: Node) -> Node:
        pair, first, due = attempt.claim.trigger, attempt.claim.initiated, attempt.claim.due
        held = f"held until {point_text(due)}, {length_text(due - first)} later"
        text = f"{pair_text(pair)} was initiated at {point_text(first)} and {held}"
        notes = []
        if attempt.is_postponable:
            again = span_text(first + 1, due)
            text += f"; it was not initiated again {again}, which would have postponed the effect"
            last = max((t for t in self._evidence.breaks(pair) if t < first), default=-math.inf)
            earlier = [t for t in self._evidence.effect_times(EffectKind.INITIATED, pair) if last < t < first]
            if earlier:
                shown = ", ".join(map(str, earlier[-_MOST_EARLIER:]))
                notes.append(Node(Kind.NOTE, f"earlier attempts, of {shown}, were postponed"))
        return Node(Kind.DELAYED, text, claim=attempt.claim, children=(begun, *notes))

    def shown(self, attempt: Attempt, depth: int) -> Node:
        """The outcome of an attempt that did not take effect."""
        prover, pair, first = self._prover, attempt.claim.trigger, attempt.claim.initiated
        trigger, begun, due, end = (pair_text(pair), *map(point_text, (first, attempt.claim.due, attempt.ended)))
        planned = f"{trigger}, initiated at {begun}, was to have this effect at {due}"
        children = [prover.initiation(pair, first, depth)]
        match attempt.fate:
            case Fate.CANCELLED:
                text = f"cancelled: {planned}, but ended at {end}"
                children.append(prover.refuter.broken(pair, attempt.ended, depth))
            case Fate.POSTPONED:
                text = f"postponed: {planned}, but was initiated again at {end}"
                children.append(prover.initiation(pair, attempt.ended, depth))
            case Fate.UNDER_WAY:
                text = (
                    f"not yet: {trigger} was initiated at {begun}; the effect is due at {due}, if nothing comes between"
                )
            case Fate.CAME_TRUE:
                text = f"not yet: {trigger} was initiated at {begun}, and has this effect only at {due}"
        below = tuple(node for node in children if node is not None)
        return Node(Kind.DELAYED, text, holds=False, claim=attempt.claim, use=attempt.use, children=below)

    # All attempts

    def on(self, kind: EffectKind, pair: Pair, until: int) -> Iterator[Attempt]:
        """The attempts to initiate or terminate a pair that were pending at some time before a time-point."""
        for rule in self._prover.program.delays:
            target = rule.trigger if rule.effect is None else rule.effect
            if kind is (EffectKind.TERMINATED if rule.effect is None else EffectKind.INITIATED):
                for start in bind({}, (target.fluent, pair[0]), (target.value, pair[1])):
                    yield from self._of(rule, start, until)

    def _of(self, rule: DelayRule, start: Bindings, until: int) -> Iterator[Attempt]:
        evidence, trigger = self._evidence, rule.trigger
        symbol = evidence.entities.fluent(trigger)
        columns = [resolve(column, start) for column in symbol.columns(trigger.fluent)]
        for pair in evidence.initiated(symbol, columns, resolve(trigger.value, start)):
            begun, breaks = evidence.effect_times(EffectKind.INITIATED, pair), evidence.breaks(pair)
            again = begun if self._is_postponable(pair) else None
            # An initiation has no effect where the pair is broken.
            times = [t for t in begun if t < until and t != _first(breaks, t)]
            for bound in bind(start, (trigger.fluent, pair[0]), (trigger.value, pair[1])):
                for answer in evidence.solver.solve(evidence.analysis.body(rule), bound):
                    delay = int(evaluate(rule.delay, answer))
                    for time in times:
                        claim = Attempted(pair, time, time + delay)
                        yield self._attempt(RuleUse(rule, answer), claim, breaks, again)

    def _attempt(self, use: RuleUse, claim: Attempted, breaks: list[int], begun: list[int] | None) -> Attempt:
        """An attempt with its outcome; `begun` are the initiations, if they postpone it."""
        end = _first(breaks, claim.initiated + 1)
        again = math.inf if begun is None else _first(begun, claim.initiated + 1)
        if again <= min(claim.due, end):
            return Attempt(use, claim, begun is not None, Fate.POSTPONED, int(again))
        if end < claim.due:
            return Attempt(use, claim, begun is not None, Fate.CANCELLED, int(end))
        fate = Fate.UNDER_WAY if claim.due > self._evidence.now else Fate.CAME_TRUE
        return Attempt(use, claim, begun is not None, fate, claim.due)

    def _is_postponable(self, pair: Pair) -> bool:
        """Whether a new initiation of a pair postpones its delayed effects."""
        evidence = self._evidence
        return any(
            evidence.solver.provable(evidence.analysis.body(rule), bound)
            for rule in self._prover.program.postpones
            for bound in bind({}, (rule.fvp.fluent, pair[0]), (rule.fvp.value, pair[1]))
        )


def _first(times: list[int], time: int) -> float:
    """The first of some times in order that does not lie before a time."""
    place = bisect_left(times, time)
    return times[place] if place < len(times) else math.inf
