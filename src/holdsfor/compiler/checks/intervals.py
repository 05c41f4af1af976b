"""Finds misplaced interval lists: a list in place of a list of lists or vice versa (HF112), or as a value (HF119)."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.places import span_of
from holdsfor.diagnostics import Diagnostic, Severity, Span
from holdsfor.ir import Algebra, IntervalRule, Intervals, walk
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import ListTerm, Term, Var, variables


def check_intervals(analysis: Analysis) -> Iterator[Diagnostic]:
    """Checks the inputs of interval operators."""
    for rule in analysis.written.intervals:
        yield from _check_rule(rule)
        yield from _check_values(rule)


def _check_rule(rule: IntervalRule) -> Iterator[Diagnostic]:
    operators = [literal for literal in walk(rule.body) if isinstance(literal, Algebra)]
    lists = {literal.out for literal in walk(rule.body) if isinstance(literal, Algebra | Intervals)}
    for literal in operators:
        for term in literal.inputs:
            match term:
                case ListTerm(items=(), tail=Var() as tail) if tail in lists:
                    message = f"expected a list of interval lists, found the intervals {print_term(tail)}"
                    yield _error(message, span_of(tail, literal.span), f"write [{print_term(tail)}]")
                case ListTerm(items=(first, *_)) if any(_is_variable_in(item, lists) for item in term.items):
                    message = f"expected one list of intervals, found the list {print_term(term)}"
                    hint = f"write {print_term(first)}, or combine them with union_all first"
                    yield _error(message, span_of(term, literal.span), hint)


def _check_values(rule: IntervalRule) -> Iterator[Diagnostic]:
    """Finds variables that stand both for intervals and for an argument or value of a fluent."""
    leaves = [literal for literal in walk(rule.body) if isinstance(literal, Intervals)]
    operators = [literal for literal in walk(rule.body) if isinstance(literal, Algebra)]
    lists = [rule.out, *(literal.out for literal in leaves), *(literal.out for literal in operators)]
    lists += [item for literal in operators for term in literal.inputs for item in _items(term)]
    names = {term.name for term in lists if isinstance(term, Var)}
    for pair, span in ((rule.fvp, rule.span), *((leaf.fvp, leaf.span) for leaf in leaves)):
        for variable in (*variables(pair.fluent), *variables(pair.value)):
            if variable.name in names:
                names.remove(variable.name)
                message = f"{variable.written} is an interval list elsewhere, and a value here"
                hint = "give the intervals a name of their own"
                yield Diagnostic("HF119", Severity.ERROR, message, span_of(variable, span), hint)


def _items(term: Term) -> tuple[Term, ...]:
    return term.items if isinstance(term, ListTerm) else (term,)


def _is_variable_in(term: Term, lists: set[Term]) -> bool:
    return isinstance(term, Var) and term in lists


def _error(message: str, span: Span, hint: str) -> Diagnostic:
    return Diagnostic("HF112", Severity.ERROR, message, span, hint)
