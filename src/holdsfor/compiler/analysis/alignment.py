"""Finds argument positions of fluents and events that rules relate, to determine keys.

A key is a set of argument places of a fluent or event. A rule preserves the key of its head in a condition if the
condition has the same terms at some of its places. If every rule preserves the key, the rows with a key suffice to
evaluate it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

from holdsfor import ir
from holdsfor.compiler.analysis.dependencies import conditions
from holdsfor.compiler.analysis.entities import Entities, Symbol
from holdsfor.compiler.analysis.variants import ListDefinitions, branch_definitions
from holdsfor.ir.metric import MetricRule
from holdsfor.records import record
from holdsfor.syntax.terms import Term, Var, variables

Places = tuple[int, ...]
"""The argument places of a key."""
Spreading = tuple[Places, ...]
"""The places that determine where rows go; a row goes to the key at each of them."""

_MOST_PLACES = 3
_MOST_CHOICES = 64


@record
class RuleReading:
    """A condition of a rule, or the fluent that triggers a delayed effect: its symbol and its terms.

    `is_effect` means that it reads initiations or terminations, which are not stored as rows.
    """

    symbol: Symbol
    columns: tuple[Term, ...]
    value: Term | None = None
    is_trigger: bool = False
    is_effect: bool = False

    @property
    def names(self) -> frozenset[str]:
        """The variables of the condition."""
        terms = (*self.columns, *([self.value] if self.value is not None else []))
        return frozenset(found.name for term in terms for found in variables(term))


@record
class RuleShape:
    """A rule as its head and its readings.

    `ranging` are the variables of a `holdsFor` rule that take every value that occurs at their places, in any instance.
    Conditions that give their values must be known whole.
    """

    rule: ir.Rule | MetricRule
    symbol: Symbol
    columns: tuple[Term, ...]
    readings: tuple[RuleReading, ...]
    ranging: frozenset[str] = frozenset()


def rule_shape(rule: ir.Rule, symbol: Symbol, entities: Entities) -> RuleShape | None:
    """The shape of a rule of a fluent or event; None if the rule does not restrict keys."""
    match rule:
        case ir.EffectRule(fvp=fvp) | ir.IntervalRule(fvp=fvp):
            head = fvp.fluent
        case ir.EventRule(event=event):
            head = event
        case ir.DelayRule(trigger=trigger, effect=ir.Fvp() as effect) if effect.fluent != trigger.fluent:
            if entities.fluent(effect) != symbol:
                return None
            source = entities.fluent(trigger)
            reading = RuleReading(source, source.columns(trigger.fluent), is_trigger=True)
            return RuleShape(rule, symbol, symbol.columns(effect.fluent), (reading,))
        case _:
            return None
    readings = []
    for condition in conditions(rule.body, entities):
        literal = condition.literal
        term = literal.event if isinstance(literal, ir.Happens) else literal.fvp.fluent
        value = None if isinstance(literal, ir.Happens) else literal.fvp.value
        is_effect = isinstance(literal, ir.Effect)
        readings.append(RuleReading(condition.symbol, condition.symbol.columns(term), value, is_effect=is_effect))
    ranging = _ranging(rule, symbol, entities) if isinstance(rule, ir.IntervalRule) else frozenset()
    return RuleShape(rule, symbol, symbol.columns(head), tuple(readings), ranging)


def _ranging(rule: ir.IntervalRule, symbol: Symbol, entities: Entities) -> frozenset[str]:
    leaves = [literal for literal in ir.walk(rule.body) if isinstance(literal, ir.Intervals)]
    names = frozenset(v.name for leaf in leaves for term in (leaf.fvp.fluent, leaf.fvp.value) for v in variables(term))
    if sum(isinstance(other, ir.IntervalRule) for other in entities[symbol].rules) > 1:
        # The success of the rule, which blocks later rules, depends on all of them.
        return names
    if any(
        isinstance(one, ir.FindAll) and any(isinstance(leaf, ir.Intervals) for leaf in ir.walk(one.body))
        for one in rule.body
    ):
        # The lists of any number of instances are collected.
        return names
    bound = [_bound(rule.out, definitions) for definitions in branch_definitions(rule)]
    return names - frozenset.intersection(*bound) if bound else names


def _bound(term: Term, definitions: ListDefinitions) -> frozenset[str]:
    """The variables that have one value wherever an interval list is not empty."""
    node = definitions.get(term.name) if isinstance(term, Var) else None
    if node is None:
        return frozenset()
    if isinstance(node, ir.Intervals):
        return frozenset(v.name for part in (node.fvp.fluent, node.fvp.value) for v in variables(part))
    below = [_bound(item, definitions) for item in node.inputs]
    match node.operator:
        case ir.IntervalOperator.UNION:
            return frozenset.intersection(*below) if below else frozenset()
        case ir.IntervalOperator.COMPLEMENT | ir.IntervalOperator.WRITTEN:
            return frozenset()
        case ir.IntervalOperator.INTERSECTION | ir.IntervalOperator.SEQUENCE | ir.IntervalOperator.ALLEN:
            return frozenset().union(*below)
        case ir.IntervalOperator.SINCE | ir.IntervalOperator.UNTIL:
            return below[1]
        case _:
            return below[0]


def choices(symbol: Symbol) -> Iterator[Places]:
    """The possible key places of a fluent or event, single places first."""
    arity = symbol.arity - len(symbol.inner) + sum(width for _, _, width in symbol.inner)
    for size in range(1, min(arity, _MOST_PLACES) + 1):
        yield from combinations(range(arity), size)


def input_spreadings(members: Mapping[Symbol, Places], shapes: Sequence[RuleShape]) -> dict[Symbol, list[Spreading]]:
    """The possible routings of each input by the key; none for input that is read without the key."""
    uses: dict[Symbol, list[frozenset[Places]]] = {}
    for shape in shapes:
        key = [shape.columns[place] for place in members[shape.symbol]]
        for reading in shape.readings:
            if reading.symbol not in members:
                fitting = frozenset() if ranges(shape, reading, key) else frozenset(fitting_places(reading, key))
                uses.setdefault(reading.symbol, []).append(fitting)
    return {symbol: spreadings(fitting) for symbol, fitting in uses.items()}


def spreadings(uses: Sequence[frozenset[Places]]) -> list[Spreading]:
    """The routings of an input that serve all its uses: by places that fit all uses, or else by several."""
    common = sorted(frozenset.intersection(*uses))
    if common:
        return [(places,) for places in common]
    if not all(uses):
        return []
    several: list[Places] = []
    for fitting in uses:
        if not fitting.intersection(several):
            several.append(min(fitting))
    return [tuple(sorted(several))]


def member_places(
    members: Sequence[Symbol], shapes: Sequence[RuleShape], places: Places, *, follows_heads: bool = False
) -> dict[Symbol, Places] | None:
    """The places of a key in every member, followed from the first through the rules; None where a rule loses the key.

    With `follows_heads`, members that the first does not read are reached from the members that they read.
    """
    found = {members[0]: places}
    size = 0
    while size < len(found):
        size = len(found)
        for shape in shapes:
            if shape.symbol not in found and follows_heads:
                followed = _followed(shape, found)
                found |= {} if followed is None else {shape.symbol: followed}
            if shape.symbol not in found:
                continue
            key = [shape.columns[place] for place in found[shape.symbol]]
            for reading in shape.readings:
                if reading.symbol not in members:
                    continue
                fitting = [] if ranges(shape, reading, key) else list(fitting_places(reading, key))
                if not fitting or found.setdefault(reading.symbol, fitting[0]) not in fitting:
                    return None
    return found if len(found) == len(members) else None


def _followed(shape: RuleShape, found: Mapping[Symbol, Places]) -> Places | None:
    """The places of the key in a head, followed from a member that its rule reads."""
    for reading in shape.readings:
        if reading.symbol in found:
            key = [reading.columns[place] for place in found[reading.symbol]]
            return next(fitting_places(RuleReading(shape.symbol, shape.columns), key), None)
    return None


def ranges(shape: RuleShape, reading: RuleReading, key: Sequence[Term]) -> bool:
    """Whether a condition enumerates values of a variable for keys other than its own.

    A key of one variable has all its values in one place. With several variables, each may be combined with values
    elsewhere.
    """
    fixed = {term.name for term in key if isinstance(term, Var) and len(key) == 1}
    return bool((reading.names & shape.ranging) - fixed)


def fitting_places(reading: RuleReading, key: Sequence[Term]) -> Iterator[Places]:
    """The places at which a condition has a key."""
    columns = [[place for place, term in enumerate(reading.columns) if term == wanted] for wanted in key]
    for count, found in enumerate(product(*columns)):
        if count >= _MOST_CHOICES:
            return
        yield found
