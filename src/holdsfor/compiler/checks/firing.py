"""Finds rules whose conditions contradict each other (HF301)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from holdsfor import ir
from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import EntityKind
from holdsfor.diagnostics import Diagnostic, RelatedSpan, Severity
from holdsfor.logic.arithmetic import ARITHMETIC_COMPARISONS, EvaluationError, compare_numbers, evaluate
from holdsfor.logic.library import LIBRARY
from holdsfor.logic.order import ORDER_COMPARISONS
from holdsfor.logic.solver import Solver
from holdsfor.logic.unify import is_ground, unify
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term, Var, arguments, functor, variables

_UPPER, _LOWER, _EQUAL = {"<", "=<"}, {">", ">="}, {"=", "==", "=:="}
_IRREFLEXIVE = frozenset({"\\=", "\\==", "=\\=", "<", ">", "@<", "@>"})
_MIRRORED = {"<": ">", "=<": ">=", ">": "<", ">=": "=<"}


Contradiction = tuple[ir.Literal, str, ir.Literal | None]
"""The condition at fault, the reason, and the condition that it contradicts."""


def check_firing(analysis: Analysis) -> Iterator[Diagnostic]:
    """Finds rules that can never fire."""
    solver = analysis.background.solver()
    for rule in analysis.program.rules:
        if isinstance(rule, ir.BackgroundRule | ir.Declaration) or id(rule) in analysis.skipped:
            continue
        found = _contradiction(rule.body, analysis, solver)
        if found is not None:
            literal, reason, other = found
            labels = (RelatedSpan(other.span, "contradicts this"),) if other is not None else ()
            message = f"this rule can never fire: {reason}"
            yield Diagnostic("HF301", Severity.WARNING, message, literal.span, _hint(literal, rule, analysis), labels)


def _hint(literal: ir.Literal, rule: ir.Rule, analysis: Analysis) -> str:
    if isinstance(literal, ir.Compare) and literal.operator == "=" and isinstance(literal.left, Compound):
        names = {entity.symbol.name for entity in analysis.entities if entity.symbol.kind is EntityKind.FLUENT}
        if literal.left.name in names:
            pair = f"{print_term(literal.left)}={print_term(literal.right)}"
            time = print_term(rule.time) if isinstance(rule, ir.EffectRule | ir.EventRule) else "T"
            return f"it is a fluent: write holdsAt({pair}, {time})"
    if isinstance(literal, ir.Not) and isinstance(literal.body[0], ir.Intervals):
        return "take its intervals away with relative_complement_all(I1, [I2], I)"
    return "correct the condition, or remove the rule"


def _contradiction(body: ir.Body, analysis: Analysis, solver: Solver) -> Contradiction | None:
    for literal in body:
        reason = _impossible(literal, analysis, solver)
        if reason is not None:
            return literal, reason, None
    return _two_values(body) or _condition_and_negation(body) or _at_an_edge(body) or _empty_range(body)


def _impossible(literal: ir.Literal, analysis: Analysis, solver: Solver) -> str | None:
    match literal:
        case ir.Compare(operator=operator, left=left, right=right):
            return None if _may_be_true(operator, left, right) else "this comparison is false"
        case ir.Call(atom=Const(value="fail" | "false")):
            return "this condition always fails"
        case ir.Call(atom=atom):
            return _no_answer(atom, analysis, solver)
        case ir.Not(body=(ir.Intervals(fvp=fvp),)) if not any(v.is_anonymous for v in variables(fvp.fluent)):
            return "holdsFor always gives a list, possibly an empty one"
        case ir.Or(branches=branches):
            found = [_contradiction(branch, analysis, solver) for branch in branches]
            return "none of the alternatives can hold" if all(item is not None for item in found) else None
        case _:
            return None


def _may_be_true(operator: str, left: Term, right: Term) -> bool:
    if operator == "=":
        return unify(left, right, {}) is not None
    if left == right:
        return operator not in _IRREFLEXIVE
    if not (is_ground(left) and is_ground(right)):
        return True
    try:
        if operator in ARITHMETIC_COMPARISONS:
            return compare_numbers(operator, evaluate(left, {}), evaluate(right, {}))
    except EvaluationError:
        return True
    return operator == "\\=" or ORDER_COMPARISONS[operator](left, right)


def _no_answer(atom: Term, analysis: Analysis, solver: Solver) -> str | None:
    """A background condition with constants that occur in no fact."""
    name = functor(atom)
    assert name is not None
    rules = analysis.background.rules.get(name, ())
    if name in LIBRARY or not rules or any(rule.body for rule in rules):
        # Rules may compute anything and may not terminate, so only tables of facts are looked up.
        return None
    if not any(isinstance(arg, Const) for arg in arguments(atom)):
        return None
    try:
        if next(solver.answers(name, atom), None) is None:
            return f"no {name[0]}/{name[1]} fact matches"
    except (EvaluationError, RecursionError):
        return None
    return None


def _two_values(body: ir.Body) -> Contradiction | None:
    """`holdsAt(f=a, T), holdsAt(f=b, T)`: a fluent has one value at a time."""
    seen: dict[tuple[Term, Term], ir.Holds] = {}
    for literal in body:
        if isinstance(literal, ir.Holds) and isinstance(literal.fvp.value, Const):
            other = seen.setdefault((literal.fvp.fluent, literal.time), literal)
            if other.fvp.value != literal.fvp.value:
                return literal, "a fluent has one value at a time", other
    return None


def _condition_and_negation(body: ir.Body) -> Contradiction | None:
    """Finds a condition together with its negation."""
    positive = {
        literal: literal for literal in body if isinstance(literal, ir.Happens | ir.Holds | ir.Call | ir.Effect)
    }
    for literal in body:
        if isinstance(literal, ir.Not) and len(literal.body) == 1 and literal.body[0] in positive:
            return literal, "the same condition must hold and not hold", positive[literal.body[0]]
    return None


def _at_an_edge(body: ir.Body) -> Contradiction | None:
    """`start` occurs where the pair does not hold yet, `end` where it still holds. They never occur together."""
    edges: dict[tuple[ir.Fvp, Term], ir.Boundary] = {}
    for literal in body:
        if isinstance(literal, ir.Boundary):
            other = edges.setdefault((literal.fvp, literal.time), literal)
            if other.edge is not literal.edge:
                return literal, "nothing starts and ends at one time-point", other
    for literal in body:
        match literal:
            case ir.Holds(fvp=fvp, time=time):
                edge = edges.get((fvp, time))
                if edge is not None and edge.edge is ir.Edge.START:
                    return literal, "a fluent does not hold yet at the time-point of its start", edge
            case ir.Not(body=(ir.Holds(fvp=fvp, time=time),)):
                edge = edges.get((fvp, time))
                if edge is not None and edge.edge is ir.Edge.END:
                    return literal, "what ends at a time-point still holds at it", edge
            case _:
                continue
    return None


def _empty_range(body: ir.Body) -> Contradiction | None:
    """Numeric bounds that exclude each other, such as `S > 5, S < 3`."""
    upper: dict[Var, tuple[float, bool, ir.Compare]] = {}
    lower: dict[Var, tuple[float, bool, ir.Compare]] = {}
    for literal in body:
        bound = _bound(literal)
        if bound is None:
            continue
        variable, operator, value = bound
        assert isinstance(literal, ir.Compare)
        strict = operator in ("<", ">")
        if operator not in _LOWER:
            known = upper.get(variable)
            if known is None or (value, not strict) < (known[0], not known[1]):
                upper[variable] = (value, strict, literal)
        if operator not in _UPPER:
            known = lower.get(variable)
            if known is None or (value, strict) > known[:2]:
                lower[variable] = (value, strict, literal)
    for variable, (high, high_strict, one) in upper.items():
        low, low_strict, two = lower.get(variable, (-math.inf, False, one))
        if low > high or (low == high and (low_strict or high_strict)):
            later, earlier = (one, two) if one.span.start >= two.span.start else (two, one)
            return later, f"no number {variable.name} satisfies both bounds", earlier
    return None


def _bound(literal: ir.Literal) -> tuple[Var, str, float] | None:
    if not isinstance(literal, ir.Compare) or literal.operator not in _UPPER | _LOWER | _EQUAL:
        return None
    left, right = literal.left, literal.right
    if isinstance(left, Var) and isinstance(right, Const) and not isinstance(right.value, str):
        return left, literal.operator, right.value
    if isinstance(right, Var) and isinstance(left, Const) and not isinstance(left.value, str):
        return right, _MIRRORED.get(literal.operator, "="), left.value
    return None
