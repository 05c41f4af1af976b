"""Solves bodies of metric rules: values of variables, and when conditions hold for them.

It works like the reference evaluator, but looks up facts by pattern.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import TypeAlias

from holdsfor.ir.metric import (
    Aggregate,
    Atom,
    BinaryOperator,
    Comparison,
    Condition,
    MetricAtom,
    MetricRule,
    Truth,
    Unary,
    UnaryOperator,
    atom_variables,
    atoms,
)
from holdsfor.reference.metric import times as operators
from holdsfor.reference.metric.bindings import SOMEBODY_ELSE, binding_atoms
from holdsfor.reference.metric.evaluator import aggregate_results, comparison_holds, with_equations
from holdsfor.reference.metric.times import ALWAYS, NEVER, Times, intersection, union
from holdsfor.syntax.terms import Const, Var

Signature: TypeAlias = tuple[str, int]
Ground: TypeAlias = tuple[Const, ...]
Binding: TypeAlias = Mapping[str, Const]

UNARY = {
    UnaryOperator.DIAMOND_MINUS: operators.diamond_minus,
    UnaryOperator.BOX_MINUS: operators.box_minus,
    UnaryOperator.DIAMOND_PLUS: operators.diamond_plus,
    UnaryOperator.BOX_PLUS: operators.box_plus,
}
BINARY = {BinaryOperator.SINCE: operators.since, BinaryOperator.UNTIL: operators.until}


class MetricSolver:
    """Solves the bodies of metric rules over facts that a subclass looks up."""

    def matching(self, signature: Signature, pattern: Sequence[Const | Var], rank: int | None = None) -> list[Ground]:
        """The facts of a predicate that hold at some time and match a pattern."""
        raise NotImplementedError

    def times(self, signature: Signature, args: Ground, rank: int | None = None) -> Times:
        """The times at which a fact holds."""
        raise NotImplementedError

    def ground(self, atom: Atom, binding: Binding) -> Ground:
        """The arguments of an atom, with variables replaced by values."""
        return tuple(binding[arg.name] if isinstance(arg, Var) else arg for arg in atom.args)

    def holds(self, atom: MetricAtom, binding: Binding, rank: int | None = None) -> Times:
        """The times at which a metric atom without unbound variables holds."""
        match atom:
            case Atom():
                return self.times(atom.signature, self.ground(atom, binding), rank)
            case Truth():
                return ALWAYS
            case Unary():
                return UNARY[atom.operator](atom.range, self.holds(atom.operand, binding, rank))
            case _:
                left, right = self.holds(atom.left, binding, rank), self.holds(atom.right, binding, rank)
                return BINARY[atom.operator](atom.range, left, right)

    def holds_for_some(self, atom: MetricAtom, binding: Binding, rank: int | None = None) -> Times:
        """The times at which a metric atom holds for some values of its unbound variables."""
        found = (self.holds(atom, one, rank) for one in self.extended(atom, binding, rank))
        return union(found)

    def extended(self, atom: MetricAtom, binding: Binding, rank: int | None = None) -> Iterator[Binding]:
        """All extensions of the binding for which the metric atom may hold."""
        for one in self.candidates(atom, binding, rank):
            yield from self.anyhow([atom], one, rank)

    def candidates(self, atom: MetricAtom, binding: Binding, rank: int | None = None) -> list[Binding]:
        """Extensions of the binding by facts, for the atoms without which the metric atom cannot hold."""
        found: list[Binding] = [binding]
        for part in binding_atoms(atom):
            found = [extended for one in found for extended in self.matches(part, one, rank)]
        return found

    def matches(self, atom: Atom, binding: Binding, rank: int | None = None) -> Iterator[Binding]:
        """All extensions of the binding for which the atom holds at some time."""
        pattern = [binding.get(arg.name, arg) if isinstance(arg, Var) else arg for arg in atom.args]
        for values in self.matching(atom.signature, pattern, rank):
            extended = dict(binding)
            if all(
                value == (arg if isinstance(arg, Const) else extended.setdefault(arg.name, value))
                for arg, value in zip(atom.args, values, strict=True)
            ):
                yield extended

    def anyhow(self, within: Iterable[MetricAtom], binding: Binding, rank: int | None = None) -> Iterator[Binding]:
        """Extensions of the binding with values for variables of left operands that nothing else binds: the values that
        occur at their places, and one that represents all others.
        """
        parts = [part for atom in within for part in atoms(atom)]
        free = sorted({v.name for part in parts for v in part.args if isinstance(v, Var)} - set(binding))
        domains = []
        for name in free:
            places = [(part, i) for part in parts for i, arg in enumerate(part.args) if arg == Var(name)]
            values = {
                args[i]: None
                for part, i in places
                for args in self.matching(part.signature, [Var(f"X{n}") for n in range(len(part.args))], rank)
            }
            domains.append([*values, SOMEBODY_ELSE])
        for chosen in product(*domains):
            yield {**binding, **dict(zip(free, chosen, strict=True))}

    def solutions(self, rule: MetricRule, start: Binding, rank: int | None = None) -> Iterator[tuple[Binding, Times]]:
        """The bindings of a rule, and the times at which the body holds for them."""
        conditions = [literal for literal in rule.body if isinstance(literal, Condition)]
        positive = [condition.atom for condition in conditions if not condition.negated]
        negative = [condition.atom for condition in conditions if condition.negated]
        comparisons = [literal for literal in rule.body if isinstance(literal, Comparison)]
        found: list[tuple[Binding, Times]] = [(start, ALWAYS)]
        for atom in positive:
            found = [(extended, held) for binding, held in found for extended in self.candidates(atom, binding, rank)]
        for literal in rule.body:
            if isinstance(literal, Aggregate):
                rows = list(self.aggregated(literal, start))
                found = [
                    ({**binding, **row}, held & during)
                    for binding, held in found
                    for row, during in rows
                    if all(binding.get(name, value) == value for name, value in row.items())
                ]
        for known, during in found:
            for binding in self.anyhow(positive, with_equations(comparisons, known), rank):
                if all(comparison_holds(comparison, binding) for comparison in comparisons):
                    held = intersection([during, *(self.holds(atom, binding, rank) for atom in positive)])
                    if held:
                        yield binding, held & ~union(self.holds_for_some(atom, binding, rank) for atom in negative)

    def aggregated(self, aggregate: Aggregate, start: Binding) -> Iterator[tuple[Binding, Times]]:
        """The results of an aggregate with the values of its grouping variables, and their times."""
        terms = [term.name for term in aggregate.terms]
        shared = sorted({v.name for v in atom_variables(aggregate.atom) if not v.is_anonymous} - set(terms))
        groups: dict[Ground, dict[Ground, Times]] = {}
        fixed = {name: start[name] for name in shared if name in start}
        for binding in self.extended(aggregate.atom, fixed):
            group = groups.setdefault(tuple(binding[name] for name in shared), {})
            values = tuple(binding[name] for name in terms)
            group[values] = group.get(values, NEVER) | self.holds(aggregate.atom, binding)
        yield from aggregate_results(aggregate, shared, groups)
