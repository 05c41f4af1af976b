"""Finds variables that occur only once (HF308), usually because of a misspelling."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.places import other_text
from holdsfor.compiler.analysis.similar import suggest
from holdsfor.diagnostics import Diagnostic, Severity
from holdsfor.ir import Declaration, EffectKind, EffectRule, Rule, head_terms, literal_terms, rule_variables, walk
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var, variables


def check_variables(analysis: Analysis) -> Iterator[Diagnostic]:
    """Checks rules as written. Facts and delayed effects without a body apply to all instances."""
    for rule in analysis.written.rules:
        if rule.body and not isinstance(rule, Declaration):
            yield from _singletons(rule)


def _singletons(rule: Rule) -> Iterator[Diagnostic]:
    count: dict[str, int] = {}
    first: dict[str, Var] = {}
    for variable in rule_variables(rule):
        count[variable.name] = count.get(variable.name, 0) + 1
        first.setdefault(variable.name, variable)
    once = [first[name] for name in count if count[name] == 1 and not name.startswith("_")]
    once = [variable for variable in once if variable.span.source.text]
    meant = {variable.name: _meant(variable, once) for variable in once}
    for variable in once:
        # Of two spellings of one name, the second is reported.
        if variable.name not in meant.values():
            message = f"{variable.name} occurs only once in this rule{_consequence(variable, rule)}"
            hint, text = _advice(variable, meant[variable.name], rule)
            fix = None if text is None else other_text(variable.span, text)
            yield Diagnostic("HF308", Severity.WARNING, message, variable.span, hint, fix=fix)


def _meant(variable: Var, once: list[Var]) -> str | None:
    earlier = [other.name for other in once if other.span.start < variable.span.start]
    return suggest(variable.name, earlier, cutoff=0.8)


def _consequence(variable: Var, rule: Rule) -> str:
    if isinstance(rule, EffectRule) and rule.kind is EffectKind.TERMINATED and variable in variables(rule.fvp.fluent):
        return f", so this ends {print_term(rule.fvp.fluent)} for every {variable.name}"
    return ""


def _advice(variable: Var, meant: str | None, rule: Rule) -> tuple[str, str | None]:
    """The advice, and the corrected variable if renaming suffices."""
    if meant:
        return f"did you mean {meant}?", meant
    constant = variable.name[0].lower() + variable.name[1:]
    if variable.name in ("True", "False"):
        return f"did you mean {constant}? A capital letter makes it a variable", constant
    if constant in _constants(rule):
        return f"the rule also has the constant {constant}; did you mean {variable.name} there?", None
    return f"write _{variable.name} if any value will do, or check the spelling", f"_{variable.name}"


def _constants(rule: Rule) -> set[str]:
    terms = [*head_terms(rule), *(term for literal in walk(rule.body) for term in literal_terms(literal))]
    return {name for term in terms for name in _constants_in(term)}


def _constants_in(term: Term) -> Iterator[str]:
    match term:
        case Const(value=str() as value):
            yield value
        case Compound(args=args) | ListTerm(items=args):
            for arg in args:
                yield from _constants_in(arg)
