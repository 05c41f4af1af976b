"""Rational time in ticks: scales for programs and facts, and cells of the doubled time-line."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import ceil, floor, lcm

import numpy as np

from holdsfor.columns.dictionary import Dictionary
from holdsfor.columns.kernels import Ints
from holdsfor.columns.metric.facts import MOST_CELLS, Facts, FactSet, stacked
from holdsfor.columns.tables import FOREVER
from holdsfor.compiler.metric.limits import FURTHEST
from holdsfor.compiler.metric.rules import Joined, NormalRule, Relation
from holdsfor.diagnostics import HoldsforError
from holdsfor.frontend.dmtl.numbers import number_text
from holdsfor.ir.metric import MetricFact, Range


def scale_of(rules: Iterable[NormalRule], facts: Iterable[MetricFact] = ()) -> int:
    """The number of ticks per time unit that rules and facts need."""
    ranges = [rule.offsets for rule in rules if not isinstance(rule, Joined)] + [fact.during for fact in facts]
    bounds = (bound for one in ranges for bound in (one.low, one.high) if bound is not None)
    return lcm(*(bound.denominator for bound in bounds))


def rescaled(facts: Facts, factor: int) -> Facts:
    """Facts on a time-line with `factor` times the ticks."""
    if factor == 1:
        return facts
    return Facts(facts.args, _finer(facts.start, factor), _finer(facts.end, factor))


def _finer(times: Ints, factor: int) -> Ints:
    far = np.abs(times) > MOST_CELLS
    if np.abs(times[~far]).max(initial=0) > MOST_CELLS // factor:
        raise HoldsforError(
            f"times this far apart cannot be distinguished by 1/{factor} of a tick: they would not fit 64-bit integers"
        )
    finer = ((times >> 1) * (2 * factor)) | (times & 1)
    finer[far] = times[far]
    return finer


def finer_cell(cell: int, factor: int) -> int:
    """The same for one cell."""
    return cell if abs(cell) >= FOREVER else ((cell >> 1) * 2 * factor) | (cell & 1)


def cells(during: Range, scale: int) -> tuple[int, int]:
    """A rational interval as a half-open interval of cells; ends between ticks are rounded inwards."""
    low, high = -int(FOREVER), int(FOREVER)
    if during.low is not None:
        ticks = during.low * scale
        low = 2 * int(ticks) + int(during.low_open) if ticks.denominator == 1 else 2 * floor(ticks) + 1
    if during.high is not None:
        ticks = during.high * scale
        high = 2 * int(ticks) + int(not during.high_open) if ticks.denominator == 1 else 2 * ceil(ticks)
    return low, high


def is_near(point: Fraction, scale: int) -> bool:
    """Whether a point lies within the distinguishable range."""
    return abs(point.numerator) * scale <= FURTHEST * point.denominator


def require_near(point: Fraction | None, scale: int, what: str) -> None:
    """Raises HoldsforError if a given point lies outside the distinguishable range."""
    if point is not None and not is_near(point, scale):
        ticks = f"; here a tick is 1/{scale}" if scale > 1 else ""
        raise HoldsforError(
            f"{what} {number_text(point)} is too far: times have to lie within {FURTHEST} ticks of 0{ticks}"
        )


def after(point: Fraction, scale: int) -> int:
    """The end of a slice with this last point; infinite if the point lies outside the distinguishable range."""
    return cells(Range(None, point), scale)[1] if is_near(point, scale) else int(FOREVER)


def columns_of(facts: Iterable[MetricFact], scale: int, dictionary: Dictionary) -> FactSet:
    """The facts of a program as columns."""
    rows: dict[tuple[str, int], list[MetricFact]] = {}
    for fact in facts:
        rows.setdefault((fact.predicate, len(fact.args)), []).append(fact)
    tables = {}
    for signature, found in rows.items():
        for fact in found:
            for bound in (fact.during.low, fact.during.high):
                require_near(bound, scale, f"{signature[0]} at")
        args = tuple(dictionary.encode(fact.args[place].value for fact in found) for place in range(signature[1]))
        bounds = np.array([cells(fact.during, scale) for fact in found], np.int64)
        tables[signature] = Facts(args, bounds[:, 0].copy(), bounds[:, 1].copy())
    return FactSet(scale, tables)


def together(sets: Iterable[FactSet], scale: int, relations: Iterable[Relation]) -> dict[Relation, Facts]:
    """The facts of some relations on one time-line; they may overlap."""
    by_signature: dict[tuple[str, int], list[Facts]] = {}
    for facts in sets:
        for signature, table in facts.tables.items():
            by_signature.setdefault(signature, []).append(rescaled(table, scale // facts.scale))
    found = {}
    for relation in relations:
        tables = by_signature.get((relation.name, relation.arity)) if relation.is_written else None
        if tables:
            found[relation] = stacked(tables)
    return found


def point_of(cell: int, scale: int) -> Fraction:
    """The point of a cell; for a gap, the point before it."""
    return Fraction(cell >> 1, scale)
