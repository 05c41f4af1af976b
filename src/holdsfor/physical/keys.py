"""Stages and their keys: what is evaluated together for one key, and how rows reach it.

A stage has a key only where every rule reads something that is spread by it: then a key that no row mentions has nothing
to evaluate, and the keys are those of the rows. What rules read by a part of the key alone goes to the keys that have its
value there, and what they read without it, to all keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.plan import Plan, Stratum, once_per_plan
from holdsfor.ir import (
    Algebra,
    Body,
    Boundary,
    Effect,
    EffectKind,
    EffectRule,
    EventRule,
    Happens,
    Holds,
    IntervalOperator,
    IntervalRule,
    Intervals,
    Rule,
    walk,
)
from holdsfor.physical.instructions import origin
from holdsfor.physical.open_ends import openly_ended
from holdsfor.physical.required import required_leaves
from holdsfor.spreading.alignment import Option, Places, RuleShape, Spreading, rule_shapes
from holdsfor.spreading.stages import effects_asked, read_by, stage_plan

Parts = tuple[Places, ...]
"""For each of some places, the parts of the key that may have its value."""


@dataclass(frozen=True)
class Input:
    """How rows of an input reach keys: by the whole key, or with `parts` by a part of it. Without places, all keys share it."""

    symbol: Symbol
    places: Spreading = ()
    parts: Parts = ()


@dataclass(frozen=True)
class Draft:
    """A stage by its symbols."""

    components: tuple[tuple[Symbol, ...], ...]
    key: int
    members: tuple[tuple[Symbol, Places], ...]
    inputs: tuple[Input, ...]
    why: str = ""


def choose_stages(plan: Plan) -> Iterator[Draft]:
    """The stages of a plan, in order. What is spread together but by keys of different sizes has stages of its own."""
    without_place = openly_ended(plan.analysis)
    for stage in stage_plan(plan, tied=False, rank=_rank).stages:
        places = dict(stage.members)
        for size in sorted({len(some) for some in places.values()}, reverse=True):
            strata = [stratum for stratum in stage.strata if len(places[stratum.members[0]]) == size]
            ended = without_place & (_asked_for_ends(strata, plan) if without_place else frozenset())
            deliveries = {one.symbol: None if one.symbol in ended else one.spreading for one in stage.deliveries}
            yield _draft(strata, size, places, deliveries, plan)


def _rank(option: Option, stratum: Stratum, plan: Plan) -> tuple[int, ...]:
    """Worst are rules that nothing with the key drives, then tables that all keys share, then those that go by parts."""
    if not option.replicated:
        return 0, 0, 0
    spreading: dict[Symbol, Spreading | None] = {symbol: found[0] for symbol, found in option.aligned.items()}
    is_loose = _without_key([stratum], option.members, spreading, plan) is not None
    inputs = _inputs(dict.fromkeys(sorted(option.replicated)), [stratum], option.members, plan)
    by_parts = sum(bool(one.parts) for one in inputs)
    return int(is_loose), len(option.replicated) - by_parts, by_parts


def _asked_for_ends(strata: Iterable[Stratum], plan: Plan) -> frozenset[Symbol]:
    """The fluents whose terminations rules have conditions on."""
    return frozenset(
        plan.analysis.entities.fluent(literal.fvp)
        for stratum in strata
        for rule in stratum.rules
        for literal in walk(rule.body)
        if isinstance(literal, Effect) and literal.kind is EffectKind.TERMINATED
    )


def _draft(
    strata: list[Stratum],
    size: int,
    places: Mapping[Symbol, Places],
    deliveries: Mapping[Symbol, Spreading | None],
    plan: Plan,
) -> Draft:
    components = tuple(stratum.members for stratum in strata)
    members = {symbol: places[symbol] for stratum in strata for symbol in stratum.members}
    read = dict.fromkeys(symbol for stratum in strata for symbol in read_by(stratum, plan))
    inputs: dict[Symbol, Spreading | None] = {}
    for symbol in (one for one in read if one in deliveries and one not in members):
        spreading = deliveries[symbol]
        inputs[symbol] = None if spreading is None else tuple(some for some in spreading if len(some) == size)
    why = "its rules share no argument"
    if size:
        loose = _without_key(strata, members, inputs, plan)
        if loose is None:
            found = tuple(_inputs(inputs, strata, members, plan))
            return Draft(components, size, tuple(members.items()), found)
        why = f"the rule at {origin(loose.span)} reads nothing that has the key"
    everything = tuple(Input(symbol, ((),)) for symbol in inputs)
    return Draft(components, 0, tuple((symbol, ()) for symbol in members), everything, why)


def _inputs(
    inputs: Mapping[Symbol, Spreading | None], strata: list[Stratum], members: Mapping[Symbol, Places], plan: Plan
) -> Iterator[Input]:
    shapes = [shape for stratum in strata for shape in rule_shapes(stratum, plan)]
    # Initiations and terminations have no place among the rows that are kept by value; domains are read whole.
    whole = effects_asked(strata).keys() | plan.filling
    for symbol, spreading in inputs.items():
        if spreading is not None:
            yield Input(symbol, spreading)
            continue
        links = [] if symbol in whole else _links(symbol, shapes, members)
        columns = sorted({column for column, _ in links})
        parts = tuple(tuple(sorted(part for place, part in links if place == column)) for column in columns)
        yield Input(symbol, tuple((column,) for column in columns), parts)


def _links(symbol: Symbol, shapes: list[RuleShape], members: Mapping[Symbol, Places]) -> list[tuple[int, int]]:
    """Columns of an input, and the parts of the key that stand there: one of them in every use. None if a use has none."""
    uses: list[frozenset[tuple[int, int]]] = []
    for shape in shapes:
        key = [shape.columns[place] for place in members[shape.symbol]]
        for reading in shape.readings:
            if reading.symbol != symbol:
                continue
            # What tells values of variables for other keys must be known whole.
            ranges = reading.is_trigger or reading.names & shape.ranging
            columns = () if ranges else enumerate(reading.columns)
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


def _without_key(
    strata: list[Stratum], members: Mapping[Symbol, Places], inputs: Mapping[Symbol, Spreading | None], plan: Plan
) -> Rule | None:
    """A rule that can succeed without a condition on what is spread by the key, if there is one.

    Where nothing holds there is nothing to end: terminations need no such condition, unless rules read them.
    """
    spread = {symbol for symbol, spreading in inputs.items() if spreading is not None} | members.keys()
    rules = (rule for stratum in strata for rule in stratum.rules)
    timed = (rule for rule in rules if isinstance(rule, EffectRule | EventRule | IntervalRule))
    loose = (rule for rule in timed if not _has_driver(rule, spread, plan))
    return next((rule for rule in loose if not _only_ends(rule, plan)), None)


def _only_ends(rule: Rule, plan: Plan) -> bool:
    if not (isinstance(rule, EffectRule) and rule.kind is EffectKind.TERMINATED):
        return False
    return plan.analysis.entities.fluent(rule.fvp) not in _ends_read(plan)


@once_per_plan
def _ends_read(plan: Plan) -> frozenset[Symbol]:
    return _asked_for_ends(plan.strata, plan)


def _has_driver(rule: Rule, spread: set[Symbol], plan: Plan) -> bool:
    entities = plan.analysis.entities
    body: Body = rule.body
    if isinstance(rule, IntervalRule):
        others = [one for one in entities[entities.fluent(rule.fvp)].rules if isinstance(one, IntervalRule)]
        required = required_leaves(rule, plan.analysis.body(rule))
        if len(others) == 1 and any(entities.fluent(one.fvp) in spread for one in required):
            return True
        # Lists that nothing is known of give an empty list, unless something makes time-points out of nothing.
        names = [one for one in walk(body) if isinstance(one, Intervals)]
        makes = any(isinstance(one, Algebra) and one.operator is IntervalOperator.COMPLEMENT for one in walk(body))
        return bool(names) and not makes and all(entities.fluent(one.fvp) in spread for one in names)
    for literal in body:
        match literal:
            case Happens(event=event):
                if entities.event(event) in spread:
                    return True
            case Boundary(fvp=fvp) | Holds(fvp=fvp) | Effect(fvp=fvp):
                if entities.fluent(fvp) in spread:
                    return True
            case _:
                continue
    return False
