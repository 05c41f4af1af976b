"""Replaces durations by whole numbers of time-points (HF116, HF117), as the first pass over a program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, is_dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any, TypeVar

from holdsfor.diagnostics import Diagnostic, Fix, Severity, Span
from holdsfor.ir import METRIC, Algebra, BackgroundRule, Distance, Program, Rule, head_terms, literal_terms, walk
from holdsfor.ir.scale import TIME_UNIT, is_time_goal
from holdsfor.syntax.durations import duration_text, durations_in, length_of, with_durations
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var
from holdsfor.times import UNITS

_V = TypeVar("_V")
NO_UNIT = "HF116"
_FINER = ("s", "ms", "us", "ns")
"""Units to propose, most common first."""


def in_time_points(program: Program) -> tuple[Program, list[Diagnostic]]:
    """The program with numbers for durations, and the findings.

    A missing time unit is an error. Durations are replaced all the same, so that no further findings follow.
    """
    used = [(rule, found) for rule in program.rules if (found := _durations(rule))]
    if not used:
        return program, []
    listed = [one for _, found in used for one in found]
    scale = program.time_scale
    resolving = Resolving(proposed_unit(listed) if scale is None else scale.unit)
    changed = {id(rule): resolving.changed(rule) for rule, _ in used}
    findings = resolving.findings
    if scale is None:
        findings = list(without_unit(program.time_goals, listed[0], duration_text(listed[0]), listed))
    return replace(program, rules=tuple(changed.get(id(rule), rule) for rule in program.rules)), findings


def _durations(rule: Rule) -> list[Compound]:
    if isinstance(rule, BackgroundRule) and not rule.body:
        return durations_in(rule.head)
    terms = [*head_terms(rule), *(term for literal in walk(rule.body) for term in literal_terms(literal))]
    return [one for term in terms for one in durations_in(term)]


def proposed_unit(durations: Iterable[Compound]) -> str:
    """The unit to propose for some durations: seconds, or a unit fine enough for all of them."""
    lengths = [length_of(one) for one in durations]
    return next((unit for unit in _FINER if not any(length % UNITS[unit] for length in lengths)), "ns")


def without_unit(
    time_goals: Iterable[Term], place: Term, shown: str, durations: Iterable[Compound] = ()
) -> Iterator[Diagnostic]:
    """The finding that something needs a time unit and none is declared correctly."""
    if any(is_time_goal(goal) and TIME_UNIT in goal.span.text for goal in time_goals):
        return
    line = f":- time_unit({proposed_unit(durations)})."
    message = f"{shown} needs a time unit, and the program declares none"
    hint = f"add the line {line} with the unit of your data: one of {', '.join(UNITS)}"
    source = place.span.source
    fix = Fix(Span(source, 0, 0), f"{line}\n") if source.text and not source.name.endswith(".py") else None
    yield Diagnostic(NO_UNIT, Severity.ERROR, message, place.span, hint, fix=fix)


def one_of_units(findings: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Keeps at most one finding about a missing unit, because the others would be identical."""
    lacking = [finding for finding in findings if finding.code == NO_UNIT]
    return [finding for finding in findings if finding.code != NO_UNIT or finding is lacking[0]]


@dataclass
class Resolving:
    """Replaces durations by numbers."""

    unit: str
    findings: list[Diagnostic] = field(default_factory=list)

    def changed(self, value: _V) -> _V:
        """A rule, a literal, a term, or a tuple of them, with durations replaced."""
        return self._changed(value)  # type: ignore[no-any-return]

    def _changed(self, value: Any) -> Any:
        match value:
            case Var() | Const() | Compound() | ListTerm():
                return with_durations(value, self._points)
            case Span():
                return value
            case tuple():
                return tuple(self._changed(item) for item in value)
            case Algebra(operator=operator, bound=ListTerm() as bound) if operator in METRIC:
                return replace(value, bound=None, distance=self._distance(self._changed(bound), bound))
            case _ if is_dataclass(value) and not isinstance(value, type):
                return replace(value, **{item.name: self._changed(getattr(value, item.name)) for item in fields(value)})
            case _:
                return value

    def _points(self, term: Compound) -> Const:
        points = Fraction(length_of(term)) / UNITS[self.unit]
        if points.denominator != 1:
            message = f"{duration_text(term)} is not a whole number of time-points: one is 1 {self.unit}"
            hint = f"round it, or declare a finer unit: :- time_unit({proposed_unit([term])})."
            self.findings.append(Diagnostic("HF117", Severity.ERROR, message, term.span, hint))
        # Rounded up: a delay stays positive, so that no further findings follow.
        return Const(ceil(points), term.span)

    def _distance(self, numbers: ListTerm, written: ListTerm) -> Distance:
        low, high = (item.value if isinstance(item, Const) else None for item in numbers.items)
        assert isinstance(low, int)
        if not isinstance(high, int):
            return Distance(low, None, written)
        if high < low:
            message = f"the range {written.span.text} is empty"
            self.findings.append(
                Diagnostic("HF682", Severity.ERROR, message, written.span, "the nearer one comes first")
            )
            return Distance(high, low)
        return Distance(low, high, written)
