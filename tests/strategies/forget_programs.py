"""Random programs that forget: the rules of another scenario, with `forget`s about what occurs in them."""

from __future__ import annotations

from dataclasses import replace

from holdsfor import loads
from holdsfor.compiler.analysis.entities import EntityKind, Role, Symbol
from holdsfor.diagnostics import ProgramError
from tests.strategies.engine_runs import Scenario
from tests.strategies.scenario_words import Pen

LONGEST = 12
"""The longest silence, in time-points."""


def with_forgets(pen: Pen, found: Scenario | None) -> Scenario | None:
    """A scenario with one or two `forget`s; None if its rules have no meaning."""
    if found is None or found.reasoner.analysis.program.metric.rules:
        return None
    known = [symbol for symbol in found.reasoner.analysis.entities.table if _can_be_forgotten(symbol, found)]
    lines = [_forget(pen, known) for _ in range(pen.number(1, 2))]
    text = "\n".join([found.text, *lines, "patience(2).", "patience(7)."])
    try:
        return replace(found, text=text, reasoner=loads(text))
    except ProgramError:
        return None


def _can_be_forgotten(symbol: Symbol, found: Scenario) -> bool:
    role = found.reasoner.analysis.entities[symbol].role
    return symbol.arity > 0 and not symbol.inner and role is not Role.STATIC_FLUENT


def _forget(pen: Pen, known: list[Symbol]) -> str:
    length = str(pen.number(1, LONGEST))
    if not known or pen.chance(15):
        return f"forget(_, {length})."
    symbol = pen.pick(known)
    named = {pen.number(0, symbol.arity - 1) for _ in range(pen.weighted([(5, 1), (1, 2)]))}
    pattern = f"{symbol.name}({','.join(f'X{at}' if at in named else '_' for at in range(symbol.arity))})"
    if symbol.kind is EntityKind.FLUENT and pen.chance(10):
        pattern += "=true"
    return f"forget({pattern}, D) :- patience(D)." if pen.chance(10) else f"forget({pattern}, {length})."
