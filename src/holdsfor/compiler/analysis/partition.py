"""Partition keys: by which argument the work of a stratum can be split over workers, and why.

A stratum can be split by an argument of its fluents if every rule carries the variable that stands there through
all its events and fluents. Where rules join instances that share no such argument (pairs of vessels), the stratum
is *relational*: each instance needs its inputs brought to it. Where nothing is shared, it stays in one place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum

from holdsfor.compiler.analysis.dependencies import Condition, DependencyGraph, conditions
from holdsfor.compiler.analysis.entities import Entities, Symbol
from holdsfor.ir import DelayRule, EffectRule, EventRule, Fvp, Happens, InitiallyRule, IntervalRule, Rule
from holdsfor.ir.metric import Aggregate, Comparison, MetricRule, atoms
from holdsfor.records import record
from holdsfor.syntax.terms import Const, Term, Var


class Spread(StrEnum):
    """How the work of a stratum is spread."""

    KEYED = "keyed"
    RELATIONAL = "relational"
    SINGLE = "single"


@record
class Exchange:
    """An input that has to be brought to a relational stratum: which of its columns meet which of the key's."""

    symbol: Symbol
    columns: tuple[int, ...]
    key: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.symbol} by {_ordinals(self.columns) or 'broadcast'}"


@record
class PartitionKey:
    """The key of a stratum. `positions` gives the key column of each fluent and event that takes part."""

    spread: Spread
    positions: tuple[tuple[Symbol, int], ...]
    exchanges: tuple[Exchange, ...]
    reason: str

    def position(self, symbol: Symbol) -> int | None:
        """The key column of one symbol."""
        return dict(self.positions).get(symbol)


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def _ordinal(position: int) -> str:
    return _ORDINALS[position] if position < len(_ORDINALS) else f"{position + 1}th"


def _ordinals(positions: Iterable[int]) -> str:
    return " and ".join(f"its {_ordinal(position)} argument" for position in positions)


@record
class _Part:
    """A head or a condition of a rule: a symbol and the terms of its columns."""

    symbol: Symbol
    columns: tuple[Term, ...]

    def at(self, name: str) -> list[int]:
        return [i for i, term in enumerate(self.columns) if isinstance(term, Var) and term.name == name]


@record
class _RuleParts:
    """The parts of a rule."""

    head: _Part
    inputs: tuple[_Part, ...]


def partition_key(members: tuple[Symbol, ...], graph: DependencyGraph) -> PartitionKey:
    """The partition key of the stratum with these fluents and events."""
    entities = graph.entities
    members = tuple(dict.fromkeys((*members, *graph.with_metric_sources(members))))
    parts = [found for symbol in members for found in _all_parts(symbol, entities)]
    widths = [len(_widest(symbol, parts)) for symbol in members]
    if not all(widths):
        name = next(symbol for symbol, width in zip(members, widths, strict=True) if not width)
        return PartitionKey(Spread.SINGLE, (), (), f"{name} has no arguments to split by")
    for position in range(widths[0]):
        found = _carry(members[0], position, parts)
        if found is not None:
            return PartitionKey(Spread.KEYED, tuple(found.items()), (), _keyed_reason(members, found, parts))
    return _relational(members, parts)


def _all_parts(symbol: Symbol, entities: Entities) -> Iterator[_RuleParts]:
    for rule in entities[symbol].rules:
        yield from _rule_parts(rule, symbol, entities)
    metric = [rule for rule in entities[symbol].metric if isinstance(rule, MetricRule)]
    yield from (_metric_parts(rule, symbol, entities) for rule in metric)
    if entities[symbol].metric and not metric:
        yield _RuleParts(_Part(symbol, tuple(Var(f"{place}") for place in range(symbol.arity))), ())


def _metric_parts(rule: MetricRule, symbol: Symbol, entities: Entities) -> _RuleParts:
    inputs = []
    for literal in rule.body:
        if isinstance(literal, Comparison):
            continue
        # What is counted or added up is no variable of the rule.
        terms = literal.terms if isinstance(literal, Aggregate) else ()
        for atom in atoms(literal.atom):
            columns = tuple(_UNSHARED if arg in terms else arg for arg in atom.args)
            inputs += [_Part(source, columns) for source in entities.meant(atom.signature)]
    return _RuleParts(_Part(symbol, rule.head.args), tuple(inputs))


_UNSHARED = Const("")
"""Stands where a variable is of no concern to the rest of a rule."""


