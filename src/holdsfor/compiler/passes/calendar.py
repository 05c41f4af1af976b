"""Replaces conditions about calendar and clock by arithmetic with the time unit and the zone.

`hour(T, H)` becomes `H is #hour(T, s, 'Europe/Athens')`. A predicate that the program defines itself is not replaced.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from holdsfor.compiler.analysis.names import defined_predicates
from holdsfor.compiler.passes.durations import without_unit
from holdsfor.diagnostics import Diagnostic, Fix, Severity
from holdsfor.ir import Assign, Body, Call, Compare, Literal, Program, walk, with_bodies
from holdsfor.ir.calendar import BUSINESS, CONDITIONS, DAYS, RANGES
from holdsfor.logic.calendar import calendar_term
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term, Var, functor
from holdsfor.times import UNITS, TimeScale

_OPENS, _CLOSES, _LAST_WORKDAY = 9, 17, 5


def with_calendar(program: Program) -> tuple[Program, list[Diagnostic]]:
    """The program with arithmetic in place of calendar conditions, and the findings."""
    calls = [
        (rule, literal)
        for rule in program.rules
        for literal in walk(rule.body)
        if isinstance(literal, Call) and functor(literal.atom) in CONDITIONS
    ]
    if not calls:
        return program, []
    own = defined_predicates(program)
    meant = [(rule, literal) for rule, literal in calls if functor(literal.atom) not in own]
    if not meant:
        return program, []
    scale = program.time_scale
    lowering = _Lowering(scale or TimeScale("s"), own)
    changed = {id(rule): replace(rule, body=lowering.body(rule.body)) for rule, _ in meant}
    findings = lowering.findings
    if scale is None:
        first = meant[0][1].atom
        findings = list(without_unit(program.time_goals, first, print_term(first)))
    return replace(program, rules=tuple(changed.get(id(rule), rule) for rule in program.rules)), findings


@dataclass
class _Lowering:
    """Replaces calendar conditions and collects findings."""

    scale: TimeScale
    own: set[tuple[str, int]]
    findings: list[Diagnostic] = field(default_factory=list)

    def body(self, body: Body) -> Body:
        return tuple(one for literal in body for one in self._literal(literal))

    def _literal(self, literal: Literal) -> Iterator[Literal]:
        match literal:
            case Call(atom=Compound() as atom) if functor(atom) in CONDITIONS and functor(atom) not in self.own:
                yield from self._condition(atom, literal)
            case _:
                yield with_bodies(literal, self.body)

    def _condition(self, atom: Compound, literal: Call) -> Iterator[Literal]:
        time, *results = atom.args
        if atom.name == BUSINESS:
            yield from self._business(time, results, literal)
            return
        conditions = list(zip(CONDITIONS[atom.name, len(atom.args)], results, strict=True))
        named = [(one, result) for one, result in conditions if not (isinstance(result, Var) and result.is_anonymous)]
        for one, result in named or conditions[:1]:
            self._require_possible(atom.name, one, result)
            value = self._value(one, time)
            if isinstance(result, Var):
                yield Assign(result, value, literal.span)
            else:
                yield Compare("=:=", value, result, literal.span)

    def _business(self, time: Term, hours: list[Term], literal: Call) -> Iterator[Literal]:
        """Monday to Friday between two hours, which are durations since midnight."""
        yield Compare("=<", self._value("weekday", time), Const(_LAST_WORKDAY), literal.span)
        opens, closes = hours or (Const(_OPENS), Const(_CLOSES))
        clock = self._value("time_of_day" if hours else "hour", time)
        self._require_hours(hours)
        yield Compare(">=", clock, opens, literal.span)
        yield Compare("<", clock, closes, literal.span)

    def _value(self, field_name: str, time: Term) -> Compound:
        return calendar_term(field_name, time, self.scale.unit, self.scale.zone)

    # Findings

    def _require_possible(self, name: str, field_name: str, result: Term) -> None:
        """Checks that a constant is possible in the calendar."""
        if not isinstance(result, Const):
            return
        low, high, what = RANGES[field_name]
        if high is None:
            high = 25 * UNITS["h"] // UNITS[self.scale.unit]
        value = result.value
        if isinstance(value, int | float) and low <= value <= high:
            return
        shown = print_term(result)
        number = DAYS.get(str(value).lower()[:3]) if field_name == "weekday" else None
        fix = None if number is None or not result.span.source.text else Fix(result.span, str(number))
        hint = f"write {number} for {shown}: {what}" if number is not None else what
        message = f"{name} never gives {shown}"
        self.findings.append(Diagnostic("HF118", Severity.ERROR, message, result.span, hint, fix=fix))

    def _require_hours(self, hours: list[Term]) -> None:
        values = [hour.value for hour in hours if isinstance(hour, Const)]
        if len(values) < 2:
            return
        opens, closes = values
        span = hours[0].span
        hour = UNITS["h"] // UNITS[self.scale.unit]
        if isinstance(opens, str) or isinstance(closes, str):
            message, hint = "business hours are lengths of time since midnight", "write them so: 8 h, 18 h"
        elif hour > closes and closes <= 24 and opens < closes:
            message = f"{closes} is a number of time-points, and one is 1 {self.scale.unit}"
            hint = f"write {opens} h, {closes} h for hours of the day"
        elif opens >= closes:
            message, hint = "no time of day lies between these hours", "the hour of opening comes first"
        else:
            return
        self.findings.append(Diagnostic("HF118", Severity.ERROR, message, span, hint))
