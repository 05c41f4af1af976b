"""Describes a program in one line."""

from __future__ import annotations

from collections.abc import Iterable

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import Role
from holdsfor.ir import BackgroundRule, Declaration

_MOST_NAMED = 6


def described(analysis: Analysis) -> str:
    """A line with the number of rules, the inputs and the results of a program."""
    written = analysis.written
    rules = sum(1 for rule in written.rules if not isinstance(rule, Declaration | BackgroundRule))
    rules += len(written.metric.rules)
    inputs = analysis.entities.with_role(Role.INPUT_EVENT, Role.INPUT_FLUENT)
    roles = (Role.DERIVED_EVENT, Role.SIMPLE_FLUENT, Role.STATIC_FLUENT, Role.METRIC_FLUENT)
    hidden = analysis.program.hidden
    found = [entity for entity in analysis.entities.with_role(*roles) if entity.symbol.name not in hidden]
    reads, finds = (_names(entity.symbol.name for entity in entities) for entities in (inputs, found))
    return f"{rules} rule{'' if rules == 1 else 's'}; reads {reads}; finds {finds}"


def _names(names: Iterable[str]) -> str:
    distinct = list(dict.fromkeys(names))
    more = len(distinct) - _MOST_NAMED
    return ", ".join(distinct[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "") or "nothing"
