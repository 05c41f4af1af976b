"""Refutes metric facts: why a fact does not hold at a time, by the nearest rules and what each lacks.

A refutation goes from a rule to the condition that fails, and on to why that condition does not hold at the time
required by the rule. So it moves along the time-line, mostly back. Each fact and time is explained once. The limit on
steps limits the depth of the tree.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

from holdsfor.compiler.analysis.similar import suggest
from holdsfor.explain.limits import MOST_STEPS
from holdsfor.explain.metric_proofs import bound, bound_literal, chosen, unified, window_of
from holdsfor.explain.metric_solving import Binding, Ground, Signature
from holdsfor.explain.metric_world import MetricWorld, body_times
from holdsfor.explain.nodes import Deriving, Kind, MetricMissed, Node, RuleUse
from holdsfor.explain.wording import moment_text, ranges_text
from holdsfor.frontend.dmtl import metric_text
from holdsfor.ir.metric import (
    Atom,
    Binary,
    BinaryOperator,
    Comparison,
    Condition,
    MetricAtom,
    MetricLiteral,
    MetricRule,
    Range,
    Unary,
    UnaryOperator,
    atom_variables,
)
from holdsfor.reference.metric.times import NEVER, Times
from holdsfor.syntax.terms import Var

_MOST_WAYS = 50
_MOST_SHOWN = 3
_LOOKS_BACK = (UnaryOperator.DIAMOND_MINUS, UnaryOperator.BOX_MINUS, BinaryOperator.SINCE)
_DIAMONDS = (UnaryOperator.DIAMOND_MINUS, UnaryOperator.DIAMOND_PLUS)

_Missed = tuple[int, Binding, Times]
"""The number of conditions met, the values, and the times."""


class MetricRefuter:
    """Builds refutations over the tables of a metric program."""

    def __init__(self, world: MetricWorld) -> None:
        self.world = world
        self._missed: dict[tuple[object, ...], tuple[list[_Missed], int, bool]] = {}
        self._told: set[tuple[Signature, Ground, Fraction]] = set()
        self._steps = 0
        self.is_cut = False
        """Whether a refutation is less deep than requested because of its length."""

    def refutation(self, signature: Signature, args: Ground, time: Fraction, depth: int) -> tuple[Node, ...]:
        """The reason why a fact does not hold at a time, to the requested depth and within the limit of steps."""
        found: tuple[Node, ...] = ()
        for levels in range(1, max(depth, 1) + 1):
            self._told, self._steps = set(), 0
            deeper = self._refuted(signature, args, time, levels)
            if found and self._steps > MOST_STEPS:
                # Omissions are marked at their place.
                self.is_cut = True
                break
            found = deeper
            if not any(node.more for one in found for node in one.walk()):
                break
        return found

    def _refuted(self, signature: Signature, args: Ground, time: Fraction, depth: int) -> tuple[Node, ...]:
        if (signature, args, time) in self._told:
            return (Node(Kind.NOTE, "as explained elsewhere", holds=False),)
        self._told.add((signature, args, time))
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
        self._steps += len(nodes)
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
        key = rule, tuple(sorted((name, value.value) for name, value in start.items())), time
        if key not in self._missed:
            self._missed[key] = self._tried(rule, start, time)
        found, more, has_all = self._missed[key]
        if not found:
            return [self._no_values(rule, start, time, depth)]
        nodes = [self._miss(rule, binding, place, times, time, depth) for place, binding, times in found[:_MOST_SHOWN]]
        if more:
            count = f"{more} more" if has_all else f"at least {more} more"
            nodes.append(
                Node(Kind.NOTE, f"{count} ways through the rule at {rule.span.location} fail too", holds=False)
            )
        return nodes

    def _tried(self, rule: MetricRule, start: Binding, time: Fraction) -> tuple[list[_Missed], int, bool]:
        """The nearest solutions of a rule, one per failing condition, the number of the others, and whether these are
        all.
        """
        ways = self._ways(rule, start)
        found: dict[tuple[object, ...], _Missed] = {}
        failed = 0
        for binding in ways:
            times, place = body_times(rule, time), 0
            while place < len(rule.body) and (narrowed := times & self._when(rule.body[place], binding)):
                times, place = narrowed, place + 1
            if place < len(rule.body):
                failed += 1
                # The same condition with other values for variables outside of it fails in the same way.
                key = place, bound_literal(rule.body[place], binding), times
                found.setdefault(key, (place, binding, times))
        ordered = sorted(found.values(), key=lambda one: -one[0])
        return ordered, failed - min(len(ordered), _MOST_SHOWN), len(ways) < _MOST_WAYS

    def _ways(self, rule: MetricRule, start: Binding) -> list[Binding]:
        """Values of all variables that facts can bind, at the times when the facts hold."""
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

    def _no_values(self, rule: MetricRule, start: Binding, time: Fraction, depth: int) -> Node:
        """A rule without facts that bind its variables at any time."""
        met: Binding = start
        for literal in rule.body:
            if isinstance(literal, Condition) and not literal.negated:
                following = next(iter(self.world.extended(literal.atom, met)), None)
                if following is None:
                    text = f"no facts at any time give {metric_text(bound(literal.atom, met))}"
                    below, more = self._below(literal, met, chosen(body_times(rule, time), time), depth)
                    shown = f"fails: {metric_text(bound(literal.atom, met))}"
                    reason = Node(Kind.CONDITION, shown, holds=False, children=below, more=more)
                    claim = MetricMissed(rule, start, time)
                    use = RuleUse(rule, met)
                    return Node(Kind.NEAR, text, holds=False, claim=claim, use=use, children=(reason,))
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
        below, more = self._below(failed, binding, chosen(times, time), depth)
        reason = Node(Kind.CONDITION, f"fails: {shown}{is_when}", holds=False, children=below, more=more)
        text = f"the rule was tried on {when}: {place} of {len(body)} conditions are met there"
        claim = MetricMissed(rule, binding, time)
        return Node(Kind.NEAR, text, holds=False, claim=claim, use=RuleUse(rule, binding), children=(*met, reason))

    # Why a condition does not hold at the required time

    def _below(
        self, literal: MetricLiteral, binding: Binding, at: Fraction | None, depth: int
    ) -> tuple[tuple[Node, ...], bool]:
        """The steps below a condition that fails at a time, and whether deeper ones were omitted."""
        if at is None or not isinstance(literal, Condition) or literal.negated:
            return (), False
        asked = self._asked_about(literal.atom, binding, at)
        if asked is None or not self._is_derived(asked[0]):
            return (), False
        if depth <= 1:
            return (), True
        atom, time = asked
        first = self.world.first_fact
        if first is not None and time < first:
            text = f"all facts lie at {moment_text(first)} or later, and no rule looks ahead"
            return (Node(Kind.NOTE, text, holds=False),), False
        args = self.world.ground(atom, binding)
        below = self._refuted(atom.signature, args, time, depth - 1)
        if atom == literal.atom and time == at:
            return below, False
        text = f"{metric_text(bound(atom, binding))} does not hold at {moment_text(time)}"
        claim = Deriving(Atom(atom.predicate, args), {}, time)
        return (Node(Kind.ABSENT, text, holds=False, claim=claim, children=below),), False

    def _asked_about(self, atom: MetricAtom, binding: Binding, at: Fraction) -> tuple[Atom, Fraction] | None:
        """The missing fact below the operators of an atom that fails at a time, and the time at which it is missing."""
        if any(variable.name not in binding for variable in atom_variables(atom)):
            return None
        if isinstance(atom, Atom):
            return None if at in self.world.holds(atom, binding) else (atom, at)
        if isinstance(atom, Unary):
            window = window_of(atom.range, at, back=atom.operator in _LOOKS_BACK)
            return self._missing(atom.operand, binding, window, at)
        if not isinstance(atom, Binary):
            return None
        window = window_of(atom.range, at, back=atom.operator in _LOOKS_BACK)
        right = self.world.holds(atom.right, binding)
        if not right & window:
            return self._missing(atom.right, binding, window, at)
        point = chosen(right & window, at)
        assert point is not None
        between = Times.during(Range(min(point, at), max(point, at), low_open=True, high_open=True))
        return self._missing(atom.left, binding, between, at)

    def _missing(self, atom: MetricAtom, binding: Binding, window: Times, at: Fraction) -> tuple[Atom, Fraction] | None:
        """The missing fact of an atom that fails at some time of a window."""
        point = chosen(window & ~self.world.holds(atom, binding), at)
        return None if point is None else self._asked_about(atom, binding, point)

    def _is_derived(self, atom: Atom) -> bool:
        return any(rule.head.signature == atom.signature for rule in self.world.program.rules)
