"""Proves why a metric atom holds at a time: rules, operators with their witnesses, facts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import islice

from holdsfor.explain.limits import MOST_STEPS
from holdsfor.explain.metric_times import around, between, body_times, chosen, representatives, window_of, witness
from holdsfor.explain.metric_world import MetricWorld
from holdsfor.explain.nodes import Deriving, Kind, MetricCondition, Node, Row, RuleUse
from holdsfor.explain.wording import moment_text, range_ends, range_text, ranges_text
from holdsfor.frontend.dmtl import metric_text
from holdsfor.ir import metric
from holdsfor.logic.unify import resolve
from holdsfor.reference.metric.bindings import Binding, FactTimes, extensions, ground
from holdsfor.reference.metric.evaluator import atom_times, atom_times_for_some, body_solutions
from holdsfor.syntax.terms import Const, Var

Leaf = Callable[[metric.Atom, Fraction, int], Node | None]
"""Proves a fact from other sources, at a time and to a depth."""
_MOST_COUNTED = 10


class MetricProver:
    """Builds proofs over the tables of a metric program."""

    def __init__(self, world: MetricWorld, leaf: Leaf | None = None) -> None:
        self.world = world
        self._steps = 0
        self._leaf = leaf
        self._proved: dict[tuple[metric.Atom, Fraction], tuple[int, Node]] = {}

    @property
    def is_cut(self) -> bool:
        """Whether a proof was shortened because of its length."""
        return self._steps > MOST_STEPS

    def proof(self, atom: metric.Atom, time: Fraction, depth: int) -> Node | None:
        """The reason why a fact holds at a time."""
        known = self._proved.get((atom, time))
        if known is not None and known[0] >= depth:
            return known[1]
        found = self._leaf(atom, time, depth) if self._leaf is not None else None
        found = found or self._given(atom, time) or self._derived(atom, time, depth)
        if found is not None:
            self._proved[atom, time] = depth, found
        return found

    def _given(self, atom: metric.Atom, time: Fraction) -> Node | None:
        text, claim = f"{metric_text(atom)} holds at {moment_text(time)}: a fact", Deriving(atom, {}, time)
        during = around(self.world.given(atom.signature)[0].times(ground(atom, {})), time)
        if during is not None:
            row = Row(f"{metric_text(atom)}@{range_text(during)}")
            text = f"{text} of the input, on {range_text(during)}"
            return Node(Kind.FACT, text, claim=claim, rows=(row,), interval=range_ends(during))
        for fact in self.world.program.facts:
            if metric.Atom(fact.predicate, fact.args) == atom and time in fact.during:
                ends = range_ends(fact.during)
                return Node(Kind.FACT, f"{text} among the rules", claim=claim, use=RuleUse(fact, {}), interval=ends)
        return None

    def _derived(self, atom: metric.Atom, time: Fraction, depth: int) -> Node | None:
        during = around(atom_times(atom, {}, self.world), time)
        if during is None:
            return None
        text = f"{metric_text(atom)} holds at {moment_text(time)}, on {range_text(during)}"
        node = Node(Kind.METRIC, text, claim=Deriving(atom, {}, time), interval=range_ends(during), more=True)
        self._steps += 1
        if depth <= 0 or self._steps > MOST_STEPS:
            return node
        known = self.world.before(atom, time)
        for rule in self.world.program.rules:
            start = unified(rule.head, atom)
            for binding, held in () if start is None else body_solutions(rule, known, start):
                at = chosen(held & body_times(rule, time), time)
                if at is not None and bound(rule.head, binding) == atom:
                    below = tuple(self._literal(literal, binding, at, known, depth - 1) for literal in rule.body)
                    claim = Deriving(atom, {}, time, at)
                    return Node(Kind.METRIC, text, claim=claim, use=RuleUse(rule, binding), children=below)
        return None

    # Conditions and operators

    def _literal(
        self, literal: metric.MetricLiteral, binding: Binding, at: Fraction, known: FactTimes, depth: int
    ) -> Node:
        if isinstance(literal, metric.Condition) and not literal.negated:
            return self.atom(literal.atom, binding, at, known, depth)
        claim = MetricCondition(literal, binding, at)
        text = metric_text(bound_literal(literal, binding))
        if isinstance(literal, metric.Comparison):
            return Node(Kind.CONDITION, text, claim=claim)
        text = f"{text} at {moment_text(at)}"
        if isinstance(literal, metric.Aggregate):
            return Node(Kind.CONDITION, text, claim=claim, children=self._members(literal, binding, at))
        held = atom_times_for_some(literal.atom, binding, self.world)
        note = Node(Kind.NOTE, f"it holds on {ranges_text(held.ranges(), at)}", holds=False)
        return Node(Kind.ABSENT, f"{text}: looked for and not found", claim=claim, children=(note,) if held else ())

    def _members(self, literal: metric.Aggregate, binding: Binding, at: Fraction) -> tuple[Node, ...]:
        terms = {term.name for term in literal.terms}
        fixed = {name: value for name, value in binding.items() if name not in terms}
        found = dict.fromkeys(
            bound(literal.atom, one)
            for one in extensions(literal.atom, fixed, self.world)
            if at in atom_times(literal.atom, one, self.world)
        )
        return tuple(Node(Kind.NOTE, f"counts: {metric_text(one)}") for one in islice(found, _MOST_COUNTED))

    def atom(self, atom: metric.MetricAtom, binding: Binding, at: Fraction, known: FactTimes, depth: int) -> Node:
        """The reason why a metric atom holds at a time."""
        text, claim = f"{metric_text(bound(atom, binding))} at {moment_text(at)}", Deriving(atom, binding, at)
        if isinstance(atom, metric.Atom):
            found = self.proof(metric.Atom(atom.predicate, ground(atom, binding)), at, depth)
            assert found is not None, text
            return found
        if isinstance(atom, metric.Truth):
            return Node(Kind.CONDITION, "Top holds always", claim=claim)
        window = window_of(atom.operator, atom.range, at)
        if isinstance(atom, metric.Binary):
            left, right = atom_times(atom.left, binding, known), atom_times(atom.right, binding, known)
            point = witness(right & window, left, at, back=atom.operator is metric.BinaryOperator.SINCE)
            how, wanted = f"the right side at {moment_text(point)}", [(atom.right, point)]
            if point != at:
                how += f", the left side throughout {range_text(between(point, at))}"
                wanted.append((atom.left, (point + at) / 2))
        elif atom.operator in (metric.UnaryOperator.DIAMOND_MINUS, metric.UnaryOperator.DIAMOND_PLUS):
            met = chosen(atom_times(atom.operand, binding, known) & window, at)
            assert met is not None, text
            how, wanted = f"at {moment_text(met)}", [(atom.operand, met)]
        else:
            how = f"throughout {ranges_text(window.ranges())}"
            wanted = [(atom.operand, point) for point in representatives(window, at)]
        below = tuple(self.atom(operand, binding, point, known, depth) for operand, point in wanted)
        return Node(Kind.OPERATOR, f"{text}: {how}", claim=claim, children=below)


def unified(head: metric.Atom, fact: metric.Atom) -> Binding | None:
    """The bindings of head variables for a fact; None if it is not about the fact."""
    found: dict[str, Const] = {}
    for arg, value in zip(head.args, ground(fact, {}), strict=False):
        if (found.setdefault(arg.name, value) if isinstance(arg, Var) else arg) != value:
            return None
    return found if head.signature == fact.signature else None


def bound(atom: metric.MetricAtom, binding: Binding) -> metric.MetricAtom:
    """A metric atom with its variables replaced by values."""
    match atom:
        case metric.Atom():
            args = tuple(binding.get(arg.name, arg) if isinstance(arg, Var) else arg for arg in atom.args)
            return metric.Atom(atom.predicate, args)
        case metric.Unary():
            return replace(atom, operand=bound(atom.operand, binding))
        case metric.Binary():
            return replace(atom, left=bound(atom.left, binding), right=bound(atom.right, binding))
        case metric.Truth():
            return atom


def bound_literal(literal: metric.MetricLiteral, binding: Binding) -> metric.MetricLiteral:
    """A condition with its variables replaced by values."""
    match literal:
        case metric.Condition():
            return replace(literal, atom=bound(literal.atom, binding))
        case metric.Comparison():
            sides = resolve(literal.left, binding), resolve(literal.right, binding)
            return metric.Comparison(literal.comparator, *sides)
        case metric.Aggregate():
            return literal
