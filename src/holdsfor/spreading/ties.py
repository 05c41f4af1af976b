"""Cycles that tie keys together: instances that occur together in some input stay in one bucket.

A rule such as `initiatedAt(ill(X)=true, T) :- happensAt(meet(X,Y), T), holdsAt(ill(Y)=true, T)` needs the histories of X
and Y in one place, and so those of everyone either has met. Where every such rule has conditions that lead from its head
to what it reads of its own cycle, the connected components of what those conditions bring together are the keys.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product

from holdsfor.compiler.analysis.alignment import Places, Reading, RuleShape, spreadings
from holdsfor.compiler.analysis.dependencies import conditions
from holdsfor.compiler.analysis.entities import Role, Symbol
from holdsfor.compiler.plan import Plan, Stratum
from holdsfor.engine.dictionary import value_of
from holdsfor.engine.kernels import Ints
from holdsfor.ir import Call, EffectRule, EventRule, Happens
from holdsfor.ir.metric import MetricRule
from holdsfor.logic.unify import is_ground
from holdsfor.spreading.alignment import Option
from holdsfor.spreading.keys import parts
from holdsfor.syntax.terms import Term, Var, arguments, functor

_MOST_CHOICES = 64


@dataclass(frozen=True)
class Link:
    """Two places of an input, or of a table of facts, whose values belong together."""

    source: Symbol | tuple[str, int]
    one: int
    other: int

    def __str__(self) -> str:
        return str(self.source) if isinstance(self.source, Symbol) else f"{self.source[0]}/{self.source[1]}"


@dataclass(frozen=True)
class _Reached:
    """The variables that conditions of a rule lead to from its key, and the links on the way."""

    names: frozenset[str]
    links: frozenset[Link]


def tied_option(stratum: Stratum, shapes: Sequence[RuleShape], plan: Plan) -> tuple[Option, tuple[Link, ...]] | None:
    """The way to spread a stratum by connected components, with the links that make them; None if there is none."""
    if any(reading.is_trigger for shape in shapes for reading in shape.readings):
        return None
    widths = [_width(symbol, shapes) for symbol in stratum.members]
    for choice in islice(product(*map(range, widths)), _MOST_CHOICES):
        found = _tied(dict(zip(stratum.members, choice, strict=True)), shapes, plan)
        if found is not None:
            return found
    return None


def _width(symbol: Symbol, shapes: Sequence[RuleShape]) -> int:
    return next((len(shape.columns) for shape in shapes if shape.symbol == symbol), 0)


def _tied(
    members: Mapping[Symbol, int], shapes: Sequence[RuleShape], plan: Plan
) -> tuple[Option, tuple[Link, ...]] | None:
    links: dict[Link, None] = {}
    uses: dict[Symbol, list[frozenset[Places]]] = {}
    for shape in shapes:
        reached = _reached(shape, members, plan)
        if reached is None:
            return None
        links |= dict.fromkeys(sorted(reached.links, key=repr))
        for reading in shape.readings:
            if reading.symbol not in members:
                places = frozenset((p,) for p, term in enumerate(reading.columns) if _name(term) in reached.names)
                uses.setdefault(reading.symbol, []).append(places)
    aligned = {symbol: found for symbol, fitting in uses.items() if (found := spreadings(fitting))}
    if not links or not aligned:
        return None
    replicated = frozenset(uses.keys() - aligned.keys())
    return Option({s: (p,) for s, p in members.items()}, aligned, replicated, frozenset()), tuple(links)


def _reached(shape: RuleShape, members: Mapping[Symbol, int], plan: Plan) -> _Reached | None:
    """What the conditions of a rule lead to; None if they do not lead to all that it reads of its own cycle."""
    key = _name(shape.columns[members[shape.symbol]])
    wanted = {_name(r.columns[members[r.symbol]]) for r in shape.readings if r.symbol in members}
    if key is None or None in wanted:
        return None
    wanted.discard(key)
    if wanted and (shape.ranging or not isinstance(shape.rule, EffectRule | EventRule)):
        return None
    ways = _ways(key, list(_steps(shape, members, plan))) if wanted else {}
    if not wanted <= ways.keys():
        return None
    names, links = {key}, set()
    for end in wanted:
        name = end
        while name is not None and name != key:
            names.add(name)
            name, link = ways[name]
            links.add(link)
    return _Reached(frozenset(names), frozenset(links))


def _ways(key: str, steps: list[tuple[str, str, Link]]) -> dict[str | None, tuple[str, Link]]:
    """The shortest way to every variable: the one before it, and the link between them."""
    found: dict[str | None, tuple[str, Link]] = {}
    waiting = deque([key])
    while waiting:
        name = waiting.popleft()
        for one, other, link in steps:
            for here, there in ((one, other), (other, one)):
                if here == name and there != key and there not in found:
                    found[there] = name, link
                    waiting.append(there)
    return found


def _steps(shape: RuleShape, members: Mapping[Symbol, int], plan: Plan) -> Iterator[tuple[str, str, Link]]:
    """Pairs of variables that a condition brings together whenever the rule fires."""
    entities, background = plan.analysis.entities, plan.analysis.background
    for literal in () if isinstance(shape.rule, MetricRule) else shape.rule.body:
        if isinstance(literal, Call):
            name = functor(literal.atom)
            rules = background.rules.get(name, []) if name is not None else []
            if name is not None and rules and all(not rule.body and is_ground(rule.head) for rule in rules):
                yield from _pairs(name, arguments(literal.atom))
            continue
        for condition in conditions((literal,), entities):
            is_input = entities[condition.symbol].role in (Role.INPUT_EVENT, Role.INPUT_FLUENT)
            if condition.literal is literal and is_input and condition.symbol not in members:
                found = condition.literal
                term = found.event if isinstance(found, Happens) else found.fvp.fluent
                yield from _pairs(condition.symbol, condition.symbol.columns(term))


def _pairs(source: Symbol | tuple[str, int], columns: Sequence[Term]) -> Iterator[tuple[str, str, Link]]:
    named = [(place, name) for place, term in enumerate(columns) if (name := _name(term)) is not None]
    for (one, first), (other, second) in combinations(named, 2):
        yield first, second, Link(source, one, other)


def _name(term: Term) -> str | None:
    return term.name if isinstance(term, Var) else None


def tying_rules(members: Mapping[Symbol, Places], shapes: Sequence[RuleShape]) -> list[str]:
    """Where the rules are that read other keys of their own cycle."""

    def key(columns: Sequence[Term], places: Places) -> list[Term]:
        return [columns[place] for place in places]

    def ties(shape: RuleShape, reading: Reading) -> bool:
        if reading.symbol not in members:
            return False
        return key(reading.columns, members[reading.symbol]) != key(shape.columns, members[shape.symbol])

    found = [shape.rule.span.location for shape in shapes if any(ties(shape, reading) for reading in shape.readings)]
    return list(dict.fromkeys(found))


def fact_parts(plan: Plan, link: Link) -> tuple[Ints, Ints]:
    """The parts of keys that a table of facts brings together."""
    assert not isinstance(link.source, Symbol)
    rows = [arguments(rule.head) for rule in plan.analysis.background.rules[link.source]]
    return parts(value_of(row[link.one]) for row in rows), parts(value_of(row[link.other]) for row in rows)
