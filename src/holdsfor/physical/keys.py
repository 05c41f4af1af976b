"""Chooses stages and their keys: what is evaluated together for one key, and how rows reach it.

A key is one or more columns that every rule passes on, from what it reads of its own component to its head. Components
are processed in dependency order. Each gets the best key that its rules allow and joins the first stage with this key.

Rows that rules read with the whole key go to that key. Rows read with a partial key go to all keys with that value.
Rows read without the key go to all keys. Every rule needs a condition with the whole key. So a key that no row mentions
needs no evaluation, and the keys are those of the rows.

A component in a cycle that leads from key to key has a stage of its own, whose keys are tied (`ties`). A component
without a key is evaluated for all entities at once, as one key; `why` names the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from holdsfor import ir
from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.alignment import (
    Places,
    RuleReading,
    RuleShape,
    Spreading,
    choices,
    input_spreadings,
    member_places,
    rule_shape,
)
from holdsfor.compiler.analysis.entities import Entities, Symbol
from holdsfor.physical.instructions import origin
from holdsfor.physical.open_ends import openly_ended
from holdsfor.physical.order import by_name, component_order, rule_order
from holdsfor.physical.required import makes_intervals, required_leaves
from holdsfor.physical.ties import FactPlaces, find_ties
from holdsfor.records import record

PartialKeys = tuple[Places, ...]
"""For each of some places, the columns of the key that can have its value."""
TimedRule = ir.EffectRule | ir.EventRule | ir.IntervalRule


@record
class Input:
    """How rows of an input reach keys: by the key, or by `partial_keys`. Without places, all keys share them."""

    symbol: Symbol
    places: Spreading = ()
    partial_keys: PartialKeys = ()


@record
class KeyedComponent:
    """Fluents and events that are evaluated together, with their rules in order and the key shape of each rule."""

    members: tuple[Symbol, ...]
    rules: tuple[ir.Rule, ...]
    shapes: tuple[RuleShape, ...]

    @property
    def triggers(self) -> frozenset[Symbol]:
        """The fluents whose delayed effects reach into the component. They must be evaluated in the same stage."""
        readings = (reading for shape in self.shapes for reading in shape.readings)
        return frozenset(one.symbol for one in readings if one.is_trigger and one.symbol not in self.members)


@record
class StageDraft:
    """A stage in terms of symbols."""

    components: tuple[KeyedComponent, ...]
    key: int
    members: tuple[tuple[Symbol, Places], ...]
    inputs: tuple[Input, ...]
    why: str = ""
    is_tied: bool = False
    facts: tuple[FactPlaces, ...] = ()


@record
class _Key:
    """A possible key of a component: its places in the members, and one route for each input, if the input has any.

    If it `is_tied`, rows that have the key at several places tie keys, and so do `facts`.
    """

    members: Mapping[Symbol, Places]
    inputs: Mapping[Symbol, list[Spreading]]
    is_tied: bool = False
    facts: tuple[FactPlaces, ...] = ()

    @property
    def size(self) -> int:
        return len(next(iter(self.members.values())))


@dataclass
class _Stage:
    """A stage under construction; `routes` are the remaining routes for the symbols that its components use."""

    size: int
    components: list[KeyedComponent] = field(default_factory=list)
    members: dict[Symbol, Places] = field(default_factory=dict)
    routes: dict[Symbol, list[Spreading]] = field(default_factory=dict)
    why: dict[str, None] = field(default_factory=dict)
    is_tied: bool = False
    facts: tuple[FactPlaces, ...] = ()

    def joined(self, component: KeyedComponent, key: _Key) -> dict[Symbol, list[Spreading]] | None:
        """The routes that remain if a component with this key joins; None if the component does not fit."""
        if key.size != self.size:
            return None
        # Tied keys are evaluated together. So a component joins such a stage only if it must.
        is_bound = any(symbol in self.members for symbol in component.triggers)
        if self.components and (key.is_tied or (self.is_tied and not is_bound)):
            return None
        wanted: dict[Symbol, list[Spreading]] = {symbol: [(places,)] for symbol, places in key.members.items()}
        wanted.update(key.inputs)
        for symbol, some in wanted.items():
            known = self.routes.get(symbol)
            if known is not None:
                wanted[symbol] = [one for one in known if one in some]
                if not wanted[symbol] and (known or some):
                    return None
        return wanted


def choose_stages(
    analysis: Analysis, filling: frozenset[Symbol] = frozenset(), *, is_traced: bool = False
) -> Iterator[StageDraft]:
    """The stages of a program in order. Input that only fills domains has stages without components."""
    choice = _Choice(analysis)
    components = [choice.component(members) for members in component_order(analysis, is_traced=is_traced)]
    stages = choice.stages(components)
    if stages is None:
        why = "delayed effects tie fluents together that share no key"
        members: dict[Symbol, Places] = {symbol: () for one in components for symbol in one.members}
        stages = [_Stage(0, components, members, {}, {why: None})]
    read: set[Symbol] = set()
    for stage in map(choice.draft, stages):
        yield stage
        read |= {one.symbol for one in stage.inputs}
    for symbol in sorted(filling - read, key=by_name):
        places = next(choices(symbol), ())
        yield StageDraft((), len(places), (), (Input(symbol, (places,)),), "its rows fill a domain and nothing else")


class _Choice:
    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._entities = analysis.entities
        self._ends_read = _terminations_read(analysis.program.rules, analysis.entities)
        self._openly_ended = openly_ended(analysis) if self._ends_read else frozenset()
        self._home: dict[Symbol, int] = {}

    def component(self, members: tuple[Symbol, ...]) -> KeyedComponent:
        if members[0] in self._analysis.graph.metric:
            from holdsfor.compiler.analysis.metric_shapes import metric_shapes

            return KeyedComponent(members, (), tuple(metric_shapes(members, self._analysis)))
        ordered = [(rule, symbol) for symbol in members for rule in rule_order(self._entities[symbol].rules)]
        shapes = (rule_shape(rule, symbol, self._entities) for rule, symbol in ordered)
        rules = tuple({id(rule): rule for rule, _ in ordered}.values())
        return KeyedComponent(members, rules, tuple(one for one in shapes if one is not None))

    def stages(self, components: Iterable[KeyedComponent]) -> list[_Stage] | None:
        """Assigns each component to the first stage that accepts it; None if delayed effects would leave a stage."""
        stages: list[_Stage] = []
        for component in components:
            keys, why = self._keys(component)
            if self._place(component, keys, stages, ""):
                continue
            ties = self._ties(component)
            if ties is not None and self._place(component, [ties[0]], stages, ties[1]):
                continue
            if not self._place(component, [self._one_key(component)], stages, why):
                return None
        return stages

    def _place(self, component: KeyedComponent, keys: Sequence[_Key], stages: list[_Stage], why: str) -> bool:
        for number in range(len(stages) + 1):
            for key in keys:
                is_new = number == len(stages)
                stage = _Stage(key.size, is_tied=key.is_tied, facts=key.facts) if is_new else stages[number]
                routes = stage.joined(component, key) if self._is_ready(component, key, number) else None
                if routes is None:
                    continue
                stage.components.append(component)
                stage.members |= key.members
                stage.routes |= routes
                stage.why |= {why: None} if why else {}
                if is_new:
                    stages.append(stage)
                self._home |= dict.fromkeys(component.members, number)
                return True
        return False

    def _is_ready(self, component: KeyedComponent, key: _Key, number: int) -> bool:
        """Whether all inputs are available in time. Results of the same stage must be read with the whole key."""
        home = self._home
        for symbol, spreadings in key.inputs.items():
            if home.get(symbol, -1) > number or (not spreadings and home.get(symbol) == number):
                return False
        # A trigger in a later component has delayed effects that can never occur.
        return all(home.get(symbol, number) == number for symbol in component.triggers)

    # Keys of one component

    def _one_key(self, component: KeyedComponent) -> _Key:
        everything: list[Spreading] = [((),)]
        readings = (reading for shape in component.shapes for reading in shape.readings)
        inputs = {one.symbol: everything for one in readings if one.symbol not in component.members}
        return _Key(dict.fromkeys(component.members, ()), inputs)

    def _keys(self, component: KeyedComponent) -> tuple[list[_Key], str]:
        """The best keys of a component, all equally good; otherwise the reason why it has none."""
        ranked: list[tuple[tuple[int, ...], _Key]] = []
        why = ""
        for places in choices(component.members[0]):
            members = member_places(component.members, component.shapes, places)
            if members is None:
                continue
            key = _Key(members, self._spreadings(component, members))
            if any(not key.inputs.get(symbol) for symbol in component.triggers):
                continue
            loose = self._without_key(component, key)
            if not loose:
                ranked.append((self._rank(component, key), key))
            why = why or loose
        best = min((rank for rank, _ in ranked), default=())
        return [key for rank, key in ranked if rank == best], why or _tie(component)

    def _ties(self, component: KeyedComponent) -> tuple[_Key, str] | None:
        """A key that rows and facts tie, and the reason; None if there is none."""
        if component.members[0] in self._analysis.graph.metric:
            return None
        ties = find_ties(component.members, component.shapes, self._analysis, self._without_keys(component))
        if ties is None:
            return None
        key = _Key(ties.members, ties.inputs, is_tied=True, facts=ties.facts)
        return None if self._without_key(component, key) else (key, ties.why)

    def _without_keys(self, component: KeyedComponent) -> frozenset[Symbol]:
        """A place where a fluent without a key is terminated for all instances."""
        return self._openly_ended & _terminations_read(component.rules, self._entities)

    def _spreadings(self, component: KeyedComponent, members: Mapping[Symbol, Places]) -> dict[Symbol, list[Spreading]]:
        found = input_spreadings(members, component.shapes)
        for symbol in self._without_keys(component):
            found[symbol] = []
        return {symbol: some for symbol, some in found.items() if symbol not in members}

    def _rank(self, component: KeyedComponent, key: _Key) -> tuple[int, ...]:
        """Ranks a key. Inputs shared by all keys are worst, then inputs read by partial keys; in both cases keys with the fewest
        columns win.

        Among equal keys, the first column alone wins.
        """
        others = [symbol for symbol, spreadings in key.inputs.items() if not spreadings]
        if not others:
            return 0, 0, 0
        by_partial_keys = sum(bool(_links(symbol, component.shapes, key.members)) for symbol in others)
        return len(others) - by_partial_keys, by_partial_keys, -key.size

    def _without_key(self, component: KeyedComponent, key: _Key) -> str:
        """Names a rule that can succeed without a condition on the whole key, if there is one.

        Terminations need no such condition unless rules read them: where nothing holds, nothing is terminated.
        """
        spread = {symbol for symbol, spreadings in key.inputs.items() if spreadings} | key.members.keys()
        if component.members[0] in self._analysis.graph.metric:
            from holdsfor.physical.metric_keys import without_key

            return without_key(component.members, spread, self._analysis)
        timed = (rule for rule in component.rules if isinstance(rule, TimedRule))
        loose = (rule for rule in timed if not self._has_driver(rule, spread))
        found = next((rule for rule in loose if not self._only_ends(rule)), None)
        return "" if found is None else f"the rule at {origin(found.span)} reads nothing that has the key"

    def _only_ends(self, rule: TimedRule) -> bool:
        if not isinstance(rule, ir.EffectRule) or rule.kind is not ir.EffectKind.TERMINATED:
            return False
        return self._entities.fluent(rule.fvp) not in self._ends_read

    def _has_driver(self, rule: TimedRule, spread: set[Symbol]) -> bool:
        entities = self._entities
        if not isinstance(rule, ir.IntervalRule):
            return any(_symbol_read(literal, entities) in spread for literal in rule.body)
        others = [one for one in entities[entities.fluent(rule.fvp)].rules if isinstance(one, ir.IntervalRule)]
        required = required_leaves(rule, self._analysis.body(rule))
        if len(others) == 1 and any(entities.fluent(one.fvp) in spread for one in required):
            return True
        # Unknown lists give empty lists, unless something creates intervals from nothing.
        names = [one for one in ir.walk(rule.body) if isinstance(one, ir.Intervals)]
        return bool(names) and not makes_intervals(rule) and all(entities.fluent(one.fvp) in spread for one in names)

    # Results

    def draft(self, stage: _Stage) -> StageDraft:
        """A stage with the inputs of its components."""
        readers: dict[Symbol, list[RuleShape]] = {}
        for shape in (shape for one in stage.components for shape in one.shapes):
            rows = (one.symbol for one in shape.readings if not one.is_trigger)
            for symbol in dict.fromkeys(rows):
                if symbol not in stage.members:
                    readers.setdefault(symbol, []).append(shape)
        inputs = (_input(symbol, stage, readers[symbol]) for symbol in sorted(readers, key=by_name))
        members, why = tuple(stage.members.items()), "; ".join(stage.why)
        return StageDraft(
            tuple(stage.components), stage.size, members, tuple(inputs), why, is_tied=stage.is_tied, facts=stage.facts
        )


def _input(symbol: Symbol, stage: _Stage, shapes: Sequence[RuleShape]) -> Input:
    if not stage.size:
        return Input(symbol, ((),))
    if stage.routes[symbol]:
        return Input(symbol, stage.routes[symbol][0])
    if stage.is_tied:
        return Input(symbol)
    links = _links(symbol, shapes, stage.members)
    columns = sorted({column for column, _ in links})
    keys = tuple(tuple(sorted(part for place, part in links if place == column)) for column in columns)
    return Input(symbol, tuple((column,) for column in columns), keys)


def _symbol_read(literal: object, entities: Entities) -> Symbol | None:
    match literal:
        case ir.Happens(event=event):
            return entities.event(event)
        case ir.Boundary(fvp=fvp) | ir.Holds(fvp=fvp) | ir.Effect(fvp=fvp):
            return entities.fluent(fvp)
        case _:
            return None


def _terminations_read(rules: Iterable[ir.Rule], entities: Entities) -> frozenset[Symbol]:
    """The fluents whose terminations occur in conditions of rules."""
    return frozenset(
        entities.fluent(literal.fvp)
        for rule in rules
        for literal in ir.walk(rule.body)
        if isinstance(literal, ir.Effect) and literal.kind is ir.EffectKind.TERMINATED
    )


def _links(symbol: Symbol, shapes: Sequence[RuleShape], members: Mapping[Symbol, Places]) -> list[tuple[int, int]]:
    """The columns of an input, and the key columns there: one of them in every use. None if a use has none."""
    uses: list[frozenset[tuple[int, int]]] = []
    for shape in shapes:
        key = [shape.columns[place] for place in members[shape.symbol]]
        for reading in shape.readings:
            if reading.symbol != symbol:
                continue
            # Input must be known whole if it enumerates values of variables for other keys. Effects are not stored by
            # value.
            is_whole = reading.is_effect or reading.is_trigger or reading.names & shape.ranging
            columns = () if is_whole else enumerate(reading.columns)
            uses.append(frozenset((column, key.index(term)) for column, term in columns if term in key))
    if not uses or not all(uses):
        return []
    common = sorted(frozenset.intersection(*uses))
    if common:
        return common[:1]
    found: list[tuple[int, int]] = []
    for fitting in uses:
        if not fitting.intersection(found):
            found.append(min(fitting))
    return found


def _tie(component: KeyedComponent) -> str:
    """The reason why a component has no key."""
    bare = next((symbol for symbol in component.members if not any(choices(symbol))), None)
    if bare is not None:
        return f"{bare} has no arguments"
    for shape in component.shapes:
        if any(reading.symbol in component.members and _leaves_key(shape, reading) for reading in shape.readings):
            return f"the rule at {origin(shape.rule.span)} ties keys together: it reads its own cycle for other keys"
    return "its rules share no argument"


def _leaves_key(shape: RuleShape, reading: RuleReading) -> bool:
    """Whether a rule reads its own cycle without passing on a column."""
    if reading.symbol != shape.symbol:
        return not any(term in reading.columns for term in shape.columns)
    return not any(one == other for one, other in zip(shape.columns, reading.columns, strict=True))
