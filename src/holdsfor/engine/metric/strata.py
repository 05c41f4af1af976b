"""Some strata of a plan on their own, where others are worked out elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from holdsfor.compiler.metric.plan import MetricPlan, MetricStratum
from holdsfor.compiler.metric.rules import Relation
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.metric.facts import Facts
from holdsfor.engine.metric.materialise import _Demand, _evaluated, _in_units
from holdsfor.engine.metric.stratum import NeverEnds


def materialise_strata(
    plan: MetricPlan,
    strata: Sequence[MetricStratum],
    given: Mapping[Relation, Facts],
    scale: int,
    dictionary: Dictionary,
    start: Fraction | None = None,
    end: Fraction | None = None,
) -> dict[Relation, Facts]:
    """The maximal facts of all relations of some strata of a plan, as far as the outputs of the plan need them from
    start to end.

    `given` are maximal facts of what the strata read, and of their own relations. Raises NeverEnds.
    """
    tables = dict(given)
    demand = _Demand(plan, start, end)
    made: dict[Relation, Facts] = {}
    for stratum in strata:
        try:
            found, _ = _evaluated(stratum, tables, demand.of(stratum), scale, dictionary)
        except NeverEnds as problem:
            raise _in_units(problem, scale, stratum) from None
        tables.update(found)
        made.update(found)
    return made
