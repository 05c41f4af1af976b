"""Finds times too far from 0, or too fine, for 64-bit integers (HF616)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import lcm

from holdsfor.compiler.metric.checks.streams import operators_in
from holdsfor.compiler.metric.checks.uses import metric_atoms
from holdsfor.compiler.metric.limits import FURTHEST
from holdsfor.diagnostics import NOWHERE, Diagnostic, Severity, Span
from holdsfor.ir.metric import MetricFact, MetricProgram, MetricRule, Range

_NOW = Range(Fraction(0), Fraction(0))
_HINT = "times that far away are not distinguished: give --start and --end, to evaluate only what lies between them"


def check_extremes(program: MetricProgram) -> Iterator[Diagnostic]:
    """Finds facts and operator intervals outside the range."""
    scale = 1
    for written, during in _ranges(program):
        finer = lcm(scale, *(bound.denominator for bound in _bounds(during)))
        if finer > FURTHEST:
            message = "no tick is fine enough for this interval and those before it"
            hint = "use numbers with common denominators"
            yield Diagnostic("HF616", Severity.ERROR, message, _place(written, during), hint)
            return
        scale = finer
    for written, during in _ranges(program):
        if max(map(abs, _bounds(during)), default=Fraction(0)) * scale <= FURTHEST:
            continue
        place = _place(written, during)
        if isinstance(written, MetricFact):
            hint = "use a coarser unit, or a time closer to 0; from then on is written [5,inf)"
            yield Diagnostic("HF616", Severity.ERROR, "the time of this fact is too far from 0", place, hint)
        else:
            yield Diagnostic("HF616", Severity.WARNING, "this interval reaches further than any fact", place, _HINT)


def times_too_far(rules: Iterable[MetricRule]) -> Diagnostic:
    """Reports rules that derive needed results so far away that times cannot be distinguished."""
    # A rule without intervals of its own only passes on what others derive.
    ranges = [(rule, during) for rule in rules for during in (*_rule_ranges(rule), _NOW)]
    rule, widest = max(ranges, key=lambda one: max(map(abs, _bounds(one[1])), default=Fraction(0)))
    message = "this interval leads to times that are too far from 0"
    return Diagnostic("HF616", Severity.ERROR, message, _place(rule, widest), _HINT)


def _ranges(program: MetricProgram) -> Iterator[tuple[MetricRule | MetricFact, Range]]:
    for rule in program.rules:
        yield from ((rule, during) for during in _rule_ranges(rule))
    yield from ((fact, fact.during) for fact in program.facts)


def _rule_ranges(rule: MetricRule) -> Iterator[Range]:
    yield from (during for _, during in rule.boxes)
    for _, atom in metric_atoms(rule):
        yield from (part.range for part in operators_in(atom))


def _bounds(during: Range) -> list[Fraction]:
    return [bound for bound in (during.low, during.high) if bound is not None]


def _place(written: MetricRule | MetricFact, during: Range) -> Span:
    return written.span if during.span.source is NOWHERE.source else during.span
