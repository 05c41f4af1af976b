"""Finds rules that an earlier rule always overrides (HF305), and repeated rules (HF306)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from holdsfor import ir
from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.places import head_span
from holdsfor.compiler.passes.rename import rename_body
from holdsfor.diagnostics import Diagnostic, RelatedSpan, Severity
from holdsfor.logic.unify import apart, resolve, unify
from holdsfor.syntax.terms import Const, Term, Var, functor


def check_shadowing(analysis: Analysis) -> Iterator[Diagnostic]:
    """Finds `holdsFor` rules behind one that always succeeds, and duplicate rules."""
    for entity in analysis.entities:
        static = [rule for rule in entity.rules if isinstance(rule, ir.IntervalRule)]
        for position, rule in enumerate(static):
            winner = next((other for other in static[:position] if _always_wins(other, rule)), None)
            if winner is not None:
                message = "this rule is never used: an earlier one always gives an answer"
                hint = "combine the two with union_all in one rule, or guard the first, such as with I1 \\= []"
                labels = (RelatedSpan(head_span(winner), "always used instead"),)
                yield Diagnostic("HF305", Severity.WARNING, message, head_span(rule), hint, labels)
    yield from _repetitions(analysis.written.rules)


def _always_wins(first: ir.IntervalRule, second: ir.IntervalRule) -> bool:
    """Whether a rule covers every pair of a later one and cannot fail."""
    if any(
        isinstance(lit, ir.Guard | ir.Compare | ir.Call | ir.Not | ir.Or | ir.IfThenElse | ir.FindAll | ir.Cut)
        for lit in first.body
    ):
        return False
    return all(isinstance(lit, ir.Intervals | ir.Algebra) for lit in first.body) and _covers(first, second)


def _covers(general: ir.IntervalRule, special: ir.IntervalRule) -> bool:
    pattern = apart(general.fvp.term)
    target = special.fvp.term
    bindings = unify(pattern, target, {})
    return bindings is not None and resolve(target, bindings) == target


def _repetitions(rules: tuple[ir.Rule, ...]) -> Iterator[Diagnostic]:
    seen: dict[object, ir.Rule] = {}
    outlines = Counter(_outline(rule) for rule in rules)
    for rule in rules:
        # Canonical forms are expensive, and most rules differ in their outlines.
        if outlines[_outline(rule)] == 1:
            continue
        key = _canonical(rule)
        if key in seen:
            kind = "rule" if rule.body else "fact"
            labels = (RelatedSpan(head_span(seen[key]), "first written here"),)
            message = f"this {kind} is written twice"
            yield Diagnostic("HF306", Severity.WARNING, message, head_span(rule), "remove one of them", labels)
        else:
            seen[key] = rule


def _outline(rule: ir.Rule) -> object:
    """A cheap comparison key: the kind of rule, the names in its head, the length of its body."""
    heads = tuple(term.value if isinstance(term, Const) else functor(term) for term in ir.head_terms(rule))
    return type(rule), getattr(rule, "kind", None), heads, len(rule.body)


def _canonical(rule: ir.Rule) -> object:
    """A rule with numbered variables, so that renamed copies are equal."""
    numbered: dict[str, Term] = {}
    for variable in ir.rule_variables(rule):
        numbered.setdefault(variable.name, Var(f"?{len(numbered)}"))
    heads = tuple(resolve(term, numbered) for term in ir.head_terms(rule))
    kind = getattr(rule, "kind", None)
    return type(rule), kind, heads, rename_body(rule.body, numbered)
