"""Finds fluents that a rule terminates with an open argument or value, for all instances or values at once."""

from __future__ import annotations

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.binding import names
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.ir import EffectKind, variable_names


def openly_ended(analysis: Analysis) -> frozenset[Symbol]:
    """The fluents with a termination that leaves an argument or the value open."""
    return frozenset(
        analysis.entities.fluent(rule.fvp)
        for rule in analysis.program.effects
        if rule.kind is EffectKind.TERMINATED
        and not names(rule.fvp.fluent) | names(rule.fvp.value) <= variable_names(analysis.body(rule))
    )
