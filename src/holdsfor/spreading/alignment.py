"""By which arguments the work of a stratum can be spread over buckets, and what each bucket then needs.

A key is some argument places of a fluent or event. A bucket owns the instances whose key hashes to it. An input is
*aligned* if every rule that reads it has the head's key at the same places of the input: a bucket then needs only rows
with keys of its own. Rules that read it with the key at several places, such as `linked(A,B)` and `linked(B,A)`, have a
row sent to several buckets. An input that some rule reads without the whole key is *replicated*: every bucket needs all
of it. A key of no places puts everything into one bucket.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from holdsfor.compiler.analysis.alignment import (
    Places,
    Reading,
    RuleShape,
    Spreading,
    choices,
    input_spreadings,
    member_places,
    rule_shape,
)
from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.compiler.plan import Plan, Stratum, once_per_plan


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
        from holdsfor.compiler.analysis.metric_shapes import metric_shapes

        return list(metric_shapes(stratum.members, plan.analysis))
    entities = plan.analysis.entities
    return [
        shape
        for symbol in stratum.members
        for rule in entities[symbol].rules
        if (shape := rule_shape(rule, symbol, entities)) is not None
    ]


def options(stratum: Stratum, plan: Plan) -> list[Option]:
    """The ways to spread a stratum, those with the fewest copies first; the last one keeps it in one place."""
    shapes = rule_shapes(stratum, plan)
    found = [option for places in choices(stratum.members[0]) for option in _spread(stratum, shapes, places)]
    useful = [option for option in found if option.aligned or not option.replicated]
    # A stable sort: among equals, the first argument alone comes first. Pairs that need their inputs brought to them
    # are spread by as much of their key as they have.
    useful.sort(key=lambda one: (len(one.replicated), -_width(one) if one.replicated else 0))
    return [*useful, _single(stratum, shapes)]


def _width(option: Option) -> int:
    return max(map(len, option.members.values()))


def _single(stratum: Stratum, shapes: Sequence[RuleShape]) -> Option:
    members: dict[Symbol, Places] = dict.fromkeys(stratum.members, ())
    inputs = [reading for shape in shapes for reading in shape.readings if reading.symbol not in members]
    return Option(members, {r.symbol: [((),)] for r in inputs}, frozenset(), _triggers(inputs))


def _triggers(inputs: Sequence[Reading]) -> frozenset[Symbol]:
    return frozenset(reading.symbol for reading in inputs if reading.is_trigger)


def _spread(stratum: Stratum, shapes: Sequence[RuleShape], places: Places) -> Iterator[Option]:
    """The option in which the first member has its key at some places, if the rules allow it."""
    members = member_places(stratum.members, shapes, places, follows_heads=stratum.metric is not None)
    if members is None:
        return
    found = input_spreadings(members, shapes)
    aligned = {symbol: some for symbol, some in found.items() if some}
    inputs = [reading for shape in shapes for reading in shape.readings if reading.symbol not in members]
    triggers = _triggers(inputs)
    if triggers <= aligned.keys():
        yield Option(members, aligned, frozenset(found.keys() - aligned.keys()), triggers)
