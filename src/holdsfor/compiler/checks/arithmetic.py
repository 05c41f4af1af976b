"""Arithmetic that never has a value, for any data (HF206)."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.places import other_name, other_text, span_of
from holdsfor.compiler.analysis.similar import suggest
from holdsfor.diagnostics import Diagnostic, Fix, Severity, Span
from holdsfor.ir import DURATIONS, Algebra, Assign, Compare, Literal, Rule, rule_variables, walk
from holdsfor.ir.calendar import CONDITIONS as CALENDAR
from holdsfor.ir.calendar import USAGE
from holdsfor.ir.sliding import SLIDING_NAMES, SlidingKind, read_sliding, sliding_arity, sliding_calls
from holdsfor.logic.arithmetic import ARITHMETIC_COMPARISONS, CONSTANTS, FUNCTIONS
from holdsfor.syntax.durations import is_duration
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var, functor


def check_arithmetic(analysis: Analysis) -> Iterator[Diagnostic]:
    """Finds names and unknown functions in place of numbers."""
    for rule in analysis.written.rules:
        for literal in walk(rule.body):
            yield from _check_literal(literal, rule)


def _check_literal(literal: Literal, rule: Rule) -> Iterator[Diagnostic]:
    if isinstance(literal, Compare) and literal.operator in ARITHMETIC_COMPARISONS:
        sides: tuple[Term, ...] = (literal.left, literal.right)
        for_names = {"=:=": "=", "=\\=": "\\="}.get(literal.operator, f"@{literal.operator}")
        hint = f"{literal.operator} compares numbers; for names there is {for_names}"
    elif isinstance(literal, Assign):
        sides, hint = (literal.expression,), "only numbers can be computed with"
        if not isinstance(literal.target, Var | Const):
            message = f"{print_term(literal.target)} is in place of the result of is"
            span = span_of(literal.target, literal.span)
            yield _error(message, span, "the variable comes first: write Result is Expression")
            return
    elif isinstance(literal, Algebra) and literal.bound is not None and literal.operator in DURATIONS:
        sides, hint = (literal.bound,), "a duration is a number of time-points"
    else:
        return
    for length in (read_sliding(call).duration for side in sides for call in sliding_calls(side)):
        found = next(_faults(length), None)
        if found is not None:
            yield _fault(found, rule, span_of(found, literal.span), "the length of a window is a number of time-points")
            return
    for side in sides:
        found = next(_faults(side), None)
        if found is not None:
            yield _fault(found, rule, span_of(found, literal.span), hint)
            return


def _faults(term: Term) -> Iterator[Term]:
    match term:
        case Const(value=str() as value) if value not in CONSTANTS:
            yield term
        case ListTerm():
            yield term
        case Compound(name=name) if name in SLIDING_NAMES:
            call = read_sliding(term)
            if call.item is not None and call.kind is not SlidingKind.DISTINCT:
                yield from _faults(call.item)
        case Compound(args=args) if not is_duration(term):
            if functor(term) not in FUNCTIONS:
                yield term
            for arg in args:
                yield from _faults(arg)


def _fault(term: Term, rule: Rule, span: Span, hint: str) -> Diagnostic:
    if isinstance(term, Compound) and (term.name, len(term.args) + 1) in CALENDAR:
        usage = USAGE[term.name]
        result = usage.partition(", ")[2].rstrip(")")
        hint = f"write {usage} as a condition, and then {result}"
        return _error(f"{term.name} is a condition, not a function", span, hint)
    if isinstance(term, Compound):
        known = [name for name, arity in FUNCTIONS if arity == len(term.args)]
        known += [name for name in sorted(SLIDING_NAMES) if sliding_arity(name) == len(term.args)]
        close = suggest(term.name, known, cutoff=0.6)
        names = ", ".join(sorted({name for name in known if name.isalpha() or name in SLIDING_NAMES}))
        message = f"{term.name}/{len(term.args)} is not an arithmetic function"
        fix = other_name(span, close) if close and close.isidentifier() and term.name.isidentifier() else None
        return _error(message, span, f"did you mean {close}?" if close else f"there are {names}", fix)
    variables = {variable.name.lower(): variable.name for variable in rule_variables(rule)}
    if isinstance(term, Const) and str(term.value).lower() in variables:
        meant = variables[str(term.value).lower()]
        hint = f"did you mean {meant}? A small letter makes it a constant"
        return _error(f"{print_term(term)} is not a number", span, hint, other_text(term.span, meant))
    return _error(f"{print_term(term)} is not a number", span, hint)


def _error(message: str, span: Span, hint: str, fix: Fix | None = None) -> Diagnostic:
    return Diagnostic("HF206", Severity.ERROR, message, span, hint, fix=fix)
