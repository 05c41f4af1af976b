"""Refutes: why something does not hold, by what ended or blocked it, and the nearest rule instances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from holdsfor.compiler.analysis.entities import Role
from holdsfor.explain.delays import Fate
from holdsfor.explain.evidence import Evidence
from holdsfor.explain.lacks import lack, occurrences
from holdsfor.explain.near import Near, near_misses
from holdsfor.explain.nodes import (
    Happening,
    Holding,
    Kind,
    Missed,
    Node,
    NoInitiation,
    Pair,
    RuleUse,
)
from holdsfor.explain.sliding import body_text, is_hidden, judged, judgement
from holdsfor.explain.wording import intervals_text, literal_text, pair_text, point_text, span_text
from holdsfor.ir import EffectKind, EffectRule, EventRule, FindAll, IntervalRule, Intervals, Not, walk
from holdsfor.logic.unify import is_ground, resolve
from holdsfor.reference.evaluator import bind
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Const, Term

if TYPE_CHECKING:
    from holdsfor.explain.proofs import Prover

_MOST_NEAR = 3
_MOST_ATTEMPTS = 3


class Refuter:
    """Refutes that fluents hold and that events happen."""

    def __init__(self, prover: Prover) -> None:
        self._prover = prover
        self._evidence: Evidence = prover.evidence

    def absent(self, pair: Pair, time: int, depth: int) -> Node:
        """The reason why a pair does not hold at a time-point."""
        text = f"{pair_text(pair)} does not hold at {point_text(time)}"
        held = self._evidence.intervals(pair)
        text += f"; it holds on {intervals_text(held, time)}" if held else "; it never does"
        claim = Holding(pair, time)
        if depth <= 0:
            return Node(Kind.ABSENT, text, holds=False, claim=claim, more=True)
        below = self._reasons(pair, time, depth - 1)
        return Node(Kind.ABSENT, text, holds=False, claim=claim, children=below)

    def _reasons(self, pair: Pair, time: int, depth: int) -> tuple[Node, ...]:
        entities = self._evidence.entities
        symbol = entities.pair(*pair)
        if not self._evidence.is_declared(pair):
            places = ", ".join(one.span.location for one in entities[symbol].groundings)
            return (Node(Kind.NOTE, f"it is none of the groundings of {symbol} ({places})", holds=False),)
        match entities[symbol].role:
            case Role.INPUT_FLUENT:
                return (Node(Kind.NOTE, "the input does not say so", holds=False),)
            case Role.STATIC_FLUENT:
                return self._prover.lists.refutation(pair, time, depth)
            case Role.METRIC_FLUENT:
                return self._prover.metric.refutation(pair, time, depth)
            case _:
                return self._simple(pair, time, depth)

    # Simple fluents

    def _simple(self, pair: Pair, time: int, depth: int) -> tuple[Node, ...]:
        evidence = self._evidence
        begun = [t for t in evidence.effect_times(EffectKind.INITIATED, pair) if t < time]
        last = begun[-1] if begun else evidence.origin - 2
        nodes: list[Node | None] = []
        if begun:
            nodes += self._ended(pair, last, time, depth)
        elif time <= evidence.origin:
            nodes.append(Node(Kind.NOTE, f"time begins at {point_text(evidence.origin)}", holds=False))
        ended = self._break_after(pair, last, time) if begun else None
        first = last + 1 if ended is None else max(last + 1, ended)
        nodes.append(self._uninitiated(pair, last + 1, first, time - 1, depth))
        return tuple(node for node in nodes if node is not None)

    def _ended(self, pair: Pair, last: int, time: int, depth: int) -> list[Node | None]:
        """The last initiation before a time-point, and what broke it."""
        evidence = self._evidence
        broken = self._break_after(pair, last, time)
        held = next((one for one in evidence.intervals(pair) if one[0] <= last + 1 <= one[1]), None)
        start = last if broken == last or held is None else int(held[0]) - 1
        return [
            self._prover.effect(EffectKind.INITIATED, pair, start, depth),
            None if broken is None else self.broken(pair, broken, depth),
        ]

    def _break_after(self, pair: Pair, last: int, time: int) -> int | None:
        """The first break of a pair, at or after an initiation and before a time-point."""
        return next((t for t in self._evidence.breaks(pair) if last <= t < time), None)

    def broken(self, pair: Pair, time: int, depth: int) -> Node | None:
        """The reason why a pair was broken at a time-point."""
        if time in self._evidence.effect_times(EffectKind.TERMINATED, pair):
            return self._prover.effect(EffectKind.TERMINATED, pair, time, depth)
        for value, times in self._evidence.others(pair).items():
            if time in times:
                other = self._prover.effect(EffectKind.INITIATED, (pair[0], value), time, depth)
                text = (
                    f"{pair_text(pair)} is broken at {point_text(time)}: its fluent gets the value {print_term(value)}"
                )
                return Node(Kind.BROKEN, text, children=() if other is None else (other,))
        return None

    def _uninitiated(self, pair: Pair, first: int, shown: int, last: int, depth: int) -> Node | None:
        """States that a pair was not initiated between two time-points, with the nearest rules."""
        if first > last:
            return None
        shown = min(shown, last)
        evidence = self._evidence
        below: list[Node] = []
        for attempt in self._prover.attempts.on(EffectKind.INITIATED, pair, last + 1):
            if (attempt.fate is not Fate.CAME_TRUE and attempt.due >= first) or attempt.due > last:
                below.append(self._prover.attempts.shown(attempt, depth))
        below = below[-_MOST_ATTEMPTS:]
        rules = [
            rule
            for rule in evidence.entities[evidence.entities.pair(*pair)].rules
            if isinstance(rule, EffectRule) and rule.kind is EffectKind.INITIATED
        ]
        found: list[Near] = []
        for rule in rules:
            heads = (rule.fvp.fluent, pair[0]), (rule.fvp.value, pair[1])
            found += near_misses(evidence, rule, (evidence.entities.pair(*pair), pair[0]), heads, (shown, last))
        below += self._shown(found, shown, last, depth)
        if not found and not below:
            below.append(Node(Kind.NOTE, self._no_rule(pair), holds=False))
        text = f"it is not initiated {self._span(shown, last)}"
        claim = NoInitiation(pair, first, last)
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

    def _shown(self, found: Sequence[Near], first: int, last: int, depth: int) -> list[Node]:
        ordered = sorted(found, key=lambda near: (-near.progress, -(near.time or first)))
        by_rule: dict[int, int] = {}
        nodes = []
        for near in ordered:
            count = by_rule.get(id(near.rule), 0)
            if count < _MOST_NEAR:
                by_rule[id(near.rule)] = count + 1
                nodes.append(self._near(near, first, last, depth))
        return nodes

    def _near(self, near: Near, first: int, last: int, depth: int) -> Node:
        body = near.body
        met = [
            node
            for literal in body[: near.place]
            if (node := self._prover.condition(near.trace, literal, near.bindings, 0)) is not None
        ]
        met = self._prover.windows.arranged(met, body, near.bindings) if len(met) == near.place else met
        failed = body[near.place]
        window = judged(failed, body)
        if isinstance(failed, Not):
            inner = body_text(failed.body, near.bindings)
            answer = next(iter(near.trace.inside(failed, 0, near.bindings, most=1)), None)
            proof = None if answer is None else self._prover.conditions(near.trace, failed.body, answer, depth)
            reason = Node(Kind.CONDITION, f"fails: not {inner}, but it is so", holds=False, children=proof or ())
        elif window is not None:
            text = f"fails: {judgement(window, near.bindings, holds=False)}"
            below = self._prover.windows.node(near.trace, window.aggregate, near.bindings, depth).children
            reason = Node(Kind.WINDOW, text, holds=False, children=below)
        elif isinstance(failed, FindAll) and failed.sliding is not None:
            found = self._prover.windows.node(near.trace, failed, near.bindings, depth)
            below = found.children or (Node(Kind.NOTE, "nothing is in its window", holds=False),)
            reason = replace(found, text=f"fails: {found.text}", claim=None, children=below)
        else:
            text = f"fails: {literal_text(failed, near.bindings)}"
            reason = Node(Kind.CONDITION, text, holds=False, children=lack(self, self._evidence, near, depth))
        when = f" at {point_text(near.time)}" if near.time is not None else f" {self._span(first, last)}"
        seen = [not is_hidden(literal, body) for literal in body]
        text = f"the rule was tried{when}: {sum(seen[: near.place])} of {sum(seen)} conditions are met"
        claim = Missed(near.rule, near.bindings, near.body, near.place, first, last)
        use = RuleUse(near.rule, near.bindings)
        return Node(Kind.NEAR, text, holds=False, claim=claim, use=use, children=(*met, reason))

    # Events, and rules about intervals

    def no_event(self, event: Term, time: int, depth: int) -> Node:
        """The reason why an event does not happen at a time-point."""
        evidence = self._evidence
        symbol = evidence.entities.event(event)
        below: list[Node] = [occurrences(evidence, event, time)]
        found: list[Near] = []
        for rule in evidence.entities[symbol].rules if depth > 0 else ():
            if isinstance(rule, EventRule):
                heads = ((rule.event, event), (rule.time, Const(time)))
                found += near_misses(evidence, rule, (symbol, event), heads, (time, time))
        below += self._shown(found, time, time, depth - 1)
        text = f"{print_term(event)} does not happen at {point_text(time)}"
        return Node(Kind.ABSENT, text, holds=False, claim=Happening(event, time), children=tuple(below))

    def no_way(self, rules: Sequence[IntervalRule], pair: Pair, time: int, depth: int) -> tuple[Node, ...]:
        """The reason why no `holdsFor` rule applies to a pair."""
        nodes = []
        for rule in rules:
            bindings = next(bind({}, (rule.fvp.fluent, pair[0]), (rule.fvp.value, pair[1])))
            read = dict.fromkeys(
                (resolve(literal.fvp.fluent, bindings), resolve(literal.fvp.value, bindings))
                for literal in walk(self._evidence.analysis.body(rule))
                if isinstance(literal, Intervals)
            )
            known = [pair for pair in read if is_ground(pair[0]) and is_ground(pair[1])]
            below = tuple(self.absent(one, time, depth) for one in known if not self._evidence.intervals(one))
            text = "the rule has no instance for it"
            use = RuleUse(rule, bindings)
            nodes.append(Node(Kind.NEAR, text, holds=False, use=use, children=below))
        return tuple(nodes) or (Node(Kind.NOTE, f"no rule is about {pair_text(pair)}", holds=False),)
