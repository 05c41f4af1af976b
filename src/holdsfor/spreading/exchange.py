"""The exchange: rows that rules read by a part of an instance go only to the buckets that hold such instances.

`initiatedAt(near(A,B)=true, T) :- happensAt(ping(A,B), T), holdsAt(flying(A)=true, T)` is spread by A and B, and reads
`flying` by A alone. Every `near` has a `ping` with its whole key, so a row of `flying` is needed just where there are
pings of its A. That holds if every rule that makes an instance has such a condition on the stream, directly or by way of
other fluents of its stage. Otherwise every bucket gets all rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from holdsfor.compiler.analysis.alignment import Places, Reading, RuleShape, fitting_places, ranges
from holdsfor.compiler.analysis.dependencies import conditions
from holdsfor.compiler.analysis.entities import EntityKind, Role, Symbol
from holdsfor.compiler.analysis.variants import Variant, variants
from holdsfor.compiler.plan import Plan, Stratum
from holdsfor.ir import (
    Boundary,
    DelayRule,
    Effect,
    EffectKind,
    EffectRule,
    EventRule,
    Fvp,
    Happens,
    Holds,
    InitiallyRule,
    IntervalOperator,
    IntervalRule,
    Intervals,
    Rule,
)
from holdsfor.ir.literals import DURATIONS, METRIC
from holdsfor.spreading.alignment import rule_shapes
from holdsfor.syntax.terms import Term, Var

Columns = tuple[int | None, ...]


@dataclass(frozen=True)
class _Bringer:
    """An input of the stream that has the whole key of instances, and at which places it has their arguments."""

    source: Symbol
    key: Places
    columns: Columns


_Bringers = frozenset[_Bringer]


@dataclass(frozen=True, order=True)
class Match:
    """A row that has at `place` what a row of the stream's `source` has at `at` goes to the bucket of the latter's key."""

    place: int
    source: Symbol
    key: Places
    at: int


class Exchanges:
    """Finds out what can be sent where it is needed, of the inputs of one stage."""

    def __init__(
        self, strata: Sequence[Stratum], members: Mapping[Symbol, Places], home: Mapping[Symbol, int], plan: Plan
    ) -> None:
        self._plan, self._members, self._home = plan, members, home
        self._entities = plan.analysis.entities
        self._ends_read = frozenset(
            condition.symbol
            for stratum in plan.strata
            for rule in stratum.rules
            for condition in conditions(rule.body, self._entities)
            if isinstance(condition.literal, Effect) and condition.literal.kind is EffectKind.TERMINATED
        )
        self._shapes: list[tuple[RuleShape, _Bringers | None]] = []
        self._brought: dict[Symbol, _Bringers | None] = {}
        self._is_known = True
        for stratum in strata:
            shapes = rule_shapes(stratum, plan)
            found = self._bringers(stratum, shapes)
            for symbol in stratum.members:
                # Fluents that read each other may pass on keys, and have other arguments from elsewhere.
                is_alone = not any(reading.symbol in stratum.members for shape in shapes for reading in shape.readings)
                self._brought[symbol] = found if found is None or is_alone else self._by_key(found, symbol)
            self._shapes += [(shape, self._brought[shape.symbol]) for shape in shapes]

    def of(self, symbol: Symbol) -> tuple[Match, ...]:
        """Where the rows of an input go; nothing if every bucket must have them."""
        matches: set[Match] = set()
        for shape, bringers in self._shapes:
            key = [shape.columns[place] for place in self._members[shape.symbol]]
            for reading in shape.readings:
                if reading.symbol != symbol:
                    continue
                shared = next(_shared(reading, shape, bringers or ()), None)
                if bringers is None or shared is None or ranges(shape, reading, key):
                    return ()
                place, column = shared
                matches |= {
                    Match(place, one.source, one.key, at) for one in bringers if (at := one.columns[column]) is not None
                }
        # By several places a row could come to one bucket twice.
        alike = len({match.place for match in matches}) == 1
        return tuple(sorted(matches)) if alike and self._is_known else ()

    def _by_key(self, bringers: _Bringers, symbol: Symbol) -> _Bringers:
        """The same, as far as they have the key of a symbol."""
        places = self._members[symbol]
        width = symbol.arity - len(symbol.inner) + sum(arity for _, _, arity in symbol.inner)
        return frozenset(
            _Bringer(
                one.source,
                one.key,
                tuple(one.key[places.index(column)] if column in places else None for column in range(width)),
            )
            for one in bringers
        )

    def _bringers(self, stratum: Stratum, shapes: Sequence[RuleShape]) -> _Bringers | None:
        """What brings the keys of all instances of a stratum."""
        shaped = {id(shape.rule): shape for shape in shapes}
        found: _Bringers = frozenset()
        for symbol in stratum.members:
            for rule in self._entities[symbol].rules:
                if not isinstance(rule, EffectRule | EventRule | IntervalRule | DelayRule):
                    self._is_known &= isinstance(rule, InitiallyRule)
                    return None
                if not self._makes(rule, symbol):
                    continue
                shape = shaped.get(id(rule))
                brought = None if shape is None else self._of_rule(shape, stratum)
                if brought is None:
                    return None
                found |= brought
        return found

    def _makes(self, rule: Rule, symbol: Symbol) -> bool:
        """Whether a rule makes instances of a symbol, or ends that others ask for."""
        if isinstance(rule, DelayRule):
            effect = rule.effect
            return (
                isinstance(effect, Fvp)
                and effect.fluent != rule.trigger.fluent
                and self._entities.fluent(effect) == symbol
            )
        ends = isinstance(rule, EffectRule) and rule.kind is EffectKind.TERMINATED
        return not ends or symbol in self._ends_read

    def _of_rule(self, shape: RuleShape, stratum: Stratum) -> _Bringers | None:
        if isinstance(shape.rule, IntervalRule):
            if shape.ranging:
                return None
            choices = [_certain(shape.rule.out, variant) for variant in variants(shape.rule)]
            found = [self._first(map(self._leaf, leaves), shape, stratum) for leaves in choices]
            return (
                None if not found or None in found else frozenset().union(*(keys for keys in found if keys is not None))
            )
        return self._first(self._certain_readings(shape), shape, stratum)

    def _certain_readings(self, shape: RuleShape) -> Iterator[Reading]:
        """The conditions that must be met whenever a rule fires."""
        if isinstance(shape.rule, DelayRule):
            yield from shape.readings
            return
        for literal in shape.rule.body:
            match literal:
                case Happens(event=event):
                    symbol = self._entities.event(event)
                    yield Reading(symbol, symbol.columns(event))
                case Boundary(fvp=fvp) | Holds(fvp=fvp):
                    yield self._pair(fvp)
                case Effect(kind=EffectKind.INITIATED, fvp=fvp):
                    yield self._pair(fvp)
                case _:
                    continue

    def _leaf(self, leaf: Intervals) -> Reading:
        return self._pair(leaf.fvp)

    def _pair(self, fvp: Fvp) -> Reading:
        symbol = self._entities.fluent(fvp)
        return Reading(symbol, symbol.columns(fvp.fluent))

    def _first(self, readings: Iterator[Reading], shape: RuleShape, stratum: Stratum) -> _Bringers | None:
        """What brings the key of an instance, by the first condition that has all of it."""
        key = [shape.columns[place] for place in self._members[shape.symbol]]
        for reading in readings:
            places = next(fitting_places(reading, key), None)
            if places is None:
                continue
            symbol = reading.symbol
            columns = tuple(_place_of(term, reading) for term in shape.columns)
            streamed: _Bringers = frozenset({_Bringer(symbol, places, columns)})
            if symbol in stratum.members:
                # Somewhere the chain of its own instances begins, with another rule.
                return streamed if symbol.kind is EntityKind.EVENT else frozenset()
            made = self._brought.get(symbol)
            if made is not None:
                passed = frozenset(
                    _Bringer(one.source, one.key, tuple(None if at is None else one.columns[at] for at in columns))
                    for one in made
                )
                return passed | streamed if symbol.kind is EntityKind.EVENT else passed
            is_input = self._entities[symbol].role in (Role.INPUT_EVENT, Role.INPUT_FLUENT)
            if is_input and symbol not in self._home:
                return streamed
        return None


def _place_of(term: Term, reading: Reading) -> int | None:
    """Where a condition has a term."""
    return next((place for place, found in enumerate(reading.columns) if found == term), None)


def _shared(reading: Reading, shape: RuleShape, bringers: Collection[_Bringer]) -> Iterator[tuple[int, int]]:
    """The places of a condition that have an argument of the instance that every bringer has, and which one."""
    for place, term in enumerate(reading.columns):
        for column, wanted in enumerate(shape.columns):
            known = all(one.columns[column] is not None for one in bringers)
            if isinstance(term, Var) and term == wanted and known:
                yield place, column


def _certain(term: Term, variant: Variant) -> frozenset[Intervals]:
    """The lists that are not empty wherever an interval list is not."""
    node = variant.nodes.get(term.name) if isinstance(term, Var) else None
    if node is None:
        return frozenset()
    if isinstance(node, Intervals):
        return frozenset({node})
    below = [_certain(item, variant) for item in node.inputs]
    match node.operator:
        case IntervalOperator.UNION:
            return frozenset.intersection(*below) if below else frozenset()
        case IntervalOperator.INTERSECTION | IntervalOperator.SEQUENCE:
            return frozenset().union(*below)
        case IntervalOperator.RELATIVE_COMPLEMENT:
            return below[0]
        case IntervalOperator.SINCE | IntervalOperator.UNTIL:
            return below[1]
        case operator if operator in DURATIONS or operator in METRIC:
            return below[0]
        case _:
            return frozenset()
