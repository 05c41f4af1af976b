"""Checks the positions and windows of sliding aggregates (HF210)."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor import ir
from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.places import span_of
from holdsfor.compiler.passes.sliding import bound_by, is_top
from holdsfor.diagnostics import Diagnostic, Severity, Span
from holdsfor.ir.sliding import TOP, TOP_USAGE, read_sliding, sliding_calls
from holdsfor.logic.arithmetic import ARITHMETIC_COMPARISONS, NoValue, Number, evaluate
from holdsfor.syntax.durations import is_duration, length_of
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Term, arguments, functor, variables


def check_sliding(analysis: Analysis) -> Iterator[Diagnostic]:
    """Checks the sliding aggregates of the rules as written."""
    owns_top = any(functor(rule.head) == TOP for rule in analysis.written.background)
    for rule in analysis.written.rules:
        yield from _misplaced(rule)
        for literal in ir.walk(rule.body):
            for call in _computed(literal):
                yield from _check_duration(call.name, read_sliding(call).duration, call.span)
        if any(is_top(literal, owns_top=owns_top) for literal in ir.walk(rule.body)):
            others = (one for one in ir.walk(rule.body) if not is_top(one, owns_top=owns_top))
            somewhere = frozenset(name for one in others for name in bound_by(one))
            yield from _check_tops(rule.body, frozenset(), somewhere, owns_top=owns_top)


def _computed(literal: ir.Literal) -> Iterator[Compound]:
    """The sliding aggregates in the expressions of a condition."""
    if isinstance(literal, ir.Assign) or (
        isinstance(literal, ir.Compare) and literal.operator in ARITHMETIC_COMPARISONS
    ):
        for term in ir.literal_terms(literal)[isinstance(literal, ir.Assign) :]:
            yield from sliding_calls(term)


def _misplaced(rule: ir.Rule) -> Iterator[Diagnostic]:
    """Finds sliding aggregates outside of expressions."""
    places: list[tuple[Term, ir.Literal | None]] = [(term, None) for term in ir.head_terms(rule)]
    for literal in ir.walk(rule.body):
        if not any(True for _ in _computed(literal)):
            places += [(term, literal) for term in ir.literal_terms(literal)]
    for term, where in places:
        for call in sliding_calls(term):
            message = f"{call.name} is not computed here"
            hint = f"write N is {print_term(call)} as a condition, and N here"
            if isinstance(where, ir.Compare):
                sign = {"=": "=:=", "==": "=:=", "\\=": "=\\=", "\\==": "=\\="}.get(where.operator)
                message = f"{where.operator} compares terms and does not compute {call.name}"
                hint = f"write {sign} to compare numbers" if sign else hint
            yield _error("HF206", message, span_of(call, where.span if where else rule.span), hint)


def _check_duration(name: str, duration: Term, span: Span) -> Iterator[Diagnostic]:
    value = _constant(duration)
    if value is not None and value <= 0:
        shown = duration.span.text or print_term(duration)
        message = f"the window of {name} must have a positive length, not {shown}"
        hint = "write how many time-points it has, such as 600, or 10 min in a program with a time unit"
        yield _error("HF210", message, span_of(duration, span), hint)


def _constant(term: Term) -> Number | None:
    if is_duration(term) and isinstance(term, Compound):
        return float(length_of(term))
    try:
        return evaluate(term, {})
    except NoValue:
        return None


def _check_tops(
    body: ir.Body, given: frozenset[str], somewhere: frozenset[str], *, owns_top: bool
) -> Iterator[Diagnostic]:
    """Checks each `top`, given the variables bound by earlier conditions and by any condition of the rule."""
    for literal in body:
        if isinstance(literal, ir.Call) and is_top(literal, owns_top=owns_top):
            yield from _check_top(literal, given, somewhere)
        for inner in ir.sub_bodies(literal):
            # Branches see the bindings of the conditions before them, and `then` sees the bindings of its test.
            yield from _check_tops(inner, given, somewhere, owns_top=owns_top)
        given |= bound_by(literal)


def _check_top(literal: ir.Call, given: frozenset[str], somewhere: frozenset[str]) -> Iterator[Diagnostic]:
    most, by, _, duration, time = arguments(literal.atom)
    yield from _check_duration("top", duration, literal.span)
    value = _constant(most)
    if value is not None and (value < 1 or value != int(value)):
        message = f"top keeps a positive whole number of events, not {most.span.text or print_term(most)}"
        yield _error("HF210", message, span_of(most, literal.span), f"write {TOP_USAGE}, with K such as 3")
    late = next((variable for variable in variables(time) if variable.name not in given), None)
    if late is not None and late.name in somewhere:
        message = f"top comes before the condition that binds {late.written}"
        hint = "put it after the event of the rule: the variables that are bound there select the events"
        yield _error("HF210", message, span_of(time, literal.span), hint)
        return
    fixed = next((variable for variable in variables(by) if variable.name in given), None)
    if fixed is not None and all(variable.name in given for variable in variables(by)):
        message = f"top ranks by {print_term(by)}, which is already bound, so all events rank equally"
        hint = f"write another variable for {fixed.written} in top, and compare the two behind it"
        yield _error("HF210", message, span_of(by, literal.span), hint)


def _error(code: str, message: str, span: Span, hint: str) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, message, span, hint)
