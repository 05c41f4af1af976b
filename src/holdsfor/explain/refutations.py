"""Refutes: why something does not hold, by what ended or blocked it, and the nearest rule instances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from holdsfor.compiler.analysis.entities import Role
from holdsfor.explain.delays import Fate
from holdsfor.explain.near import Near, facts_like, nearest, occurrences
from holdsfor.explain.nodes import (
    Effected,
    Happening,
    Holding,
    Kind,
    Missed,
    Node,
    NoInitiation,
    Pair,
    RuleUse,
    moment,
    pair_of,
)
from holdsfor.explain.sliding import body_text, is_hidden
from holdsfor.explain.wording import intervals_text, literal_text, pair_text, point_text, span_text
from holdsfor.ir import Call, EffectKind, Happens, Holds, Literal, Not
from holdsfor.logic.unify import is_ground, resolve
from holdsfor.reference.evaluator import bind
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Term

if TYPE_CHECKING:
    from holdsfor.explain.proofs import Prover

_MOST_ATTEMPTS = 3


class Refuter:
    """Refutes that fluents hold and that events happen."""

    def __init__(self, prover: Prover) -> None:
        self._prover, self._evidence = prover, prover.evidence

    def absent(self, pair: Pair, time: int, depth: int) -> Node:
        """The reason why a pair does not hold at a time-point."""
        text = f"{pair_text(pair)} does not hold at {point_text(time)}"
        held = self._evidence.intervals(pair)
        text += f"; it holds on {intervals_text(held, time)}" if held else "; it never does"
        below = self._reasons(pair, time, depth - 1) if depth > 0 else ()
        return Node(Kind.ABSENT, text, holds=False, claim=Holding(pair, time), children=below, more=depth <= 0)

    def _reasons(self, pair: Pair, time: int, depth: int) -> tuple[Node, ...]:
        entities = self._evidence.entities
        symbol = entities.pair(*pair)
        if not self._evidence.is_declared(pair):
            places = ", ".join(one.span.location for one in entities[symbol].groundings)
            return (_note(f"it is none of the groundings of {symbol} ({places})"),)
        match entities[symbol].role:
            case Role.INPUT_FLUENT:
                return (_note("the input does not say so"),)
            case Role.STATIC_FLUENT:
                return self._prover.lists.refutation(pair, time, depth)
            case Role.METRIC_FLUENT:
                return self._prover.metric.refutation(pair, time, depth)
            case _:
                return tuple(node for node in self._simple(pair, time, depth) if node is not None)

    # Simple fluents

    def _simple(self, pair: Pair, time: int, depth: int) -> Iterator[Node | None]:
        """The last initiation before a time-point with what broke it, and why there is none after it."""
        evidence = self._evidence
        begun = [t for t in evidence.effect_times(EffectKind.INITIATED, pair) if t < time]
        last = begun[-1] if begun else evidence.origin - 2
        broken = next((t for t in evidence.breaks(pair) if last <= t < time), None) if begun else None
        if begun:
            held = next((one for one in evidence.intervals(pair) if one[0] <= last + 1 <= one[1]), None)
            start = last if broken == last or held is None else int(held[0]) - 1
            yield self._prover.initiation(pair, start, depth)
            yield None if broken is None else self.broken(pair, broken, depth)
        elif time <= evidence.origin:
            yield _note(f"time begins at {point_text(evidence.origin)}")
        if last + 1 < time:
            shown = last + 1 if broken is None else max(last + 1, broken)
            yield self._uninitiated(pair, last + 1, min(shown, time - 1), time - 1, depth)

    def broken(self, pair: Pair, time: int, depth: int) -> Node | None:
        """The reason why a pair was broken at a time-point."""
        if time in self._evidence.effect_times(EffectKind.TERMINATED, pair):
            return self._prover.proof(Effected(EffectKind.TERMINATED, pair, time), depth)
        for value, times in self._evidence.others(pair).items():
            if time in times:
                other = self._prover.initiation((pair[0], value), time, depth)
                new = f"its fluent gets the value {print_term(value)}"
                text = f"{pair_text(pair)} is broken at {point_text(time)}: {new}"
                return Node(Kind.BROKEN, text, children=() if other is None else (other,))
        return None

    def _uninitiated(self, pair: Pair, first: int, shown: int, last: int, depth: int) -> Node:
        """States that a pair was not initiated between two time-points, with the nearest rules."""
        attempts = [
            attempt
            for attempt in self._prover.attempts.on(EffectKind.INITIATED, pair, last + 1)
            if (attempt.fate is not Fate.CAME_TRUE and attempt.claim.due >= first) or attempt.claim.due > last
        ]
        below = [self._prover.attempts.shown(attempt, depth) for attempt in attempts[-_MOST_ATTEMPTS:]]
        found = nearest(self._evidence, Effected(EffectKind.INITIATED, pair, last), shown, last)
        below += [self._near(near, shown, last, depth) for near in found]
        below = below or [_note(self._no_rule(pair))]
        text, claim = f"it is not initiated {self._span(shown, last)}", NoInitiation(pair, first, last)
        return Node(Kind.ABSENT, text, holds=False, claim=claim, children=tuple(below))

    def _no_rule(self, pair: Pair) -> str:
        """A note about a pair that no rule initiates."""
        shown = pair_text(pair)
        for rule in self._prover.program.delays:
            effect = rule.effect
            if effect is not None and any(True for _ in bind({}, (effect.fluent, pair[0]), (effect.value, pair[1]))):
                return f"{shown} comes about by a delayed effect only ({rule.span.location}), and none was under way"
        return f"no rule ever brings {shown} about"

    def _span(self, first: int, last: int) -> str:
        """A time range as text; from the first time-point on, only its end."""
        return f"up to {point_text(last)}" if first < self._evidence.origin <= last else span_text(first, last)

    # Nearest rules

    def _near(self, near: Near, first: int, last: int, depth: int) -> Node:
        body, place = near.body, near.place
        nodes = (self._prover.condition(near.trace, literal, near.bindings, 0) for literal in body[:place])
        met: Sequence[Node] = [node for node in nodes if node is not None]
        if len(met) == place:
            met = self._prover.windows.arranged(met, body, near.bindings)
        when = f" at {point_text(near.time)}" if near.time is not None else f" {self._span(first, last)}"
        seen = [not is_hidden(literal, body) for literal in body]
        text = f"the rule was tried{when}: {sum(seen[:place])} of {sum(seen)} conditions are met"
        claim = Missed(near.rule, near.bindings, body, place, first, last)
        use, reason = RuleUse(near.rule, near.bindings), self._failing(near, body[place], depth)
        return Node(Kind.NEAR, text, holds=False, claim=claim, use=use, children=(*met, reason))

    def _failing(self, near: Near, failed: Literal, depth: int) -> Node:
        """The condition that fails, with what is missing."""
        prover, bindings = self._prover, near.bindings
        window = prover.windows.failing(near.trace, failed, near.body, bindings, depth)
        if window is not None:
            return window
        if isinstance(failed, Not):
            answer = next(iter(near.trace.inside(failed, 0, bindings, most=1)), None)
            proof = None if answer is None else prover.conditions(near.trace, failed.body, answer, depth)
            text = f"fails: not {body_text(failed.body, bindings)}, but it is so"
            return Node(Kind.CONDITION, text, holds=False, children=proof or ())
        below: Sequence[Node] = ()
        match failed:
            case Happens(event=event, time=time):
                at = moment(time, bindings) if is_ground(resolve(time, bindings)) else None
                below = (_note(occurrences(self._evidence, resolve(event, bindings), at)),)
            case Holds(fvp=fvp, time=time):
                pair = pair_of(fvp, bindings)
                if all(map(is_ground, (*pair, resolve(time, bindings)))):
                    below = (self.absent(pair, moment(time, bindings), depth),)
            case Call(atom=atom):
                below = tuple(map(_note, facts_like(self._evidence, resolve(atom, bindings))))
        return Node(Kind.CONDITION, f"fails: {literal_text(failed, bindings)}", holds=False, children=tuple(below))

    # Events

    def no_event(self, event: Term, time: int, depth: int) -> Node:
        """The reason why an event does not happen at a time-point."""
        claim = Happening(event, time)
        found = nearest(self._evidence, claim, time, time) if depth > 0 else ()
        near = (self._near(one, time, time, depth - 1) for one in found)
        text = f"{print_term(event)} does not happen at {point_text(time)}"
        below = (_note(occurrences(self._evidence, event, time)), *near)
        return Node(Kind.ABSENT, text, holds=False, claim=claim, children=below)


def _note(text: str) -> Node:
    return Node(Kind.NOTE, text, holds=False)
