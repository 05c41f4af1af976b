"""Input fluents and events that look like misspelt ones (HF103)."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Entity, EntityKind, Role
from holdsfor.compiler.analysis.names import suggest
from holdsfor.diagnostics import Diagnostic, Severity


def check_spelling(analysis: Analysis) -> Iterator[Diagnostic]:
    """Undefined fluents and events with the name of a defined one, almost or with other arguments.

    Nothing has to be declared, so a misspelt fluent would just be an input that never arrives.
    """
    for kind, inputs, defined in (
        (EntityKind.FLUENT, (Role.INPUT_FLUENT,), (Role.SIMPLE_FLUENT, Role.STATIC_FLUENT)),
        (EntityKind.EVENT, (Role.INPUT_EVENT,), (Role.DERIVED_EVENT,)),
    ):
        known = {entity.symbol.name: entity for entity in analysis.entities.with_role(*defined)}
        for entity in analysis.entities.with_role(*inputs):
            if not entity.uses or entity.declared_input or entity.groundings:
                continue
            finding = _misspelt(entity, known, kind)
            if finding is not None:
                yield finding


def _misspelt(entity: Entity, known: dict[str, Entity], kind: EntityKind) -> Diagnostic | None:
    name, span = entity.symbol.name, entity.uses[0].span
    if name in known:
        other = known[name].symbol
        message = f"{kind} {entity.symbol} is not defined, and {other} is"
        hint = f"give it {other.arity} argument{'' if other.arity == 1 else 's'}, or another name if it is input"
        return Diagnostic("HF103", Severity.WARNING, message, span, hint)
    close = suggest(name, list(known), cutoff=0.85)
    if close is None or known[close].symbol.arity != entity.symbol.arity:
        return None
    message = f"no rule defines {kind} {entity.symbol}, so it is taken from the input"
    return Diagnostic("HF103", Severity.WARNING, message, span, f"did you mean {close}?")
