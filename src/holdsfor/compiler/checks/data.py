"""Finds input that rules read and the data does not contain (HF304)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Role
from holdsfor.compiler.analysis.places import other_name
from holdsfor.compiler.analysis.similar import suggest
from holdsfor.compiler.checks.spelling import place_of
from holdsfor.diagnostics import Diagnostic, Severity


def check_data(
    analysis: Analysis,
    provided: Collection[tuple[str, int]],
    unknown: Collection[str],
    skipped: Mapping[str, str] = {},
) -> Iterator[Diagnostic]:
    """Input entities that no row of the data provides.

    `unknown` are names in the data that no rule mentions. `skipped` gives, by name, the reason why rows were unusable.
    """
    for entity in analysis.entities.with_role(Role.INPUT_EVENT, Role.INPUT_FLUENT):
        symbol = entity.symbol
        if not entity.uses or (symbol.name, symbol.arity) in provided:
            continue
        place = place_of(entity.uses[0])
        close = suggest(symbol.name, list(unknown))
        fix = other_name(place, close) if close else None
        hint = (
            f"the data has {close}; did you mean that?" if close else "load the stream that has it, or check its name"
        )
        if symbol.name in skipped:
            hint, fix = f"its rows are skipped: {skipped[symbol.name]}", None
        others = sorted(arity for name, arity in provided if name == symbol.name)
        if others:
            hint = f"in the data {symbol.name} has {' or '.join(str(arity) for arity in others)} arguments"
            fix = None
        message = f"no data provides the {entity.role} {symbol}"
        yield Diagnostic("HF304", Severity.WARNING, message, place, hint, fix=fix)
