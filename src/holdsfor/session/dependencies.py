"""What fluents and events are made of, directly or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.plan import Plan


def dependencies(plan: Plan) -> dict[Symbol, frozenset[Symbol]]:
    """All that each fluent and event is made of, itself included."""
    direct: dict[Symbol, set[Symbol]] = {}
    for stratum in plan.strata:
        for member in stratum.members:
            direct[member] = {*stratum.members, *stratum.inputs, *plan.filling}
    return {symbol: frozenset(_reached(symbol, direct)) for symbol in direct}


def _reached(symbol: Symbol, direct: Mapping[Symbol, set[Symbol]]) -> Iterator[Symbol]:
    seen, waiting = {symbol}, [symbol]
    while waiting:
        found = waiting.pop()
        yield found
        new = direct.get(found, set()) - seen
        seen |= new
        waiting.extend(new)
