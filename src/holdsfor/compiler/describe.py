"""A plan as text for people and as plain data for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import EntityKind, Role, Symbol
from holdsfor.compiler.plan import Plan, Stratum
from holdsfor.ir import BackgroundRule, Declaration

_MOST_NAMED = 6


def described(analysis: Analysis) -> str:
    """A program in a line: how many rules, what it reads, what it finds."""
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


def plan_text(plan: Plan) -> str:
    """A plan as text."""
    return "\n".join(_lines(plan))


def _lines(plan: Plan) -> Iterator[str]:
    events = [str(symbol) for symbol in plan.inputs if symbol.kind is EntityKind.EVENT]
    fluents = [str(symbol) for symbol in plan.inputs if symbol.kind is EntityKind.FLUENT]
    yield f"input events   {', '.join(events) or 'none'}"
    if fluents:
        yield f"input fluents  {', '.join(fluents)}"
    for name, treatment in background_treatment(plan).items():
        yield f"background     {name}: {treatment}"
    for stratum in plan.strata:
        yield ""
        yield from _stratum_lines(stratum)


def _stratum_lines(stratum: Stratum) -> Iterator[str]:
    yield f"{stratum.number:>3}  level {stratum.level}  {stratum.method:<8}  {', '.join(map(str, stratum.members))}"
    yield f"     why     {stratum.why}"
    yield f"     reads   {', '.join(dict.fromkeys(map(str, stratum.inputs))) or 'nothing'}"
    if len(stratum.order) > 1:
        yield f"     order   {', '.join(vertex.label for vertex in stratum.order)}"
    for position, state in enumerate(dict.fromkeys(stratum.border_state)):
        yield f"     {'keeps' if position == 0 else '':<6}  {state}"
    yield f"     key     {_key_text(stratum)}"


def _key_text(stratum: Stratum) -> str:
    key = stratum.key
    where = f" ({stratum.members[0]} column {key.position(stratum.members[0])})" if key.positions else ""
    return f"{key.spread}{where}: {key.reason}"


def background_treatment(plan: Plan) -> dict[str, str]:
    """What became of every background predicate that rules use."""
    background = plan.analysis.background
    found: dict[str, str] = {}
    for (name, arity), rules in background.rules.items():
        label = f"{name}/{arity}"
        if (name, arity) in background.evaluated:
            found[label] = f"recursive, evaluated to {background.evaluated[name, arity]} facts"
        elif (name, arity) in background.domains:
            found[label] = "filled by input"
        elif any(rule.body for rule in rules):
            needed = background.needs((name, arity))
            found[label] = "computed where it is called" if needed else f"{len(rules)} rules, unfolded"
        else:
            found[label] = f"{len(rules)} facts"
    return found


def plan_data(plan: Plan) -> dict[str, object]:
    """A plan as plain data, ready for JSON."""
    return {
        "inputs": [_symbol_data(symbol) for symbol in plan.inputs],
        "background": background_treatment(plan),
        "strata": [_stratum_data(stratum) for stratum in plan.strata],
    }


def _symbol_data(symbol: Symbol) -> dict[str, object]:
    return {"kind": str(symbol.kind), "name": symbol.name, "arity": symbol.arity, "symbol": str(symbol)}


def _stratum_data(stratum: Stratum) -> dict[str, object]:
    return {
        "number": stratum.number,
        "level": stratum.level,
        "members": [str(symbol) for symbol in stratum.members],
        "method": str(stratum.method),
        "why": stratum.why,
        "reads": list(dict.fromkeys(str(symbol) for symbol in stratum.inputs)),
        "order": [vertex.label for vertex in stratum.order],
        "border_state": list(dict.fromkeys(stratum.border_state)),
        "key": {
            "spread": str(stratum.key.spread),
            "positions": {str(symbol): position for symbol, position in stratum.key.positions},
            "exchanges": [
                {"symbol": str(item.symbol), "columns": list(item.columns), "key": list(item.key)}
                for item in stratum.key.exchanges
            ],
            "reason": stratum.key.reason,
        },
    }
