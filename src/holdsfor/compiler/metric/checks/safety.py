"""Unbound variables (HF612), and variables of aggregates used outside them (HF608)."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.analysis.similar import suggest
from holdsfor.diagnostics import Diagnostic, Fix, Severity
from holdsfor.ir import metric
from holdsfor.ir.metric import MetricLiteral, MetricProgram, MetricRule
from holdsfor.syntax.terms import Var, variables


def check_safety(program: MetricProgram) -> Iterator[Diagnostic]:
    """Checks that each variable of a head, comparison, negation or aggregate is bound.

    A positive condition binds its variables, except those that only the left operand of `Since` or `Until` contains. An
    equation binds the variable on one side if the other side is bound.
    """
    for rule in program.rules:
        yield from _Rule(rule).findings()


class _Rule:
    def __init__(self, rule: MetricRule) -> None:
        self._rule = rule
        self._bound = _bound(rule.body)
        self._reported: set[str] = set()

    def findings(self) -> Iterator[Diagnostic]:
        for literal in self._rule.body:
            match literal:
                case metric.Aggregate():
                    yield from self._aggregate(literal)
                case metric.Comparison():
                    self._wait_for_equation(literal)
                    for variable in (*variables(literal.left), *variables(literal.right)):
                        yield from self._value(variable, "in this comparison")
                case metric.Condition(negated=True):
                    for variable in metric.atom_variables(literal.atom):
                        if not variable.is_anonymous:
                            yield from self._value(variable, "under not")
        for arg in self._rule.head.args:
            if isinstance(arg, Var):
                yield from self._value(arg, "in the head")

    def _wait_for_equation(self, comparison: metric.Comparison) -> None:
        """Does not blame a variable that an equation would bind, if the other side of the equation is unbound."""
        if comparison.comparator is not metric.Comparator.EQUAL:
            return
        for side, other in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
            lacking = {variable.name for variable in variables(other)} - self._bound
            if isinstance(side, Var) and lacking - {side.name} and not isinstance(other, Var):
                self._reported.add(side.name)

    def _value(self, variable: Var, where: str) -> Iterator[Diagnostic]:
        name = variable.name
        if name in self._bound or name in self._reported:
            return
        self._reported.add(name)
        if variable.is_anonymous:
            hint = "give the variable a name, and a condition that has it too"
            yield Diagnostic("HF612", Severity.ERROR, f"_ {where} is unbound", variable.span, hint)
            return
        message = f"{name} is unbound {where}"
        hint, meant = self._advice(name, where)
        fix = None if meant is None else Fix(variable.span, meant)
        yield Diagnostic("HF612", Severity.ERROR, message, variable.span, hint, fix=fix)

    def _advice(self, name: str, where: str) -> tuple[str, str | None]:
        """The advice, and the corrected variable if renaming suffices."""
        for literal in self._rule.body:
            if isinstance(literal, metric.Aggregate) and any(term.name == name for term in literal.terms):
                return f"{name} is local to {literal.function}; use {literal.result.name}", None
        positive = [item.atom for item in self._rule.body if isinstance(item, metric.Condition) and not item.negated]
        if any(variable.name == name for atom in positive for variable in metric.atom_variables(atom)):
            return (
                f"the left side of Since and Until may hold for no time at all; add a condition that has {name}",
                None,
            )
        close = suggest(name, sorted(self._bound))
        if close is not None:
            return f"did you mean {close}?", close
        if where == "under not":
            return f"add a condition without not that has {name}, or write _ for any value", None
        return f"add a condition that has {name}", None

    def _aggregate(self, aggregate: metric.Aggregate) -> Iterator[Diagnostic]:
        inside = {variable.name for variable in metric.binding_variables(aggregate.atom)}
        for variable in (*aggregate.terms, *metric.atom_variables(aggregate.atom)):
            if not variable.is_anonymous and variable.name not in inside | self._reported:
                self._reported.add(variable.name)
                message = f"{variable.name} is unbound in {aggregate.function}"
                hint = f"its condition must have {variable.name}, and not only on the left of Since or Until"
                yield Diagnostic("HF612", Severity.ERROR, message, variable.span, hint)
        outside = {variable.name for item in self._rule.body if item is not aggregate for variable in _all(item)}
        for term in dict.fromkeys(aggregate.terms):
            if term.name in outside:
                message = f"{term.name} is local to {aggregate.function}, but it is also used outside"
                hint = "give one of them another name"
                yield Diagnostic("HF608", Severity.ERROR, message, term.span, hint)


def _all(literal: MetricLiteral) -> Iterator[Var]:
    """All variables of a condition."""
    match literal:
        case metric.Comparison():
            yield from variables(literal.left)
            yield from variables(literal.right)
        case metric.Aggregate():
            yield literal.result
            local = {term.name for term in literal.terms}
            yield from (variable for variable in metric.atom_variables(literal.atom) if variable.name not in local)
        case metric.Condition():
            yield from metric.atom_variables(literal.atom)


def _bound(body: tuple[MetricLiteral, ...]) -> set[str]:
    """The names of the bound variables."""
    bound: set[str] = set()
    for literal in body:
        if isinstance(literal, metric.Aggregate):
            inside = {variable.name for variable in metric.binding_variables(literal.atom)}
            bound |= (inside - {term.name for term in literal.terms}) | {literal.result.name}
        elif isinstance(literal, metric.Condition) and not literal.negated:
            bound |= {variable.name for variable in metric.binding_variables(literal.atom)}
    equations = [
        item for item in body if isinstance(item, metric.Comparison) and item.comparator is metric.Comparator.EQUAL
    ]
    for _ in equations:
        for equation in equations:
            for side, other in ((equation.left, equation.right), (equation.right, equation.left)):
                if isinstance(side, Var) and all(variable.name in bound for variable in variables(other)):
                    bound.add(side.name)
    return bound
