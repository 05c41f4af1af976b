"""Drops rules with unbound head variables for fluents without a grounding, in programs with groundings.

`holdsFor(pow(propose(_P,M))=true, I) :- holdsFor(status(M)=null, I)` does not determine P. Only a grounding could.
Programs with groundings leave such fluents undeclared on purpose, so they are not evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from holdsfor import ir
from holdsfor.diagnostics import Diagnostic, Severity
from holdsfor.logic.unify import substitute, unify
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, ListTerm, Term, Var, variables


def without_undeclared(program: ir.Program) -> tuple[ir.Program, list[Diagnostic]]:
    """The program without such rules, and a warning for each."""
    declared = list(_declared(program))
    if not declared:
        return program, []
    left_out = [rule for rule in _open_rules(program) if not _is_declared(rule.fvp, declared)]
    if not left_out:
        return program, []
    ids = {id(rule) for rule in left_out}
    kept = tuple(rule for rule in program.rules if id(rule) not in ids)
    return replace(program, rules=kept), [_warning(rule) for rule in left_out]


def _declared(program: ir.Program) -> Iterator[Term]:
    for declaration in program.declarations:
        if declaration.kind is ir.DeclarationKind.GROUNDING:
            for arg in declaration.args[:1]:
                if isinstance(arg, Compound) and arg.name == "=":
                    yield arg


def _open_rules(program: ir.Program) -> Iterator[ir.IntervalRule | ir.EffectRule]:
    """Rules whose heads have a variable that their bodies do not mention."""
    for rule in program.rules:
        match rule:
            case ir.IntervalRule(out=ListTerm(items=())):
                continue
            case ir.IntervalRule() | ir.EffectRule(kind=ir.EffectKind.INITIATED) if _open_variables(rule):
                yield rule


def _open_variables(rule: ir.IntervalRule | ir.EffectRule) -> list[Var]:
    inside = ir.variable_names(rule.body)
    return [v for term in (rule.fvp.fluent, rule.fvp.value) for v in variables(term) if v.name not in inside]


def _is_declared(fvp: ir.Fvp, declared: list[Term]) -> bool:
    """Whether a grounding is about the fluent, with this or another value."""
    return any(
        unify(_apart(pair.args[0]), fvp.fluent, {}) is not None for pair in declared if isinstance(pair, Compound)
    )


def _apart(term: Term) -> Term:
    return substitute(term, {v.name: Var(f"{v.name}~") for v in variables(term)})


def _warning(rule: ir.IntervalRule | ir.EffectRule) -> Diagnostic:
    variable = _open_variables(rule)[0]
    shown = "_" if variable.is_anonymous else variable.name
    message = f"this rule is not evaluated: no condition and no grounding binds {shown}"
    hint = (
        f"declare them: grounding({print_term(rule.fvp.fluent)}={print_term(rule.fvp.value)}) :- …, or remove the rule"
    )
    span = rule.fvp.span if rule.fvp.span.source.text else rule.span
    return Diagnostic("HF309", Severity.WARNING, message, span, hint)
