"""Unfolds background rules with temporal conditions into the rules that call them.

A helper such as `close(A, B, T) :- holdsAt(distance(A,B)=D, T), D < 5` disappears, so that its dependencies become
visible. Recursive helpers stay.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

from holdsfor import ir
from holdsfor.compiler.analysis.graphs import strong_components
from holdsfor.compiler.passes.rename import rename_body
from holdsfor.logic.unify import substitute
from holdsfor.syntax.terms import Term, Var, arguments, functor, marked

Predicate = tuple[str, int]


def unfold_temporal_helpers(program: ir.Program) -> ir.Program:
    """The program without background rules that read events or fluents."""
    helpers = _helpers(program)
    if not helpers:
        return program
    unfolder = _Unfolder(helpers)
    rules: list[ir.Rule] = []
    for rule in program.rules:
        if isinstance(rule, ir.BackgroundRule) and functor(rule.head) in helpers:
            continue
        rules.append(replace(rule, body=unfolder.body(rule.body)) if rule.body else rule)
    return replace(program, rules=tuple(rules))


def _helpers(program: ir.Program) -> dict[Predicate, list[ir.BackgroundRule]]:
    by_name: dict[Predicate, list[ir.BackgroundRule]] = {}
    for rule in program.background:
        name = functor(rule.head)
        assert name is not None
        by_name.setdefault(name, []).append(rule)
    calls = {name: list(_called(rules, by_name)) for name, rules in by_name.items()}
    temporal: set[Predicate] = set()
    # Callees come last in the order, so that a caller of a helper becomes a helper too.
    for component in reversed(strong_components(calls)):
        recursive = len(component) > 1 or component[0] in calls[component[0]]
        reads = any(_is_temporal(rule) for name in component for rule in by_name[name])
        if not recursive and (reads or temporal & set(calls[component[0]])):
            temporal.update(component)
    return {name: by_name[name] for name in by_name if name in temporal}


def _called(rules: list[ir.BackgroundRule], by_name: dict[Predicate, list[ir.BackgroundRule]]) -> Iterator[Predicate]:
    for rule in rules:
        for literal in ir.walk(rule.body):
            if isinstance(literal, ir.Call) and (name := functor(literal.atom)) in by_name and name is not None:
                yield name


def _is_temporal(rule: ir.BackgroundRule) -> bool:
    return any(
        isinstance(lit, ir.Happens | ir.Boundary | ir.Holds | ir.Effect | ir.Intervals | ir.Algebra)
        for lit in ir.walk(rule.body)
    )


class _Unfolder:
    def __init__(self, helpers: dict[Predicate, list[ir.BackgroundRule]]) -> None:
        self._helpers = helpers
        self._fresh = itertools.count(1)

    def body(self, body: ir.Body) -> ir.Body:
        return tuple(unfolded for literal in body for unfolded in self._literal(literal))

    def _literal(self, literal: ir.Literal) -> ir.Body:
        match literal:
            case ir.Call(atom=atom) if functor(atom) in self._helpers:
                return self._call(literal)
            case _:
                return (ir.with_bodies(literal, self.body),)

    def _call(self, literal: ir.Call) -> ir.Body:
        name = functor(literal.atom)
        assert name is not None
        branches = [self._instance(rule, literal) for rule in self._helpers[name]]
        return branches[0] if len(branches) == 1 else (ir.Or(tuple(branches), literal.span),)

    def _instance(self, rule: ir.BackgroundRule, call: ir.Call) -> ir.Body:
        """A helper's body for one call. Arguments are passed by renaming if possible, otherwise by an equation."""
        number = next(self._fresh)
        apart: dict[str, Term] = {}
        for variable in ir.rule_variables(rule):
            apart.setdefault(variable.name, Var(marked(variable.name, f"call{number}"), variable.span))
        equations: list[ir.Literal] = []
        passed: set[str] = set()
        for formal, actual in zip(arguments(rule.head), arguments(call.atom), strict=True):
            if isinstance(formal, Var) and formal.name not in passed:
                apart[formal.name] = actual
                passed.add(formal.name)
            else:
                equations.append(ir.Compare("=", actual, substitute(formal, apart), call.span))
        return (*equations, *self.body(rename_body(rule.body, apart)))
