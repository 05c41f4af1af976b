"""Finds input fluents and events that look misspelt (HF103), and fluents used as events (HF104)."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Entity, EntityKind, Role, Symbol
from holdsfor.compiler.analysis.places import other_name, span_of
from holdsfor.compiler.analysis.similar import Similar, without_digits
from holdsfor.diagnostics import Diagnostic, Severity, Span
from holdsfor.ir import Boundary, Effect, Happens, Holds, Intervals, Literal
from holdsfor.ir.sliding import is_implied
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import variables

_DEFINED = (Role.SIMPLE_FLUENT, Role.STATIC_FLUENT, Role.METRIC_FLUENT, Role.DERIVED_EVENT)


def check_spelling(analysis: Analysis) -> Iterator[Diagnostic]:
    """Finds undefined fluents and events whose name or arguments nearly match a defined one.

    There are no declarations, so a misspelt fluent would be an input that never arrives.
    """
    known = {kind: _defined_of_kind(analysis, kind) for kind in EntityKind}
    similar = {kind: Similar(names) for kind, names in known.items()}
    either = analysis.entities.of_either_kind
    kinds = {(entity.symbol.name, entity.symbol.arity, entity.symbol.kind): entity for entity in analysis.entities}
    for entity in analysis.entities.with_role(Role.INPUT_FLUENT, Role.INPUT_EVENT):
        symbol = entity.symbol
        if not entity.uses or entity.declared_input or entity.groundings or symbol.name in analysis.unread:
            continue
        namesake = None if symbol in either else kinds.get((symbol.name, symbol.arity, _other(symbol.kind)))
        if namesake is not None and _is_another(namesake):
            yield from _wrong_kind(entity)
            continue
        finding = _misspelt(entity, known[symbol.kind], similar[symbol.kind])
        if finding is not None:
            yield finding


def _is_another(namesake: Entity) -> bool:
    """Whether another event or fluent with the same name was probably meant."""
    is_event = namesake.symbol.kind is EntityKind.EVENT
    return bool(namesake.rules or namesake.metric or (is_event and namesake.uses))


def _defined_of_kind(analysis: Analysis, kind: EntityKind) -> dict[str, Symbol]:
    found = (entity.symbol for entity in analysis.entities.with_role(*_DEFINED))
    return {symbol.name: symbol for symbol in found if symbol.kind is kind}


def _other(kind: EntityKind) -> EntityKind:
    return EntityKind.EVENT if kind is EntityKind.FLUENT else EntityKind.FLUENT


def _wrong_kind(entity: Entity) -> Iterator[Diagnostic]:
    """Reports each use of an event as a fluent, or of a fluent as an event."""
    for use in entity.uses:
        match use:
            case Happens(event=event):
                message = f"{entity.symbol} is a fluent, and a fluent does not happen"
                hint = f"write happensAt(start({print_term(event)}=true), …) or holdsAt({print_term(event)}=true, …)"
                if any(is_implied(variable.name) for variable in variables(use.time)):
                    hint = f"write start({print_term(event)}=true) or end({print_term(event)}=true)"
            case Boundary(fvp=fvp) | Holds(fvp=fvp) | Effect(fvp=fvp) | Intervals(fvp=fvp):
                message = f"{entity.symbol} is an event, and an event does not hold"
                hint = f"write happensAt({print_term(fvp.fluent)}, …)"
            case _:
                continue
        yield Diagnostic("HF104", Severity.WARNING, message, place_of(use), hint)


def _misspelt(entity: Entity, known: dict[str, Symbol], similar: Similar) -> Diagnostic | None:
    symbol, span = entity.symbol, place_of(entity.uses[0])
    if symbol.name in known:
        arity = known[symbol.name].arity
        message = f"no rule defines the {symbol.kind} {symbol}, but there is {known[symbol.name]}"
        hint = f"give it {arity} argument{'' if arity == 1 else 's'}, or another name if it is input"
        return Diagnostic("HF103", Severity.WARNING, message, span, hint)
    close = similar.to(symbol.name, cutoff=0.85)
    if close is None or known[close].arity != symbol.arity or without_digits(close) == without_digits(symbol.name):
        return None
    message = f"no rule defines the {symbol.kind} {symbol}, so it is input"
    fix = other_name(span, close)
    return Diagnostic("HF103", Severity.WARNING, message, span, f"did you mean {close}?", fix=fix)


def place_of(use: Literal) -> Span:
    """The event or fluent in a condition."""
    match use:
        case Happens(event=event):
            return span_of(event, use.span)
        case Boundary(fvp=fvp) | Holds(fvp=fvp) | Effect(fvp=fvp) | Intervals(fvp=fvp):
            return span_of(fvp.fluent, use.span)
        case _:
            return use.span
