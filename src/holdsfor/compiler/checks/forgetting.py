"""Checks `forget`: its entity, its timeout, and the fluents that it does not bound (HF403, HF407-HF410)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.places import head_span, other_name, other_text, span_of
from holdsfor.compiler.analysis.silence import Silence
from holdsfor.compiler.analysis.similar import suggest
from holdsfor.compiler.analysis.tied_places import TermKind, mentioned
from holdsfor.compiler.passes.forgetting import Meaning, entity_of, patterns_of
from holdsfor.diagnostics import Diagnostic, RelatedSpan, Severity
from holdsfor.ir import Declaration, Forgetting, Program, Rule
from holdsfor.logic.arithmetic import EvaluationError, evaluate
from holdsfor.logic.unify import is_ground
from holdsfor.syntax.durations import duration_text
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term, Var, arguments, functor


def check_forgetting(analysis: Analysis) -> Iterator[Diagnostic]:
    """Checks every `forget` of the rules."""
    declared = analysis.resolved.forgets
    meaning = Meaning(_as_written(analysis.program), declared)
    for declaration in declared:
        yield from _check_length(declaration)
        wrong = _wrong_name(declaration, meaning, analysis)
        if wrong is not None:
            yield wrong
            continue
        found = [one for one in analysis.program.forgettings if one.declaration.span == declaration.span]
        yield from _check_effect(declaration, found)
        for one in found if any(one.mentions for one in found) else ():
            yield from _check_namesakes(one, meaning)
            yield from _check_beginnings(one, analysis)


def _as_written(program: Program) -> Program:
    """A program without the rules that were generated for its `forget`s."""

    def is_written(rule: Rule) -> bool:
        return program.hidden.isdisjoint((functor(term) or ("",))[0] for _, term, _ in mentioned(rule))

    return replace(program, rules=tuple(filter(is_written, program.rules)))


def _check_length(declaration: Declaration) -> Iterator[Diagnostic]:
    length = declaration.args[1]
    if not is_ground(length):
        return
    try:
        value = evaluate(length, {})
    except EvaluationError:
        value = None
    if value is None or value < 1 or value % 1:
        shown = (
            duration_text(length) if isinstance(length, Compound) and functor(length) is None else print_term(length)
        )
        message = f"a timeout is a positive whole number of time-points, not {shown}"
        place = span_of(length, head_span(declaration))
        yield Diagnostic("HF403", Severity.ERROR, message, place, "write how long, such as 3600, or 30 days")


def _wrong_name(declaration: Declaration, meaning: Meaning, analysis: Analysis) -> Diagnostic | None:
    term = declaration.args[0]
    if isinstance(term, Var):
        if term.is_anonymous:
            return None
        hint = f"write something of the rules that has it, such as {_example(meaning, term)}, or _ for every entity"
        return _no_entity(f"{term.name} alone does not identify an entity", term, declaration, hint)
    wrong = (_wrong_pattern(pattern, declaration, meaning, analysis) for pattern, _ in patterns_of(declaration))
    return next(filter(None, wrong), None)


def _wrong_pattern(pattern: Term, declaration: Declaration, meaning: Meaning, analysis: Analysis) -> Diagnostic | None:
    place = span_of(pattern, head_span(declaration))
    name, shown = functor(pattern), print_term(pattern)
    if name is not None and name[0] in analysis.unread:
        return None
    known = meaning.name_of(pattern)
    if name is None or known is None:
        message = f"forget names {shown}, which is no event, fluent or fact of the rules"
        hint, close = _meant(name, meaning)
        fix = None if close is None else other_name(place, close)
        return Diagnostic("HF407", Severity.ERROR, message, place, hint, fix=fix)
    if known[0] is TermKind.FLUENT and name in meaning.static and name not in meaning.simple:
        message = f"{shown} is defined by holdsFor, so it cannot end by itself"
        hint = f"name one of those, or an event that has the entity, such as {_example(meaning, Var('X'))}"
        return _no_entity(message, pattern, declaration, hint)
    first = {variable.name for _, variable in entity_of(patterns_of(declaration)[0][0])}
    found = {variable.name for _, variable in entity_of(pattern)}
    if not found:
        message = f"{shown} has no variable for the entity"
        if not name[1]:
            hint = f"name something that has it, such as {_example(meaning, Var('X'))}"
            return _no_entity(message, pattern, declaration, hint)
        named = print_term(Compound(name[0], (Var("X"), *(Var("_") for _ in range(name[1] - 1)))))
        wrong = _no_entity(message, pattern, declaration, f"write {named}")
        return replace(wrong, fix=other_text(place, named))
    if found != first:
        message = f"{shown} does not have the variables of the first name: {', '.join(sorted(first))}"
        return _no_entity(message, pattern, declaration, "use the same variables in all of them")
    if not meaning.is_simple(pattern) and any(isinstance(one, Const) for one in arguments(pattern)):
        message = f"{shown} has a constant, but all input about the entity counts"
        return _no_entity(message, pattern, declaration, "write _ for all that is not the entity")
    return None


def _no_entity(message: str, place: Term, declaration: Declaration, hint: str) -> Diagnostic:
    return Diagnostic("HF408", Severity.ERROR, message, span_of(place, head_span(declaration)), hint)


def _example(meaning: Meaning, variable: Var) -> str:
    for _, name, arity in meaning.inputs():
        if arity:
            return print_term(Compound(name, (variable, *(Var("_") for _ in range(arity - 1)))))
    return f"velocity({variable.name},_)"


def _meant(name: tuple[str, int] | None, meaning: Meaning) -> tuple[str, str | None]:
    """The advice, and another name if renaming suffices."""
    known = meaning.names()
    close = None if name is None else suggest(name[0], [one for one, arity in known if arity == name[1]])
    if close is not None:
        return f"did you mean {close}?", close
    other = next((arity for one, arity in known if name is not None and one == name[0]), None)
    if name is not None and other is not None:
        return f"{name[0]} has {other} argument{'' if other == 1 else 's'} in the rules", None
    return f"name one that has the entity among its arguments, such as {_example(meaning, Var('X'))}", None


def _check_effect(declaration: Declaration, found: list[Forgetting]) -> Iterator[Diagnostic]:
    place = span_of(declaration.args[0], head_span(declaration))
    if not any(one.ends for one in found):
        message = "nothing is forgotten: no simple fluent is about this entity"
        hint = "name an event that has the entity of a fluent: a rule has to have one variable for both"
        yield Diagnostic("HF409", Severity.WARNING, message, place, hint)
    elif not any(one.mentions for one in found):
        message = "nothing is forgotten: no input is about this entity, so it never falls silent"
        hint = "only events and fluents of the input count: a rule has to have the same variable in one of them"
        yield Diagnostic("HF409", Severity.WARNING, message, place, hint)


def _check_namesakes(one: Forgetting, meaning: Meaning) -> Iterator[Diagnostic]:
    declaration = one.declaration
    if isinstance(declaration.args[0], Var) or any(meaning.is_simple(term) for term, _ in patterns_of(declaration)):
        return
    ended = {functor(pair.fluent) for pair in one.ends}
    entity = {variable.name for variable in one.entity}
    others = [term for term in meaning.begun() if functor(term) not in ended and entity <= _variables(term)]
    for name, other in {functor(term): term for term in reversed(others)}.items():
        assert name is not None
        args = tuple(one if isinstance(one, Var) and one.name in entity else Var("_") for one in arguments(other))
        listed = ", ".join(
            print_term(term) for term in (*(one for one, _ in patterns_of(declaration)), Compound(name[0], args))
        )
        message = f"{name[0]} is not forgotten: no rule says that its {' and '.join(sorted(entity))} is the same entity"
        hint = f"if it is, name both: forget([{listed}], …)"
        yield Diagnostic("HF411", Severity.NOTE, message, span_of(declaration.args[0], head_span(declaration)), hint)


def _variables(term: Term) -> set[str]:
    return {argument.name for argument in arguments(term) if isinstance(argument, Var)}


def _check_beginnings(one: Forgetting, analysis: Analysis) -> Iterator[Diagnostic]:
    entity = " and ".join(variable.written for variable in one.entity)
    for symbol, rule in Silence(one, analysis).begun_in_silence():
        message = f"this rule can initiate {symbol.label} for a silent {entity}; forget does not end it then"
        hint = "add a condition that has the entity, or leave it: it ends after the next silence"
        labels = (RelatedSpan(head_span(one.declaration), "forgotten here"),)
        yield Diagnostic("HF410", Severity.NOTE, message, head_span(rule), hint, labels)
