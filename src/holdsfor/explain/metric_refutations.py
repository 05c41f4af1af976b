"""Why a metric fact does not hold at a point of time: the rules that come closest, and what each lacks."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

from holdsfor.compiler.analysis.similar import suggest
from holdsfor.explain.metric_proofs import bound, bound_literal, unified
from holdsfor.explain.metric_solving import Binding, Ground, Signature
from holdsfor.explain.metric_world import MetricWorld, body_times
from holdsfor.explain.nodes import Kind, MetricMissed, Node, RuleUse
from holdsfor.explain.wording import ranges_text
from holdsfor.frontend.dmtl import metric_text
from holdsfor.ir.metric import Atom, Comparison, Condition, MetricLiteral, MetricRule
from holdsfor.reference.metric.times import NEVER, Times
from holdsfor.syntax.terms import Var

_MOST_WAYS = 50
_MOST_SHOWN = 3


class MetricRefuter:
    """Refutations over the tables of a metric program."""

    def __init__(self, world: MetricWorld) -> None:
        self.world = world

    def refutation(self, signature: Signature, args: Ground, time: Fraction, depth: int) -> tuple[Node, ...]:
        """Why a fact does not hold at a time: the rules that come closest, and what each lacks."""
        nodes = []
        held = self.world.given(signature)[0].times(args) | self.world.given(signature)[1].times(args)
        if held:
            text = f"as a fact it holds on {ranges_text(held.ranges(), time)}"
            nodes.append(Node(Kind.NOTE, text, holds=False))
        for rule in self.world.program.rules:
            start = unified(rule.head, args) if rule.head.signature == signature else None
            if start is not None:
                nodes += self._misses(rule, start, time, depth)
        if not nodes:
            nodes.append(Node(Kind.NOTE, self._nothing(signature, args), holds=False))
        return tuple(nodes)

    def _nothing(self, signature: Signature, args: Ground) -> str:
        rows = self.world.given(signature)[0]
        every = rows.matching([Var(f"X{place}") for place in range(signature[1])])
        if not every:
            return f"there are no facts of {signature[0]} at all"
        for place, arg in enumerate(args):
            words = {str(one[place].value) for one in every}
            close = None if str(arg.value) in words else suggest(str(arg.value), words)
            if close:
                return f"no fact of {signature[0]} has {arg.value} there; did you mean {close}?"
        return f"{metric_text(Atom(signature[0], args))} is no fact"

    def _misses(self, rule: MetricRule, start: Binding, time: Fraction, depth: int) -> list[Node]:
        found = []
        for binding in islice(self._ways(rule, start), _MOST_WAYS):
            times, place = body_times(rule, time), 0
            while place < len(rule.body) and (narrowed := times & self._when(rule.body[place], binding)):
                times, place = narrowed, place + 1
            if place < len(rule.body):
                found.append((place, binding, times))
        found.sort(key=lambda one: -one[0])
        if not found:
            return [self._no_values(rule, start, time)]
        return [self._miss(rule, binding, place, times, time, depth) for place, binding, times in found[:_MOST_SHOWN]]

    def _ways(self, rule: MetricRule, start: Binding) -> list[Binding]:
        """Values for all variables that facts can give values to, whenever the facts hold."""
        found: list[Binding] = [start]
        for literal in rule.body:
            if isinstance(literal, Condition) and not literal.negated:
                found = [
                    extended for one in found for extended in islice(self.world.extended(literal.atom, one), _MOST_WAYS)
                ][:_MOST_WAYS]
        return found

    def _when(self, literal: MetricLiteral, binding: Binding) -> Times:
        if isinstance(literal, Condition):
            held = self.world.holds_for_some(literal.atom, binding)
            return ~held if literal.negated else held
        rule = MetricRule((), Atom("", ()), (literal,))
        found = NEVER
        for extended, held in self.world.solutions(rule, binding):
            if all(extended.get(name) == value for name, value in binding.items()):
                found |= held
        return found

    def _no_values(self, rule: MetricRule, start: Binding, time: Fraction) -> Node:
        """A rule for which no facts at any time give values to its variables."""
        met: Binding = start
        for literal in rule.body:
            if isinstance(literal, Condition) and not literal.negated:
                following = next(iter(self.world.extended(literal.atom, met)), None)
                if following is None:
                    text = f"no facts at any time give {metric_text(bound(literal.atom, met))}"
                    below = (Node(Kind.CONDITION, f"fails: {metric_text(bound(literal.atom, met))}", holds=False),)
                    claim = MetricMissed(rule, start, time)
                    use = RuleUse(rule, met)
                    return Node(Kind.NEAR, text, holds=False, claim=claim, use=use, children=below)
                met = following
        return Node(
            Kind.NEAR,
            "the rule has no instance",
            holds=False,
            claim=MetricMissed(rule, start, time),
            use=RuleUse(rule, met),
        )

    def _miss(self, rule: MetricRule, binding: Binding, place: int, times: Times, time: Fraction, depth: int) -> Node:
        body = rule.body
        when = ranges_text(times.ranges())
        failed = body[place]
        held = self._when(failed, binding)
        met = tuple(
            Node(Kind.CONDITION, f"met: {metric_text(bound_literal(literal, binding))}") for literal in body[:place]
        )
        shown = metric_text(bound_literal(failed, binding))
        is_when = f"; it is so on {ranges_text(held.ranges(), time)}" if not isinstance(failed, Comparison) else ""
        reason = Node(
            Kind.CONDITION, f"fails: {shown}{is_when}", holds=False, children=self._deeper(failed, binding, time, depth)
        )
        text = f"the rule was tried on {when}: {place} of {len(body)} conditions are met there"
        claim = MetricMissed(rule, binding, time)
        return Node(Kind.NEAR, text, holds=False, claim=claim, use=RuleUse(rule, binding), children=(*met, reason))

    def _deeper(self, literal: MetricLiteral, binding: Binding, time: Fraction, depth: int) -> tuple[Node, ...]:
        is_plain = isinstance(literal, Condition) and isinstance(literal.atom, Atom) and not literal.negated
        if depth <= 1 or not is_plain:
            return ()
        assert isinstance(literal, Condition) and isinstance(literal.atom, Atom)
        if any(isinstance(arg, Var) and arg.name not in binding for arg in literal.atom.args):
            return ()
        args = self.world.ground(literal.atom, binding)
        is_derived = any(rule.head.signature == literal.atom.signature for rule in self.world.program.rules)
        if not is_derived or time in self.world.times(literal.atom.signature, args):
            return ()
        return self.refutation(literal.atom.signature, args, time, depth - 1)
