"""Finds domains that input should fill but does not, or not as intended (HF310)."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.domains import input_of
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.analysis.places import span_of
from holdsfor.diagnostics import Diagnostic, Severity, Span
from holdsfor.ir import Assign, Call, Compare, Declaration, DeclarationKind, literal_variables
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Term, functor, variables


def check_domains(analysis: Analysis) -> Iterator[Diagnostic]:
    """Checks every `dynamicDomain`, and every grounding of input that names one."""
    background, entities = analysis.background, analysis.entities
    filled = {functor(atom) for filling in analysis.fillings for atom in filling.atoms}
    named = set()
    for declaration in analysis.program.declarations:
        symbol = input_of(declaration, entities)
        atoms = [] if symbol is None else _domain_atoms(declaration, analysis)
        named |= {functor(atom) for atom, _ in atoms}
        if symbol is not None and atoms:
            yield from _incomplete(declaration, symbol, atoms)
            yield from _without_effect(declaration, symbol)
    for declaration in analysis.program.declarations:
        for term in declaration.args if declaration.kind is DeclarationKind.DYNAMIC_DOMAIN else ():
            name = functor(term)
            if name is not None and name not in filled | named and not background.rules.get(name):
                yield _empty(term, declaration)


def _domain_atoms(declaration: Declaration, analysis: Analysis) -> list[tuple[Term, Span]]:
    calls = (literal for literal in declaration.body if isinstance(literal, Call))
    return [(one.atom, one.span) for one in calls if functor(one.atom) in analysis.background.domains]


def _incomplete(declaration: Declaration, symbol: Symbol, atoms: list[tuple[Term, Span]]) -> Iterator[Diagnostic]:
    inside = set(variables(declaration.args[0]))
    for atom, span in atoms:
        missing = next((variable for variable in variables(atom) if variable not in inside), None)
        if missing is not None:
            message = f"no record of {symbol} binds {missing.written}, so none adds anything to {_shown(atom)}"
            yield _warning(message, span_of(missing, span), "use variables of the record only")


def _without_effect(declaration: Declaration, symbol: Symbol) -> Iterator[Diagnostic]:
    """Reports a test in the grounding of an event. Such a grounding restricts nothing, so the test has no effect."""
    if symbol.kind is not EntityKind.EVENT:
        return
    for literal in declaration.body:
        if isinstance(literal, Compare | Assign) and any(True for _ in literal_variables(literal)):
            message = f"every record of {symbol} fills the domain: this condition has no effect"
            yield _warning(message, literal.span, "write it where the domain is read, in the groundings of fluents")


def _empty(term: Term, declaration: Declaration) -> Diagnostic:
    args = term.args if isinstance(term, Compound) else ()
    example = ", ".join(f"X{place}" if len(args) > 1 else "X" for place, _ in enumerate(args, 1))
    name = functor(term)
    assert name is not None
    hint = f"say which input does, as in grounding(event({example})) :- {name[0]}({example})."
    return _warning(f"no input fills {_shown(term)}, so it is empty", span_of(term, declaration.span), hint)


def _shown(term: Term) -> str:
    name = functor(term)
    return f"{name[0]}/{name[1]}" if name is not None else print_term(term)


def _warning(message: str, span: Span, hint: str) -> Diagnostic:
    return Diagnostic("HF310", Severity.WARNING, message, span, hint)
