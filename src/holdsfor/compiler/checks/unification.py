"""Finds `=` in place of arithmetic (HF311), and the query time in rules about time-points (HF208)."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.analyse import Analysis
from holdsfor.diagnostics import Diagnostic, Severity
from holdsfor.ir import BackgroundRule, Call, Compare, IntervalRule, Literal, Rule, walk
from holdsfor.logic.interval_lists import QUERY_TIME
from holdsfor.logic.solver import Predicate
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term, Var, functor, is_number

_FUNCTIONS = frozenset({"+", "*", "/", "//", "mod", "rem", "**", "^", "abs", "min", "max", "sqrt", "floor", "round"})


def check_unification(analysis: Analysis) -> Iterator[Diagnostic]:
    """Finds conditions that resemble another one."""
    for rule in analysis.written.rules:
        for literal in walk(rule.body):
            if isinstance(literal, Compare) and literal.operator == "=":
                yield from _about_equation(literal)
    yield from _query_times(analysis)


def _about_equation(literal: Compare) -> Iterator[Diagnostic]:
    for one, other in ((literal.left, literal.right), (literal.right, literal.left)):
        if isinstance(one, Var) and _is_arithmetic(other):
            shown, computed = print_term(one), print_term(other)
            message = f"= does not compute: {shown} becomes the term {computed}"
            yield Diagnostic("HF311", Severity.WARNING, message, literal.span, f"did you mean {shown} is {computed}?")


def _is_arithmetic(term: Term) -> bool:
    """Whether a term is an arithmetic expression. `A-B` is one only with a number; otherwise it is a pair."""
    if not isinstance(term, Compound):
        return False
    if term.name == "-":
        return any(isinstance(arg, Const) and not isinstance(arg.value, str) for arg in term.args)
    is_known = term.name in _FUNCTIONS
    return is_known and all(isinstance(arg, Var) or is_number(arg) or _is_arithmetic(arg) for arg in term.args)


# The query time


def _query_times(analysis: Analysis) -> Iterator[Diagnostic]:
    """Finds rules about time-points that read the query time, directly or through background rules."""
    readers = _query_time_readers(analysis)
    for rule in analysis.program.rules:
        if isinstance(rule, BackgroundRule | IntervalRule) or QUERY_TIME not in readers:
            continue
        literal = next((one for one in walk(rule.body) if _called(one) in readers), None)
        if literal is not None:
            message = "the query time is not allowed here: the same events would have other effects at each query time"
            hint = "queryTime belongs into holdsFor rules and what they call; use the time-point of the rule here"
            yield Diagnostic("HF208", Severity.ERROR, message, literal.span, hint)


def _query_time_readers(analysis: Analysis) -> set[Predicate]:
    """`queryTime` and the background predicates that call it; empty if the program has facts of that name."""
    if analysis.background.defines(QUERY_TIME):
        return set()
    found: set[Predicate] = {QUERY_TIME}
    while True:
        more = {
            name
            for rule in analysis.program.background
            if (name := functor(rule.head)) is not None and _calls_any(rule, found)
        } - found
        if not more:
            return found
        found |= more


def _calls_any(rule: Rule, names: set[Predicate]) -> bool:
    return any(_called(literal) in names for literal in walk(rule.body))


def _called(literal: Literal) -> Predicate | None:
    return functor(literal.atom) if isinstance(literal, Call) else None
