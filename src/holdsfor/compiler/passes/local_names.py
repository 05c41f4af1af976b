"""Gives local variables unique names.

A variable that occurs inside negations and `findall`s only belongs to each of them by itself, so that the same name may
stand for another variable in the next one:

    \\+ (happensAt(off(X), T0), T - T0 < 5), \\+ (happensAt(put(X), T0), T - T0 < 5)

Later parts of the compiler, and the evaluators, see two variables. People see the name that was written.
"""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace

from holdsfor import ir
from holdsfor.ir.renaming import renamed
from holdsfor.syntax.terms import Term, marked, variables


def rename_local_variables(program: ir.Program) -> ir.Program:
    """The program without names that two negations or `findall`s of one rule share by chance."""
    rules = tuple(_renamed_rule(rule) for rule in program.rules)
    if all(new is old for new, old in zip(rules, program.rules, strict=True)):
        return program
    return replace(program, rules=rules)


def _renamed_rule(rule: ir.Rule) -> ir.Rule:
    scopes = sum(isinstance(literal, ir.Not | ir.FindAll) for literal in ir.walk(rule.body))
    if scopes < 2:
        return rule
    namer = _Namer(rule)
    body = namer.scope(rule.body, frozenset(_names(*ir.head_terms(rule))))
    return replace(rule, body=body) if namer.has_renamed else rule


class _Namer:
    """Renames the local variables of one rule."""

    def __init__(self, rule: ir.Rule) -> None:
        self._count = Counter(variable.name for variable in ir.rule_variables(rule))
        self._used: set[str] = set()
        self.has_renamed = False

    def scope(self, body: ir.Body, owned: frozenset[str]) -> ir.Body:
        """Renames the variables of a body, except those that its surroundings own."""
        owned |= _direct(body)
        return tuple(self._literal(literal, owned) for literal in body)

    def _literal(self, literal: ir.Literal, owned: frozenset[str]) -> ir.Literal:
        match literal:
            case ir.Not(body=body):
                names = self._fresh(_direct(body) - owned)
                return replace(literal, body=self.scope(renamed(body, names), owned))
            case ir.FindAll(template=template, body=body):
                local = _direct(body) | _names(template)
                names = self._fresh(local - owned)
                inner = owned | {names.get(name, name) for name in local}
                return replace(literal, template=renamed(template, names), body=self.scope(renamed(body, names), inner))
            case ir.Or(branches=branches):
                around = owned - self._private(literal)
                return replace(literal, branches=tuple(self.scope(branch, around) for branch in branches))
            case ir.IfThenElse(condition=condition, then=then, otherwise=otherwise):
                around = owned - self._private(literal)
                first = self.scope((*condition, *then), around)
                rest = None if otherwise is None else self.scope(otherwise, around)
                cut = len(condition)
                return replace(literal, condition=first[:cut], then=first[cut:], otherwise=rest)
            case _:
                return literal

    def _private(self, literal: ir.Literal) -> frozenset[str]:
        """The variables that occur only in this literal. Alternative branches do not share them."""
        inside = Counter(variable.name for variable in ir.literal_variables(literal))
        return frozenset(name for name, count in inside.items() if count == self._count[name])

    def _fresh(self, names: frozenset[str]) -> dict[str, str]:
        """Names that no other part of the rule uses. The first part keeps the written names."""
        found: dict[str, str] = {}
        for name in sorted(names & self._used):
            numbered = (marked(name, number) for number in itertools.count(2))
            found[name] = next(other for other in numbered if other not in self._used)
            self._count[found[name]] = self._count[name]
            self.has_renamed = True
        self._used |= {found.get(name, name) for name in names}
        return found


def _direct(body: ir.Body) -> frozenset[str]:
    """The variables of a body outside of its negations and `findall`s."""
    found: set[str] = set()
    for literal in body:
        terms = (literal.result,) if isinstance(literal, ir.FindAll) else ir.literal_terms(literal)
        found |= _names(*terms)
        if isinstance(literal, ir.Or | ir.IfThenElse):
            for inner in ir.sub_bodies(literal):
                found |= _direct(inner)
    return frozenset(found)


def _names(*terms: Term) -> frozenset[str]:
    return frozenset(variable.name for term in terms for variable in variables(term))
