"""Rational time as ticks: scales that fit programs and facts, and cells of the doubled time-line."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import ceil, floor, lcm

import numpy as np

from holdsfor.compiler.metric.rules import Joined, NormalRule, Relation
from holdsfor.diagnostics import HoldsforError
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.kernels import Ints
from holdsfor.engine.metric.facts import Facts, FactSet, maximal, stacked
from holdsfor.engine.tables import FOREVER
from holdsfor.ir.metric import MetricFact, Range

_FURTHEST = 1 << 60
"""Times beyond this many cells leave no room for what is derived from them."""


def scale_of(rules: Iterable[NormalRule], facts: Iterable[MetricFact] = ()) -> int:
    """The ticks to a unit of time that rules and facts need."""
    ranges = [rule.offsets for rule in rules if not isinstance(rule, Joined)] + [fact.during for fact in facts]
    bounds = (bound for one in ranges for bound in (one.low, one.high) if bound is not None)
    return lcm(*(bound.denominator for bound in bounds))


def rescaled(facts: Facts, factor: int) -> Facts:
    """Facts on a time-line with so many times the ticks."""
    if factor == 1:
        return facts
    return Facts(facts.args, _finer(facts.start, factor), _finer(facts.end, factor))


def _finer(times: Ints, factor: int) -> Ints:
    far = np.abs(times) >= FOREVER
    if np.abs(times[~far]).max(initial=0) > _FURTHEST // factor:
        raise HoldsforError(
            f"times this far apart cannot be told apart by 1/{factor} of a tick: they would not fit 64-bit integers"
        )
    finer = ((times >> 1) * (2 * factor)) | (times & 1)
    finer[far] = times[far]
    return finer


def finer_cell(cell: int, factor: int) -> int:
    """The same for one cell."""
    return cell if abs(cell) >= FOREVER else ((cell >> 1) * 2 * factor) | (cell & 1)


def cells(during: Range, scale: int) -> tuple[int, int]:
    """A rational interval as a half-open interval of cells; what a tick is too coarse for is rounded inwards."""
    low, high = -int(FOREVER), int(FOREVER)
    if during.low is not None:
        ticks = during.low * scale
        low = 2 * int(ticks) + int(during.low_open) if ticks.denominator == 1 else 2 * floor(ticks) + 1
    if during.high is not None:
        ticks = during.high * scale
        high = 2 * int(ticks) + int(not during.high_open) if ticks.denominator == 1 else 2 * ceil(ticks)
    return low, high


def after(point: Fraction, scale: int) -> int:
    """The end of a slice whose last point this is."""
    return cells(Range(None, point), scale)[1]


def columns_of(facts: Iterable[MetricFact], scale: int, dictionary: Dictionary) -> FactSet:
    """Facts written in a program, as columns."""
    rows: dict[tuple[str, int], list[MetricFact]] = {}
    for fact in facts:
        rows.setdefault((fact.predicate, len(fact.args)), []).append(fact)
    tables = {}
    for signature, found in rows.items():
        args = tuple(dictionary.encode(fact.args[place].value for fact in found) for place in range(signature[1]))
        bounds = np.array([cells(fact.during, scale) for fact in found], np.int64)
        tables[signature] = Facts(args, bounds[:, 0].copy(), bounds[:, 1].copy())
    return FactSet(scale, tables)


def together(sets: Iterable[FactSet], scale: int, relations: Iterable[Relation]) -> dict[Relation, Facts]:
    """The maximal facts of some relations, on one time-line."""
    by_signature: dict[tuple[str, int], list[Facts]] = {}
    for facts in sets:
        for signature, table in facts.tables.items():
            by_signature.setdefault(signature, []).append(rescaled(table, scale // facts.scale))
    found = {}
    for relation in relations:
        tables = by_signature.get((relation.name, relation.arity)) if relation.is_written else None
        if tables:
            found[relation] = maximal([stacked(tables)])
    return found


def point_of(cell: int, scale: int) -> Fraction:
    """The point of a cell, or the one before the gap that it is."""
    return Fraction(cell >> 1, scale)
