"""Replaces durations in metric rules by numbers of time units (HF116), which may be fractions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from holdsfor.compiler.passes.durations import proposed_unit, without_unit
from holdsfor.diagnostics import Diagnostic, Severity
from holdsfor.ir import metric
from holdsfor.ir.metric import MetricAtom, MetricLiteral, MetricProgram, MetricRule
from holdsfor.syntax.durations import duration_text, durations_in, length_of, with_durations
from holdsfor.syntax.terms import Compound, Const, Term
from holdsfor.times import UNITS, TimeScale


def in_units(
    program: MetricProgram, scale: TimeScale | None, time_goals: Iterable[Term]
) -> tuple[MetricProgram, list[Diagnostic]]:
    """The program with numbers for durations, and the findings."""
    used = [(rule, found) for rule in program.rules if (found := list(_durations(rule)))]
    if not used:
        return program, []
    listed = [one for _, found in used for one in found]
    resolving = _Resolving(UNITS[proposed_unit(listed) if scale is None else scale.unit])
    changed = {id(rule): resolving.rule(rule) for rule, _ in used}
    findings = resolving.findings
    if scale is None:
        findings = list(without_unit(time_goals, listed[0], duration_text(listed[0]), listed))
    return replace(program, rules=tuple(changed.get(id(rule), rule) for rule in program.rules)), findings


def _durations(rule: MetricRule) -> Iterator[Compound]:
    for _, during in rule.boxes:
        yield from filter(None, during.durations)
    for literal in rule.body:
        if isinstance(literal, metric.Comparison):
            yield from (*durations_in(literal.left), *durations_in(literal.right))
        else:
            yield from _durations_of(literal.atom)


def _durations_of(atom: MetricAtom) -> Iterator[Compound]:
    match atom:
        case metric.Unary(range=during, operand=operand):
            yield from filter(None, during.durations)
            yield from _durations_of(operand)
        case metric.Binary(range=during, left=left, right=right):
            yield from _durations_of(left)
            yield from filter(None, during.durations)
            yield from _durations_of(right)


@dataclass
class _Resolving:
    """Replaces durations by numbers and collects findings."""

    size: int
    findings: list[Diagnostic] = field(default_factory=list)

    def rule(self, rule: MetricRule) -> MetricRule:
        boxes = tuple((operator, self._range(during)) for operator, during in rule.boxes)
        return replace(rule, boxes=boxes, body=tuple(map(self._literal, rule.body)))

    def _literal(self, literal: MetricLiteral) -> MetricLiteral:
        if isinstance(literal, metric.Comparison):
            left, right = (with_durations(side, self._number) for side in (literal.left, literal.right))
            return replace(literal, left=left, right=right)
        if isinstance(literal, metric.Aggregate):
            return replace(literal, atom=self._atom(literal.atom))
        return replace(literal, atom=self._atom(literal.atom))

    def _atom(self, atom: MetricAtom) -> MetricAtom:
        match atom:
            case metric.Atom() | metric.Truth():
                return atom
            case metric.Unary():
                return replace(atom, range=self._range(atom.range), operand=self._atom(atom.operand))
            case metric.Binary():
                left, right = self._atom(atom.left), self._atom(atom.right)
                return replace(atom, range=self._range(atom.range), left=left, right=right)

    def _number(self, term: Compound) -> Const:
        number = length_of(term) / self.size
        return Const(number.numerator if number.denominator == 1 else float(number), term.span)

    def _range(self, during: metric.Range) -> metric.Range:
        if during.durations == (None, None):
            return during
        low, high = (
            number if duration is None else self._bound(duration)
            for number, duration in zip((during.low, during.high), during.durations, strict=True)
        )
        found = replace(during, low=low, high=high)
        if low is None or high is None or low < high or (low == high and not (found.low_open or found.high_open)):
            return found
        message = f"the interval {during.span.text} is empty"
        self.findings.append(
            Diagnostic("HF602", Severity.ERROR, message, during.span, "the smaller number comes first")
        )
        return replace(found, low=high, high=low, low_open=False, high_open=False)

    def _bound(self, duration: Compound) -> Fraction:
        return length_of(duration) / self.size
