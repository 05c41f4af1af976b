"""Finds directives (`:- goal.`) that are not executed although the program may rely on them."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.similar import suggest
from holdsfor.diagnostics import Diagnostic, Fix, Severity, Span
from holdsfor.ir import DeclarationKind
from holdsfor.ir.scale import TIME_UNIT, TIME_ZONE, is_time_goal
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Term, functor

WITHOUT_MEANING = frozenset(
    {
        "discontiguous",
        "dynamic",
        "encoding",
        "ensure_loaded",
        "expects_dialect",
        "garbage_collect",
        "license",
        "meta_predicate",
        "module",
        "module_transparent",
        "multifile",
        "public",
        "set_prolog_flag",
        "set_prolog_stack",
        "set_stream",
        "source",
        "style_check",
        "table",
        "unknown",
        "use_module",
        "volatile",
        "yap_flag",
    }
)
"""Directives about how Prolog stores, prints or runs a program. They have no effect here."""

_LOADING = frozenset({"consult", "include", "load_files", "reconsult"})
"""Directives that the front end replaces by the loaded files, unless it may not read files."""

_HINTS = {
    "op": "operators cannot be defined; write the term with brackets",
    "if": "conditional clauses are all read; remove those that you do not want",
    "elif": "conditional clauses are all read; remove those that you do not want",
    "else": "conditional clauses are all read; remove those that you do not want",
    "endif": "conditional clauses are all read; remove those that you do not want",
    "initialization": "goals are not executed; say what to run on the command line",
    "assert": "write the fact as a clause of its own",
    "asserta": "write the fact as a clause of its own",
    "assertz": "write the fact as a clause of its own",
}


def check_directives(analysis: Analysis) -> Iterator[Diagnostic]:
    """Reports directives without a known meaning."""
    for declaration in analysis.program.declarations:
        if declaration.kind is DeclarationKind.DIRECTIVE:
            for goal in declaration.args:
                name = functor(goal)
                if name is None or not (name[0] in WITHOUT_MEANING | _LOADING or is_time_goal(goal)):
                    yield _not_executed(goal, declaration.span)


def _not_executed(goal: Term, otherwise: Span) -> Diagnostic:
    name = functor(goal)
    hint = _HINTS.get(name[0] if name else "", "remove it, or write what it does as rules and facts")
    message = f"this directive is not executed: {print_term(goal)}"
    span = goal.span if goal.span.source.text else otherwise
    close = suggest(name[0], (TIME_UNIT, TIME_ZONE)) if name and name[0] not in _HINTS else None
    if close is None or name is None:
        return Diagnostic("HF106", Severity.WARNING, message, span, hint)
    fix = Fix(Span(span.source, span.start, span.start + len(name[0])), close)
    return Diagnostic("HF106", Severity.WARNING, message, span, f"did you mean {close}?", fix=fix)
