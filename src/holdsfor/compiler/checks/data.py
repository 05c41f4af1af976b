"""Input that rules wait for and the data does not have (HF304)."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Role
from holdsfor.compiler.analysis.names import suggest
from holdsfor.diagnostics import Diagnostic, Severity


def check_data(analysis: Analysis, provided: set[tuple[str, int]], unknown: dict[str, int]) -> Iterator[Diagnostic]:
    """Input entities that no row of the data provides; `unknown` are names in the data that no rule knows."""
    for entity in analysis.entities.with_role(Role.INPUT_EVENT, Role.INPUT_FLUENT):
        symbol = entity.symbol
        if not entity.uses or (symbol.name, symbol.arity) in provided:
            continue
        close = suggest(symbol.name, list(unknown))
        hint = f"the data has {close}; did you mean that?" if close else "load the file that has it, or check its name"
        message = f"no data provides the {entity.role} {symbol}"
        yield Diagnostic("HF304", Severity.WARNING, message, entity.uses[0].span, hint)
