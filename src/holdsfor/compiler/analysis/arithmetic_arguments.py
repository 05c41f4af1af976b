"""Finds event arguments that rules use only in arithmetic, and which therefore stay plain numbers without codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.ir import Assign, Body, Compare, FindAll, Happens, Program, Rule, rule_variables, walk
from holdsfor.logic.arithmetic import ARITHMETIC_COMPARISONS
from holdsfor.syntax.terms import Compound, Var, functor, variables

ArithmeticArguments: TypeAlias = Mapping[Symbol, frozenset[int]]
"""Argument positions by event."""


def arithmetic_arguments(program: Program) -> ArithmeticArguments:
    """The arguments that every rule ignores, or uses only in comparisons and arithmetic.

    Metric rules join everything they read, and collected rows must be distinguishable. Such arguments do not qualify.
    """
    places: dict[Symbol, set[int]] = {}
    if program.metric.rules:
        return {}
    for rule in program.rules:
        only_in_arithmetic = _only_in_arithmetic(rule)
        collected = {id(literal) for inner in _collected(rule.body) for literal in walk(inner)}
        for literal in walk(rule.body):
            if isinstance(literal, Happens) and isinstance(literal.event, Compound):
                args = literal.event.args
                name = functor(literal.event)
                assert name is not None
                fine = {
                    place for place, arg in enumerate(args) if isinstance(arg, Var) and arg.name in only_in_arithmetic
                }
                if id(literal) in collected:
                    fine = set()
                places.setdefault(Symbol(EntityKind.EVENT, *name), set(range(len(args)))).intersection_update(fine)
    return {symbol: frozenset(found) for symbol, found in places.items() if found}


def _only_in_arithmetic(rule: Rule) -> set[str]:
    """The variables that occur at one place only, apart from arithmetic."""
    places = Counter(variable.name for variable in rule_variables(rule))
    for literal in walk(rule.body):
        if isinstance(literal, Compare) and literal.operator in ARITHMETIC_COMPARISONS:
            places.subtract(variable.name for term in (literal.left, literal.right) for variable in variables(term))
        elif isinstance(literal, Assign):
            places.subtract(variable.name for variable in variables(literal.expression))
    return {name for name, count in places.items() if count == 1}


def _collected(body: Body) -> Iterator[Body]:
    for literal in walk(body):
        if isinstance(literal, FindAll):
            yield literal.body