def _rule_parts(rule: Rule, symbol: Symbol, entities: Entities) -> Iterator[_RuleParts]:
    match rule:
        case EffectRule(fvp=fvp) | IntervalRule(fvp=fvp):
            head = _Part(symbol, symbol.columns(fvp.fluent))
        case EventRule(event=event):
            head = _Part(symbol, symbol.columns(event))
        case DelayRule(trigger=trigger, effect=Fvp() as effect) if effect.fluent != trigger.fluent:
            if entities.fluent(effect) == symbol:
                source = entities.fluent(trigger)
                yield _RuleParts(
                    _Part(symbol, symbol.columns(effect.fluent)), (_Part(source, source.columns(trigger.fluent)),)
                )
            return
        case InitiallyRule() | DelayRule() | _:
            return
    yield _RuleParts(head, tuple(_part(condition) for condition in conditions(rule.body, entities)))


def _part(condition: Condition) -> _Part:
    literal = condition.literal
    term = literal.event if isinstance(literal, Happens) else literal.fvp.fluent
    return _Part(condition.symbol, condition.symbol.columns(term))


def _widest(symbol: Symbol, parts: list[_RuleParts]) -> tuple[Term, ...]:
    return next((part.head.columns for part in parts if part.head.symbol == symbol), ())


def _carry(symbol: Symbol, position: int, parts: list[_RuleParts]) -> dict[Symbol, int] | None:
    """Key positions of everything that the rules touch, starting from one; None where a rule loses the key."""
    found = {symbol: position}
    size = 0
    while len(found) > size:
        size = len(found)
        for part in parts:
            key = _key_of(part, found)
            if key is None:
                continue
            if not isinstance(key, Var):
                return None
            for touched in (part.head, *part.inputs):
                places = touched.at(key.name)
                if not places or found.setdefault(touched.symbol, places[0]) not in places:
                    return None
    return found


def _key_of(part: _RuleParts, found: dict[Symbol, int]) -> Term | None:
    """The term that stands at a known key position of the rule's head, or else of one of its inputs."""
    for touched in (part.head, *part.inputs):
        if touched.symbol in found:
            return touched.columns[found[touched.symbol]]
    return None


def _keyed_reason(members: tuple[Symbol, ...], found: dict[Symbol, int], parts: list[_RuleParts]) -> str:
    names = list(
        dict.fromkeys(
            term.name for part in parts if isinstance(term := part.head.columns[found[part.head.symbol]], Var)
        )
    )
    shown = "/".join(names) if names else _ordinal(found[members[0]])
    if not any(part.inputs for part in parts):
        return f"its {_ordinal(found[members[0]])} argument; no rule joins it with anything"
    return f"every rule carries {shown} through all its events and fluents"


def _relational(members: tuple[Symbol, ...], parts: list[_RuleParts]) -> PartitionKey:
    """Instances are spread by their whole key; what shares some columns with it is exchanged on those."""
    tied = [
        part
        for part in parts
        for source in part.inputs
        if source.symbol in members and not _same_key(part.head, source)
    ]
    if tied:
        rule = tied[0]
        message = (
            f"a rule for {rule.head.symbol} joins instances of one cycle that share no argument, so they stay together"
        )
        return PartitionKey(Spread.SINGLE, (), (), message)
    exchanges: dict[Symbol, Exchange] = {}
    for part in parts:
        for source in part.inputs:
            if source.symbol not in members:
                pairs = [
                    (i, j)
                    for j, term in enumerate(part.head.columns)
                    if isinstance(term, Var)
                    for i in source.at(term.name)
                ]
                exchanges.setdefault(
                    source.symbol, Exchange(source.symbol, tuple(i for i, _ in pairs), tuple(j for _, j in pairs))
                )
    names = [term.name for term in parts[0].head.columns if isinstance(term, Var)]
    reason = f"no single argument runs through every rule: instances are spread by ({', '.join(names)}) and get {'; '.join(map(str, exchanges.values()))}"
    return PartitionKey(Spread.RELATIONAL, (), tuple(exchanges.values()), reason)


def _same_key(head: _Part, source: _Part) -> bool:
    """Whether a condition on the same cycle is about the same instance, in whatever order."""
    mine = {term.name for term in head.columns if isinstance(term, Var)}
    return {term.name for term in source.columns if isinstance(term, Var)} == mine and len(source.columns) == len(
        head.columns
    )
