"""Rules whose conditions contradict each other (HF301)."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.analyse import Analysis
from holdsfor.diagnostics import Diagnostic, Label, Severity
from holdsfor.ir import (
    Assign,
    BackgroundRule,
    Body,
    Call,
    Compare,
    Declaration,
    Effect,
    EffectKind,
    EventRule,
    Fvp,
    Happens,
    Holds,
    Literal,
    Not,
    Or,
    Rule,
)
from holdsfor.logic.arithmetic import ARITHMETIC_COMPARISONS, EvaluationError, compare_numbers, evaluate
from holdsfor.logic.library import LIBRARY
from holdsfor.logic.order import ORDER_COMPARISONS
from holdsfor.logic.solver import Solver
from holdsfor.logic.unify import is_ground
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Const, Term, Var, arguments, functor

_UPPER, _LOWER = {"<", "=<"}, {">", ">="}
_MIRRORED = {"<": ">", "=<": ">=", ">": "<", ">=": "=<"}


def check_firing(analysis: Analysis) -> Iterator[Diagnostic]:
    """Rules that can never fire."""
    solver = analysis.background.solver()
    for rule in analysis.program.rules:
        if isinstance(rule, BackgroundRule | Declaration) or id(rule) in analysis.skipped:
            continue
        found = _contradiction(rule.body, analysis, solver)
        if found is not None:
            literal, reason, other = found
            labels = (Label(other.span, "contradicts this"),) if other is not None else ()
            yield Diagnostic(
                "HF301", Severity.WARNING, f"this rule can never fire: {reason}", literal.span, _hint(rule), labels
            )


def _hint(rule: Rule) -> str:
    return (
        "remove the rule or correct the condition"
        if isinstance(rule, EventRule)
        else "correct the condition, or remove the rule"
    )


def _contradiction(body: Body, analysis: Analysis, solver: Solver) -> tuple[Literal, str, Literal | None] | None:
    for literal in body:
        reason = _impossible(literal, analysis, solver)
        if reason is not None:
            return literal, reason, None
    return _two_values(body) or _both_ways(body) or _empty_range(body)


def _impossible(literal: Literal, analysis: Analysis, solver: Solver) -> str | None:
    match literal:
        case Compare(operator=operator, left=left, right=right) if is_ground(left) and is_ground(right):
            return None if _is_true(operator, left, right) else "this comparison is false"
        case Call(atom=atom):
            return _no_answer(atom, analysis, solver)
        case Effect(kind=EffectKind.INITIATED, fvp=fvp) | Holds(fvp=fvp):
            return _never_given(fvp, analysis)
        case Or(branches=branches):
            found = [_contradiction(branch, analysis, solver) for branch in branches]
            return "none of the alternatives can hold" if all(item is not None for item in found) else None
        case _:
            return None


def _never_given(fvp: Fvp, analysis: Analysis) -> str | None:
    entity = analysis.entities[analysis.entities.fluent(fvp.fluent)]
    if not entity.rules or entity.has_variable_value or not isinstance(fvp.value, Const) or fvp.value in entity.values:
        return None
    return f"nothing ever makes {entity.symbol.label} {print_term(fvp.value)}"


def _is_true(operator: str, left: Term, right: Term) -> bool:
    try:
        if operator in ARITHMETIC_COMPARISONS:
            return compare_numbers(operator, evaluate(left, {}), evaluate(right, {}))
    except EvaluationError:
        return True
    if operator in ("=", "\\="):
        return (left == right) is (operator == "=")
    return ORDER_COMPARISONS[operator](left, right)


def _no_answer(atom: Term, analysis: Analysis, solver: Solver) -> str | None:
    """A background condition whose constants no fact has."""
    name = functor(atom)
    assert name is not None
    if name in LIBRARY or analysis.background.needs(name) or not analysis.background.defines(name):
        return None
    if not any(isinstance(arg, Const) for arg in arguments(atom)):
        return None
    try:
        if next(solver.answers(name, atom), None) is None:
            return f"no {name[0]}/{name[1]} fact matches"
    except (EvaluationError, RecursionError):
        return None
    return None


def _two_values(body: Body) -> tuple[Literal, str, Literal | None] | None:
    """`holdsAt(f=a, T), holdsAt(f=b, T)`: a fluent has one value at a time."""
    seen: dict[tuple[Term, Term], Holds] = {}
    for literal in body:
        if isinstance(literal, Holds) and isinstance(literal.fvp.value, Const):
            other = seen.setdefault((literal.fvp.fluent, literal.time), literal)
            if other.fvp.value != literal.fvp.value:
                return literal, "a fluent has one value at a time", other
    return None


def _both_ways(body: Body) -> tuple[Literal, str, Literal | None] | None:
    """A condition and its negation."""
    positive = {literal: literal for literal in body if isinstance(literal, Happens | Holds | Call | Effect)}
    for literal in body:
        if isinstance(literal, Not) and len(literal.body) == 1 and literal.body[0] in positive:
            return literal, "the same condition must hold and not hold", positive[literal.body[0]]
    return None


def _empty_range(body: Body) -> tuple[Literal, str, Literal | None] | None:
    """Numeric bounds that leave nothing, such as `S > 5, S < 3`."""
    assigned = {lit.target for lit in body if isinstance(lit, Assign)}
    upper: dict[Var, tuple[float, bool, Compare]] = {}
    lower: dict[Var, tuple[float, bool, Compare]] = {}
    for literal in body:
        bound = _bound(literal)
        if bound is None or bound[0] in assigned:
            continue
        variable, operator, value = bound
        assert isinstance(literal, Compare)
        strict = operator in ("<", ">")
        table, better = (upper, min) if operator in _UPPER else (lower, max)
        known = table.get(variable)
        if known is None or better(known[0], value) == value:
            table[variable] = (value, strict, literal)
    for variable, (high, high_strict, one) in upper.items():
        if variable in lower:
            low, low_strict, two = lower[variable]
            if low > high or (low == high and (low_strict or high_strict)):
                later, earlier = (one, two) if one.span.start >= two.span.start else (two, one)
                return later, f"no number {variable.name} satisfies both bounds", earlier
    return None


def _bound(literal: Literal) -> tuple[Var, str, float] | None:
    if not isinstance(literal, Compare) or literal.operator not in _UPPER | _LOWER:
        return None
    left, right = literal.left, literal.right
    if isinstance(left, Var) and isinstance(right, Const) and not isinstance(right.value, str):
        return left, literal.operator, right.value
    if isinstance(right, Var) and isinstance(left, Const) and not isinstance(left.value, str):
        return right, _MIRRORED[literal.operator], left.value
    return None
