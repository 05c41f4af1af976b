"""Queries with constants, such as `P(a, X)`: only the facts that they need are evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Bools, Ints
from holdsfor.columns.metric.facts import Facts, FactSet, Repeating, Signature, maximal, stacked
from holdsfor.compiler.metric.goals import GoalPlan, goal_plan
from holdsfor.compiler.metric.plan import MetricPlan
from holdsfor.compiler.metric.rules import Relation
from holdsfor.diagnostics import HoldsforError, Source
from holdsfor.frontend.dmtl import parse_metric
from holdsfor.ir.metric import Atom, Condition
from holdsfor.syntax.terms import Const, Term, Var


def read_goal(text: str) -> Atom:
    """A goal: an atom with constants and variables."""
    program = parse_metric([Source("--query", f"Query :- {text}")])
    literal = program.rules[0].body[0] if len(program.rules) == 1 and len(program.rules[0].body) == 1 else None
    if (
        program.diagnostics
        or not isinstance(literal, Condition)
        or not isinstance(literal.atom, Atom)
        or literal.negated
    ):
        raise HoldsforError(f"a query is a predicate with constants and variables such as P(a, X), not {text!r}")
    return literal.atom


def goals_of(plan: MetricPlan, query: str | Iterable[str] | None) -> tuple[Atom, ...]:
    """The goals of a query, if one of them has a constant; the name of a predicate stands for all its facts."""
    texts = [] if query is None else [query] if isinstance(query, str) else list(query)
    found: list[Atom] = []
    for text in texts:
        if "(" in text:
            found.append(read_goal(text))
        else:
            same = [relation for relation in plan.outputs if relation.name == text]
            found += [Atom(one.name, tuple(Var("_") for _ in range(one.arity))) for one in same]
    return tuple(found) if any(isinstance(arg, Const) for atom in found for arg in atom.args) else ()


@dataclass(frozen=True)
class Goals:
    """Goals, and the plan of the rules that they need."""

    atoms: tuple[Atom, ...]
    made: GoalPlan

    @classmethod
    def of(cls, plan: MetricPlan, atoms: tuple[Atom, ...], *, is_stream: bool) -> Goals:
        """The plan of some goals."""
        return cls(atoms, goal_plan(plan, atoms, is_stream=is_stream))

    def read(self, facts: FactSet, dictionary: Dictionary) -> FactSet:
        """The facts that can contribute to an answer."""
        filters = {(relation.name, relation.arity): places for relation, places in self.made.filters.items()}
        tables = {
            signature: table if signature not in filters else _filtered(table, filters[signature], dictionary)
            for signature, table in facts.tables.items()
        }
        return replace(facts, tables=tables)

    def answers(self, found: FactSet, dictionary: Dictionary) -> FactSet:
        """The facts that match the goals, by the names of their predicates."""
        tables: dict[Signature, list[Facts]] = {}
        repeats: dict[Signature, list[Repeating]] = {}
        for output, predicate in self.made.predicates.items():
            signature, known = _signature(predicate), _signature(output)
            tables.setdefault(signature, []).append(self.of_output(output, found.tables[known], dictionary))
            if known in found.repeats:
                one = found.repeats[known]
                rows = self._rows_of_output(output, one.facts, dictionary)
                repeats.setdefault(signature, []).append(Repeating(one.facts.take(rows), one.period[rows]))
        together = {
            name: Repeating(stacked([one.facts for one in parts]), np.concatenate([one.period for one in parts]))
            for name, parts in repeats.items()
        }
        return FactSet(found.scale, {name: maximal(parts) for name, parts in tables.items()}, found.dated, together)

    def chosen(self, found: FactSet, dictionary: Dictionary) -> FactSet:
        """The facts that match the goals, of facts by the names of their predicates."""
        tables = {}
        for signature, table in found.tables.items():
            atoms = [atom for atom in self.atoms if atom.signature == signature]
            tables[signature] = table.take(np.flatnonzero(_agreeing(atoms, table, dictionary)))
        return FactSet(found.scale, tables, found.dated)

    def of_output(self, output: Relation, facts: Facts, dictionary: Dictionary) -> Facts:
        """The facts of an output that match a goal, without those that an earlier output has reported."""
        return facts.take(self._rows_of_output(output, facts, dictionary))

    def _rows_of_output(self, output: Relation, facts: Facts, dictionary: Dictionary) -> Ints:
        predicate = _signature(self.made.predicates[output])
        place = list(self.made.predicates).index(output)
        before = set(list(self.made.predicates)[:place])
        of_predicate = [
            (atom, made)
            for atom, made in zip(self.atoms, self.made.answered_by, strict=True)
            if atom.signature == predicate
        ]
        own = [atom for atom, made in of_predicate if made == output]
        others = [atom for atom, made in of_predicate if made in before]
        wanted = _agreeing(own, facts, dictionary) & ~_agreeing(others, facts, dictionary)
        return np.flatnonzero(wanted)


def _agreeing(atoms: Iterable[Atom], facts: Facts, dictionary: Dictionary) -> Bools:
    """The rows that match some goal."""
    wanted = np.zeros(facts.rows, np.bool_)
    for atom in atoms:
        agrees = np.ones(facts.rows, np.bool_)
        names: dict[str, int] = {}
        for place, arg in enumerate(atom.args):
            if isinstance(arg, Const):
                agrees &= facts.args[place] == dictionary.find(arg.value)
            elif not arg.is_anonymous and arg.name in names:
                agrees &= facts.args[place] == facts.args[names[arg.name]]
            else:
                names[arg.name] = place
        wanted |= agrees
    return wanted


def _signature(relation: Relation) -> Signature:
    return relation.name, relation.arity


def _filtered(table: Facts, places: Mapping[int, frozenset[Term]], dictionary: Dictionary) -> Facts:
    wanted = np.zeros(table.rows, np.bool_)
    for place, values in places.items():
        codes = [dictionary.find(value.value) for value in values if isinstance(value, Const)]
        wanted |= np.isin(table.args[place], codes)
    return table.take(np.flatnonzero(wanted))
