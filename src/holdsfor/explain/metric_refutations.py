"""Refutes metric facts: why a fact does not hold at a time, by the nearest rules and what each lacks.

A refutation goes from a rule to the condition that fails, and on to why that condition does not hold at the time
required by the rule. So it moves along the time-line, mostly back. Each fact and time is explained once. The limit on
steps limits the depth of the tree.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import islice

from holdsfor.compiler.analysis.similar import suggest
from holdsfor.explain.limits import MOST_STEPS
from holdsfor.explain.metric_proofs import bound, bound_literal, unified
from holdsfor.explain.metric_times import between, body_times, chosen, window_of
from holdsfor.explain.metric_world import MetricWorld
from holdsfor.explain.nodes import Deriving, Kind, MetricMissed, Node, RuleUse
from holdsfor.explain.wording import moment_text, ranges_text
from holdsfor.frontend.dmtl import metric_text
from holdsfor.ir import metric
from holdsfor.reference.metric.bindings import Binding, extensions, ground
from holdsfor.reference.metric.evaluator import atom_times, atom_times_for_some, body_solutions
from holdsfor.reference.metric.times import Times, union

_MOST_WAYS = 50
_MOST_SHOWN = 3

_Missed = tuple[int, Binding, Times]
"""The number of conditions met, the values, and the times."""


class MetricRefuter:
    """Builds refutations over the tables of a metric program."""

    def __init__(self, world: MetricWorld) -> None:
        self.world = world
        self._missed: dict[tuple[object, ...], tuple[list[_Missed], int, bool]] = {}
        self._explained_atoms: set[tuple[metric.Atom, Fraction]] = set()
        self._steps = 0
        self.is_cut = False
        """Whether a refutation is less deep than requested because of its length."""

    def refutation(self, atom: metric.Atom, time: Fraction, depth: int) -> tuple[Node, ...]:
        """The reason why a fact does not hold at a time, to the requested depth and within the limit of steps."""
        found: tuple[Node, ...] = ()
        for levels in range(1, max(depth, 1) + 1):
            self._explained_atoms, self._steps = set(), 0
            deeper = self._refuted(atom, time, levels)
            if found and self._steps > MOST_STEPS:
                # Omissions are marked at their place.
                self.is_cut = True
                break
            found = deeper
            if not any(node.more for one in found for node in one.walk()):
                break
        return found

    def _refuted(self, atom: metric.Atom, time: Fraction, depth: int) -> tuple[Node, ...]:
        if (atom, time) in self._explained_atoms:
            return (Node(Kind.NOTE, "as explained elsewhere", holds=False),)
        self._explained_atoms.add((atom, time))
        nodes = []
        rows, written = (table.times(ground(atom, {})) for table in self.world.given(atom.signature))
        held = rows | written
        if held:
            text = f"as a fact it holds on {ranges_text(held.ranges(), time)}"
            nodes.append(Node(Kind.NOTE, text, holds=False))
        for rule in self.world.program.rules:
            start = unified(rule.head, atom)
            if start is not None:
                nodes += self._misses(rule, start, time, depth)
        if not nodes:
            nodes.append(Node(Kind.NOTE, self._nothing(atom), holds=False))
        self._steps += len(nodes)
        return tuple(nodes)

    def _nothing(self, atom: metric.Atom) -> str:
        every = self.world.given(atom.signature)[0].matching()
        if not every:
            return f"there are no facts of {atom.predicate} at all"
        for place, arg in enumerate(ground(atom, {})):
            words = {str(one[place].value) for one in every}
            close = None if str(arg.value) in words else suggest(str(arg.value), words)
            if close:
                return f"no fact of {atom.predicate} has {arg.value} there; did you mean {close}?"
        return f"{metric_text(atom)} is no fact"

    def _misses(self, rule: metric.MetricRule, start: Binding, time: Fraction, depth: int) -> list[Node]:
        key = rule, tuple(sorted((name, value.value) for name, value in start.items())), time
        if key not in self._missed:
            self._missed[key] = self._tried(rule, start, time)
        found, more, has_all = self._missed[key]
        if not found:
            return [self._no_values(rule, start, time, depth)]
        nodes = [self._miss(rule, *one, time, depth) for one in found[:_MOST_SHOWN]]
        if more:
            count = f"{more} more" if has_all else f"at least {more} more"
            text = f"{count} ways through the rule at {rule.span.location} fail too"
            nodes.append(Node(Kind.NOTE, text, holds=False))
        return nodes

    def _tried(self, rule: metric.MetricRule, start: Binding, time: Fraction) -> tuple[list[_Missed], int, bool]:
        """The nearest solutions of a rule, one per failing condition, the number of the others, and whether these are
        all.
        """
        solutions = [start]
        for literal in rule.body:
            if isinstance(literal, metric.Condition) and not literal.negated:
                found = (
                    one
                    for one_solution in solutions
                    for one in islice(extensions(literal.atom, one_solution, self.world), _MOST_WAYS)
                )
                solutions = list(islice(found, _MOST_WAYS))
        missed: dict[tuple[object, ...], _Missed] = {}
        failed = 0
        for binding in solutions:
            times, place = body_times(rule, time), 0
            while place < len(rule.body) and (narrowed := times & self._when(rule.body[place], binding)):
                times, place = narrowed, place + 1
            if place < len(rule.body):
                failed += 1
                # The same condition with other values for variables outside of it fails in the same way.
                missed.setdefault((place, bound_literal(rule.body[place], binding), times), (place, binding, times))
        ordered = sorted(missed.values(), key=lambda one: -one[0])
        return ordered, failed - min(len(ordered), _MOST_SHOWN), len(solutions) < _MOST_WAYS

    def _when(self, literal: metric.MetricLiteral, binding: Binding) -> Times:
        if isinstance(literal, metric.Condition):
            held = atom_times_for_some(literal.atom, binding, self.world)
            return ~held if literal.negated else held
        alone = body_solutions(metric.MetricRule((), metric.Atom("", ()), (literal,)), self.world, binding)
        return union(held for _, held in alone)

    def _no_values(self, rule: metric.MetricRule, start: Binding, time: Fraction, depth: int) -> Node:
        """A rule without facts that bind its variables at any time."""
        met, text = start, "the rule has no instance"
        below: tuple[Node, ...] = ()
        for literal in rule.body:
            if isinstance(literal, metric.Condition) and not literal.negated:
                following = next(extensions(literal.atom, met, self.world), None)
                if following is None:
                    shown = metric_text(bound(literal.atom, met))
                    text = f"no facts at any time give {shown}"
                    below = (self._failing(f"fails: {shown}", literal, met, body_times(rule, time), time, depth),)
                    break
                met = following
        claim = MetricMissed(rule, start, time)
        return Node(Kind.NEAR, text, holds=False, claim=claim, use=RuleUse(rule, met), children=below)

    def _miss(
        self, rule: metric.MetricRule, place: int, binding: Binding, times: Times, time: Fraction, depth: int
    ) -> Node:
        shown = [metric_text(bound_literal(literal, binding)) for literal in rule.body[: place + 1]]
        failed, text = rule.body[place], f"fails: {shown[place]}"
        if not isinstance(failed, metric.Comparison):
            text += f"; it is so on {ranges_text(self._when(failed, binding).ranges(), time)}"
        met = [Node(Kind.CONDITION, f"met: {one}") for one in shown[:place]]
        below = (*met, self._failing(text, failed, binding, times, time, depth))
        text = (
            f"the rule was tried on {ranges_text(times.ranges())}: {place} of {len(rule.body)} conditions are met there"
        )
        claim = MetricMissed(rule, binding, time)
        return Node(Kind.NEAR, text, holds=False, claim=claim, use=RuleUse(rule, binding), children=below)

    # Why a condition does not hold at the required time

    def _failing(
        self, text: str, literal: metric.MetricLiteral, binding: Binding, times: Times, time: Fraction, depth: int
    ) -> Node:
        """A condition that holds at none of some times, with the reason for one of them."""
        node, at, question = Node(Kind.CONDITION, text, holds=False), chosen(times, time), None
        if at is not None and isinstance(literal, metric.Condition) and not literal.negated:
            question = self._question_about(bound(literal.atom, binding), at)
        if question is None or all(rule.head.signature != question[0].signature for rule in self.world.program.rules):
            return node
        if depth <= 1:
            return replace(node, more=True)
        fact, missing = question
        first = self.world.first_fact
        if first is not None and missing < first:
            note = f"all facts lie at {moment_text(first)} or later, and no rule looks ahead"
            return replace(node, children=(Node(Kind.NOTE, note, holds=False),))
        below = self._refuted(fact, missing, depth - 1)
        if not (isinstance(literal, metric.Condition) and isinstance(literal.atom, metric.Atom)):
            shown = f"{metric_text(fact)} does not hold at {moment_text(missing)}"
            below = (Node(Kind.ABSENT, shown, holds=False, claim=Deriving(fact, {}, missing), children=below),)
        return replace(node, children=below)

    def _question_about(self, atom: metric.MetricAtom, at: Fraction) -> tuple[metric.Atom, Fraction] | None:
        """The missing fact below the operators of an atom that fails at a time, and the time at which it is missing."""
        if isinstance(atom, metric.Truth) or any(True for _ in metric.atom_variables(atom)):
            return None
        if isinstance(atom, metric.Atom):
            return None if at in atom_times(atom, {}, self.world) else (atom, at)
        window = window_of(atom.operator, atom.range, at)
        operand = atom.operand if isinstance(atom, metric.Unary) else atom.right
        if isinstance(atom, metric.Binary) and (right := atom_times(atom.right, {}, self.world) & window):
            point = chosen(right, at)
            assert point is not None
            operand, window = atom.left, Times.during(between(point, at))
        missing = chosen(window & ~atom_times(operand, {}, self.world), at)
        return None if missing is None else self._question_about(operand, missing)
