"""By which arguments the work of a stratum can be spread over buckets, and what each bucket then needs.

A key is some argument places of a fluent or event. A bucket owns the instances whose key hashes to it. An input is
*aligned* if every rule that reads it has the head's key at the same places of the input: a bucket then needs only rows
with keys of its own. Rules that read it with the key at several places, such as `linked(A,B)` and `linked(B,A)`, have a
row sent to several buckets. An input that some rule reads without the whole key is *replicated*: every bucket needs all
of it. A key of no places puts everything into one bucket.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from holdsfor.compiler.analysis.dependencies import conditions
from holdsfor.compiler.analysis.entities import Entities, Symbol
from holdsfor.compiler.analysis.variants import Variant, variants
from holdsfor.compiler.plan import Plan, Stratum, once_per_plan
from holdsfor.ir import (
    DelayRule,
    EffectRule,
    EventRule,
    FindAll,
    Fvp,
    Happens,
    IntervalOperator,
    IntervalRule,
    Intervals,
    Rule,
    walk,
)
from holdsfor.ir.metric import MetricRule
from holdsfor.syntax.terms import Term, Var, variables

Places = tuple[int, ...]
"""The argument places of a key."""
Spreading = tuple[Places, ...]
"""The places by which rows are spread; a row goes to a bucket for each."""

_MOST_PLACES = 3
_MOST_CHOICES = 64


@dataclass(frozen=True)
class Reading:
    """A condition of a rule, or the fluent that a delayed effect starts from: what it reads, and its terms."""

    symbol: Symbol
    columns: tuple[Term, ...]
    value: Term | None = None
    is_trigger: bool = False

    @property
    def names(self) -> frozenset[str]:
        """Its variables."""
        terms = (*self.columns, *([self.value] if self.value is not None else []))
        return frozenset(found.name for term in terms for found in variables(term))


@dataclass(frozen=True)
class RuleShape:
    """A rule as its head and what it reads.

    `ranging` are the variables of a `holdsFor` rule that take every value that occurs at their places, in whatever
    instance. What tells their values must be known whole.
    """

    rule: Rule | MetricRule
    symbol: Symbol
    columns: tuple[Term, ...]
    readings: tuple[Reading, ...]
    ranging: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Option:
    """One way to spread a stratum.

    `aligned` has what will do for each input, `replicated` what every bucket needs whole, `together` the fluents whose delayed effects reach into the stratum, which must be worked out in the same stage.
    """

    members: dict[Symbol, Places]
    aligned: dict[Symbol, list[Spreading]]
    replicated: frozenset[Symbol]
    together: frozenset[Symbol]

    @property
    def is_single(self) -> bool:
        """Whether everything stays in one bucket."""
        return not any(self.members.values())


def rule_shapes(stratum: Stratum, plan: Plan) -> list[RuleShape]:
    """The rules of a stratum that read anything."""
    return _all_shapes(plan)[stratum.number - 1]


@once_per_plan
def _all_shapes(plan: Plan) -> list[list[RuleShape]]:
    return [_shapes(stratum, plan) for stratum in plan.strata]


def _shapes(stratum: Stratum, plan: Plan) -> list[RuleShape]:
    if stratum.metric is not None:
        # Imported here: it makes shapes of its own.
        from holdsfor.spreading.metric_shapes import metric_shapes

        return list(metric_shapes(stratum, plan))
    entities = plan.analysis.entities
    return [
        shape
        for symbol in stratum.members
        for rule in entities[symbol].rules
        if (shape := _shape(rule, symbol, entities)) is not None
    ]


def _shape(rule: Rule, symbol: Symbol, entities: Entities) -> RuleShape | None:
    match rule:
        case EffectRule(fvp=fvp) | IntervalRule(fvp=fvp):
            head = fvp.fluent
        case EventRule(event=event):
            head = event
        case DelayRule(trigger=trigger, effect=Fvp() as effect) if effect.fluent != trigger.fluent:
            if entities.fluent(effect) != symbol:
                return None
            source = entities.fluent(trigger)
            reading = Reading(source, source.columns(trigger.fluent), is_trigger=True)
            return RuleShape(rule, symbol, symbol.columns(effect.fluent), (reading,))
        case _:
            return None
    readings = []
    for condition in conditions(rule.body, entities):
        literal = condition.literal
        term = literal.event if isinstance(literal, Happens) else literal.fvp.fluent
        value = None if isinstance(literal, Happens) else literal.fvp.value
        readings.append(Reading(condition.symbol, condition.symbol.columns(term), value))
    ranging = _ranging(rule, symbol, entities) if isinstance(rule, IntervalRule) else frozenset()
    return RuleShape(rule, symbol, symbol.columns(head), tuple(readings), ranging)


def _ranging(rule: IntervalRule, symbol: Symbol, entities: Entities) -> frozenset[str]:
    leaves = [literal for literal in walk(rule.body) if isinstance(literal, Intervals)]
    names = frozenset(v.name for leaf in leaves for term in (leaf.fvp.fluent, leaf.fvp.value) for v in variables(term))
    if sum(isinstance(other, IntervalRule) for other in entities[symbol].rules) > 1:
        # Whether a rule succeeds, so that later ones do not count, depends on all of them.
        return names
    if any(
        isinstance(one, FindAll) and any(isinstance(leaf, Intervals) for leaf in walk(one.body)) for one in rule.body
    ):
        # Lists of any number of instances are collected.
        return names
    bound = [_bound(rule.out, variant) for variant in variants(rule)]
    return names - frozenset.intersection(*bound) if bound else names


def _bound(term: Term, variant: Variant) -> frozenset[str]:
    """The variables that have one value wherever an interval list is not empty."""
    node = variant.nodes.get(term.name) if isinstance(term, Var) else None
    if node is None:
        return frozenset()
    if isinstance(node, Intervals):
        return frozenset(v.name for part in (node.fvp.fluent, node.fvp.value) for v in variables(part))
    below = [_bound(item, variant) for item in node.inputs]
    match node.operator:
        case IntervalOperator.UNION:
            return frozenset.intersection(*below) if below else frozenset()
        case IntervalOperator.COMPLEMENT | IntervalOperator.WRITTEN:
            return frozenset()
        case IntervalOperator.INTERSECTION | IntervalOperator.SEQUENCE | IntervalOperator.ALLEN:
            return frozenset().union(*below)
        case IntervalOperator.SINCE | IntervalOperator.UNTIL:
            return below[1]
        case _:
            return below[0]


Rank = Callable[[Option, Stratum, Plan], tuple[int, ...]]
"""How good a way to spread a stratum is; less is better."""


def fewest_copies(option: Option, stratum: Stratum, plan: Plan) -> tuple[int, ...]:  # noqa: ARG001
    """What every bucket needs whole is copied to all of them."""
    return (len(option.replicated),)


def options(stratum: Stratum, plan: Plan, rank: Rank = fewest_copies) -> list[tuple[Option, tuple[int, ...]]]:
    """The ways to spread a stratum with their ranks, best first; the last one keeps it in one place."""
    shapes = rule_shapes(stratum, plan)
    found = [option for places in _choices(stratum.members[0]) for option in _spread(stratum, shapes, places)]
    useful = [(option, rank(option, stratum, plan)) for option in found if option.aligned or not option.replicated]
    # A stable sort: among equals, the first argument alone comes first. Pairs that need their inputs brought to them
    # are spread by as much of their key as they have.
    useful.sort(key=lambda ranked: (ranked[1], -_width(ranked[0]) if ranked[0].replicated else 0))
    return [*useful, (_single(stratum, shapes), ())]


def _width(option: Option) -> int:
    return max(map(len, option.members.values()))


def _choices(symbol: Symbol) -> Iterator[Places]:
    arity = symbol.arity - len(symbol.inner) + sum(width for _, _, width in symbol.inner)
    for size in range(1, min(arity, _MOST_PLACES) + 1):
        yield from combinations(range(arity), size)


def _single(stratum: Stratum, shapes: Sequence[RuleShape]) -> Option:
    members: dict[Symbol, Places] = dict.fromkeys(stratum.members, ())
    inputs = [reading for shape in shapes for reading in shape.readings if reading.symbol not in members]
    return Option(members, {r.symbol: [((),)] for r in inputs}, frozenset(), _triggers(inputs))


def _triggers(inputs: Sequence[Reading]) -> frozenset[Symbol]:
    return frozenset(reading.symbol for reading in inputs if reading.is_trigger)


def _spread(stratum: Stratum, shapes: Sequence[RuleShape], places: Places) -> Iterator[Option]:
    """The option in which the first member has its key at some places, if the rules allow it."""
    members = _member_places(stratum, shapes, places)
    if members is None:
        return
    uses: dict[Symbol, list[frozenset[Places]]] = {}
    inputs: list[Reading] = []
    for shape in shapes:
        key = [shape.columns[place] for place in members[shape.symbol]]
        for reading in shape.readings:
            if reading.symbol not in members:
                inputs.append(reading)
                fitting = frozenset() if _ranges(shape, reading, key) else frozenset(_fitting(reading, key))
                uses.setdefault(reading.symbol, []).append(fitting)
    aligned = {symbol: found for symbol, fitting in uses.items() if (found := spreadings(fitting))}
    triggers = _triggers(inputs)
    if triggers <= aligned.keys():
        yield Option(members, aligned, frozenset(uses.keys() - aligned.keys()), triggers)


def spreadings(uses: Sequence[frozenset[Places]]) -> list[Spreading]:
    """The ways to spread an input that serve all its uses: by places that fit them all, or else by several."""
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


def _member_places(stratum: Stratum, shapes: Sequence[RuleShape], places: Places) -> dict[Symbol, Places] | None:
    """The places of the key in every member, followed through the rules; None where a rule leaves the key."""
    found = {stratum.members[0]: places}
    size = 0
    while size < len(found):
        size = len(found)
        for shape in shapes:
            if shape.symbol not in found and stratum.metric is not None:
                followed = _followed(shape, found)
                found |= {} if followed is None else {shape.symbol: followed}
            if shape.symbol not in found:
                continue
            key = [shape.columns[place] for place in found[shape.symbol]]
            for reading in shape.readings:
                if reading.symbol not in stratum.members:
                    continue
                fitting = [] if _ranges(shape, reading, key) else list(_fitting(reading, key))
                if not fitting or found.setdefault(reading.symbol, fitting[0]) not in fitting:
                    return None
    return found if len(found) == len(stratum.members) else None


def _followed(shape: RuleShape, found: Mapping[Symbol, Places]) -> Places | None:
    """The places of the key in a head, followed from a member that its rule reads: not all read the first one."""
    for reading in shape.readings:
        if reading.symbol in found:
            key = [reading.columns[place] for place in found[reading.symbol]]
            return next(_fitting(Reading(shape.symbol, shape.columns), key), None)
    return None


def _ranges(shape: RuleShape, reading: Reading, key: Sequence[Term]) -> bool:
    """Whether a condition tells the values of a variable for other keys than the one it stands with.

    A key of one variable has all its values where it is; of several, each may go with values from elsewhere.
    """
    fixed = {term.name for term in key if isinstance(term, Var) and len(key) == 1}
    return bool((reading.names & shape.ranging) - fixed)


def _fitting(reading: Reading, key: Sequence[Term]) -> Iterator[Places]:
    """The places at which a condition has a key."""
    columns = [[place for place, term in enumerate(reading.columns) if term == wanted] for wanted in key]
    for count, found in enumerate(product(*columns)):
        if count >= _MOST_CHOICES:
            return
        yield found
