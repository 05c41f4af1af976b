"""Finds keys that rules tie together: a component in a cycle reads its own results for other keys.

A rule such as `initiatedAt(ill(X)=true, T) :- happensAt(meet(X,Y), T), holdsAt(ill(Y)=true, T)` needs the histories of
X and Y together, and so the histories of all their contacts. Every such rule must have conditions that lead from the
key of its head to the keys that it reads of its own component. Then rows of these conditions tie keys. Keys that are
tied directly or through others are evaluated as one. The conditions are on input, on results of earlier stages, or on
facts.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice, product

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.alignment import Places, RuleShape, Spreading, ranges, spreadings
from holdsfor.compiler.analysis.dependencies import conditions
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.ir import Boundary, Call, Effect, EffectRule, EventRule, Happens, Holds
from holdsfor.logic.unify import is_ground
from holdsfor.physical.instructions import Constant, Origin, Shape, origin
from holdsfor.physical.model import FactTie
from holdsfor.physical.scope import RegisterScope
from holdsfor.records import record
from holdsfor.syntax.terms import Term, Var, arguments, functor

_MOST_CHOICES = 64

Predicate = tuple[str, int]


@record
class FactPlaces:
    """Two places of a fact table whose values are tied."""

    predicate: Predicate
    one: int
    other: int


@record
class Ties:
    """A key of one column for a component, the routes of each input, what ties keys, and the rules that need it.

    All keys read input without spreadings whole. Rows that have the key at several places tie these keys.
    """

    members: Mapping[Symbol, Places]
    inputs: Mapping[Symbol, list[Spreading]]
    facts: tuple[FactPlaces, ...]
    rules: tuple[Origin, ...]

    @property
    def why(self) -> str:
        """The reason in words."""
        many = len(self.rules) > 1
        named = ", ".join(map(str, self.rules))
        return f"the rule{'s' if many else ''} at {named} read{'' if many else 's'} {'their' if many else 'its'} own cycle for other keys"


@record
class _Link:
    """Two places of an input or of a fact table whose values belong together."""

    source: Symbol | Predicate
    one: int
    other: int


def find_ties(
    members: Sequence[Symbol], shapes: Sequence[RuleShape], analysis: Analysis, without_key: frozenset[Symbol]
) -> Ties | None:
    """The key of a component whose rules tie keys, with the fewest inputs that all keys read; None if there is none.

    `without_key` is input that no rule reads with a key.
    """
    if any(one.is_trigger and one.symbol not in members for shape in shapes for one in shape.readings):
        return None
    widths = [next((len(shape.columns) for shape in shapes if shape.symbol == one), 0) for one in members]
    found: list[Ties] = []
    for choice in islice(product(*map(range, widths)), _MOST_CHOICES):
        search = _Search(dict(zip(members, choice, strict=True)), shapes, analysis, without_key)
        ties = search.ties()
        if ties is not None:
            found.append(ties)
    return min(found, key=lambda one: sum(not some for some in one.inputs.values()), default=None)


class _Search:
    """Searches ties with the key of each member at one place."""

    def __init__(
        self,
        members: Mapping[Symbol, int],
        shapes: Sequence[RuleShape],
        analysis: Analysis,
        without_key: frozenset[Symbol],
    ) -> None:
        self._members = members
        self._shapes = shapes
        self._entities = analysis.entities
        self._background = analysis.background
        self._without_key = without_key
        self._links: dict[_Link, None] = {}
        self._uses: dict[Symbol, list[frozenset[Places]]] = {}
        self._rules: dict[Origin, None] = {}

    def ties(self) -> Ties | None:
        if not all(map(self._follow, self._shapes)) or not self._links:
            return None
        inputs = {symbol: self._spreadings(symbol, uses) for symbol, uses in self._uses.items()}
        linked = {link.source for link in self._links if isinstance(link.source, Symbol)}
        if any(not inputs[symbol] for symbol in linked):
            # Its rows tie keys and are also read by all keys.
            return None
        facts = [
            FactPlaces(link.source, link.one, link.other) for link in self._links if not isinstance(link.source, Symbol)
        ]
        members = {symbol: (place,) for symbol, place in self._members.items()}
        return Ties(members, inputs, tuple(sorted(facts, key=repr)), tuple(sorted(self._rules, key=str)))

    def _spreadings(self, symbol: Symbol, uses: list[frozenset[Places]]) -> list[Spreading]:
        if symbol in self._without_key or not all(uses):
            return []
        tied: set[Places] = {
            (place,) for link in self._links if link.source == symbol for place in (link.one, link.other)
        }
        if not tied:
            return spreadings(uses)
        for fitting in uses:
            if not fitting & tied:
                tied.add(min(fitting))
        return [tuple(sorted(tied))]

    def _follow(self, shape: RuleShape) -> bool:
        """Records the ties of a rule and its reads of inputs; False if its reads of the cycle are not tied."""
        members = self._members
        key = _name(shape.columns[members[shape.symbol]])
        own = [one for one in shape.readings if one.symbol in members]
        wanted = {_name(one.columns[members[one.symbol]]) for one in own}
        if key is None or None in wanted:
            return False
        term = [shape.columns[members[shape.symbol]]]
        if any(ranges(shape, one, term) for one in own):
            return False
        wanted.discard(key)
        names = {key}
        if wanted:
            if shape.ranging or not isinstance(shape.rule, EffectRule | EventRule):
                return False
            previous = _previous(key, list(self._steps(shape.rule)))
            if not wanted <= previous.keys():
                return False
            self._rules[origin(shape.rule.span)] = None
            for end in wanted:
                name = end
                while name is not None and name != key:
                    names.add(name)
                    name, link = previous[name]
                    self._links[link] = None
        for reading in shape.readings:
            if reading.symbol not in members:
                is_whole = ranges(shape, reading, term)
                places = ((place,) for place, one in enumerate(reading.columns) if _name(one) in names and not is_whole)
                self._uses.setdefault(reading.symbol, []).append(frozenset(places))
        return True

    def _steps(self, rule: EffectRule | EventRule) -> Iterator[tuple[str, str, _Link]]:
        """Pairs of variables that a condition relates whenever the rule fires."""
        for literal in rule.body:
            if isinstance(literal, Call):
                name = functor(literal.atom)
                if name is not None and self._has_facts(name, literal.atom):
                    yield from _pairs(name, arguments(literal.atom))
                continue
            if not isinstance(literal, Happens | Holds | Boundary | Effect):
                continue
            for condition in conditions((literal,), self._entities):
                if condition.symbol not in self._members and condition.symbol not in self._without_key:
                    term = literal.event if isinstance(literal, Happens) else literal.fvp.fluent
                    yield from _pairs(condition.symbol, condition.symbol.columns(term))

    def _has_facts(self, name: Predicate, atom: Term) -> bool:
        """Whether a predicate has ground facts only."""
        rules = self._background.rules.get(name)
        if not rules or self._background.depends_on_input(atom):
            return False
        return all(not rule.body and is_ground(rule.head) for rule in rules)


def _previous(key: str, steps: list[tuple[str, str, _Link]]) -> dict[str | None, tuple[str, _Link]]:
    """The shortest path to every variable: the previous variable, and the link between them."""
    found: dict[str | None, tuple[str, _Link]] = {}
    waiting = deque([key])
    while waiting:
        name = waiting.popleft()
        for one, other, link in steps:
            for here, there in ((one, other), (other, one)):
                if here == name and there != key and there not in found:
                    found[there] = name, link
                    waiting.append(there)
    return found


def _pairs(source: Symbol | Predicate, columns: Sequence[Term]) -> Iterator[tuple[str, str, _Link]]:
    named = [(place, name) for place, term in enumerate(columns) if (name := _name(term)) is not None]
    for (one, first), (other, second) in combinations(named, 2):
        yield first, second, _Link(source, one, other)


def _name(term: Term) -> str | None:
    return term.name if isinstance(term, Var) else None


def fact_ties(places: Sequence[FactPlaces], analysis: Analysis) -> tuple[FactTie, ...]:
    """The groups of keys that facts tie, table by table."""
    return tuple(_fact_tie(one, analysis) for one in places)


def _fact_tie(places: FactPlaces, analysis: Analysis) -> FactTie:
    scope = RegisterScope(occurrences=Counter())
    values: dict[tuple[object, Shape], Shape] = {}
    parent: dict[tuple[object, Shape], tuple[object, Shape]] = {}

    def root(one: tuple[object, Shape]) -> tuple[object, Shape]:
        while parent.setdefault(one, one) != one:
            parent[one] = one = parent[parent[one]]
        return one

    for rule in analysis.background.rules[places.predicate]:
        row = arguments(rule.head)
        pair = scope.patterns((row[places.one], row[places.other]))
        one, other = map(_identity, pair)
        values |= {one: pair[0], other: pair[1]}
        parent[root(other)] = root(one)
    groups: dict[tuple[object, Shape], list[Shape]] = {}
    for identity, value in values.items():
        groups.setdefault(root(identity), []).append(value)
    name, arity = places.predicate
    tied = tuple(tuple(group) for group in groups.values() if len(group) > 1)
    return FactTie(f"{name}/{arity}", (places.one, places.other), tied)


def _identity(value: Shape) -> tuple[object, Shape]:
    """1 and 1.0 are different values."""
    return type(value.value) if isinstance(value, Constant) else None, value
