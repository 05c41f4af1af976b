"""A tick that was given: times that are no multiples of it are refused, in rules and in facts."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa

from holdsfor.compiler.metric.plan import MetricPlan
from holdsfor.compiler.metric.rules import Joined
from holdsfor.diagnostics import HoldsforError
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.kernels import Bools, Ints
from holdsfor.engine.metric.facts import FactSet
from holdsfor.engine.metric.report import rows
from holdsfor.engine.tables import FOREVER
from holdsfor.frontend.dmtl import metric_text
from holdsfor.frontend.dmtl.numbers import number_text
from holdsfor.io.rejects import Rejects, refused
from holdsfor.ir.metric import MetricFact, Range
from holdsfor.syntax.terms import Const


def require_ticks(plan: MetricPlan, tick: Fraction) -> None:
    """Raise HoldsforError if the rules mention a time that is no multiple of a tick."""
    if tick <= 0:
        raise HoldsforError(f"the tick must be greater than 0, not {number_text(tick)}")
    for rule in plan.rules:
        bounds = () if isinstance(rule, Joined) else (rule.offsets.low, rule.offsets.high)
        for bound in bounds:
            if bound is not None and bound % tick:
                raise HoldsforError(
                    f"{rule.origin.span.location}: {number_text(abs(bound))} is not a multiple of the tick "
                    f"{number_text(tick)}; give a finer tick, or none: it is then found out"
                )


def on_ticks(facts: FactSet, tick: Fraction, dictionary: Dictionary, rejects: Rejects) -> FactSet:
    """The facts whose times are multiples of a tick; others are put aside."""
    kept = {}
    for signature, table in facts.tables.items():
        fits = _fits(table.start, facts.scale, tick) & _fits(table.end, facts.scale, tick)
        kept[signature] = table if fits.all() else table.take(fits)
        if not fits.all():
            odd = FactSet(facts.scale, {signature: table.take(~fits)})
            texts = [
                metric_text(MetricFact(row.predicate, tuple(map(Const, row.args)), during))
                for row in rows(odd, dictionary)
                if (during := Range(row.start, row.end, not row.start_closed, not row.end_closed))
            ]
            reason = f"not a multiple of the tick {number_text(tick)}"
            rejects.add(
                "facts", [refused(signature[0], np.flatnonzero(~fits) + 1, pa.array(texts, pa.string()), reason)]
            )
    return FactSet(facts.scale, kept)


def _fits(times: Ints, scale: int, tick: Fraction) -> Bools:
    """Which times are infinite, or multiples of a tick."""
    found: Bools = (np.abs(times) >= FOREVER) | ((times >> 1) * tick.denominator % (scale * tick.numerator) == 0)
    return found
