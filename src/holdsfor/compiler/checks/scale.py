"""Checks the time unit and zone of a program (HF114, HF115): `:- time_unit(s).`, `:- time_zone('Europe/Athens').`"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.similar import suggest
from holdsfor.diagnostics import Diagnostic, Fix, RelatedSpan, Severity, Span
from holdsfor.ir import Call, walk
from holdsfor.ir.scale import TIME_UNIT, TIME_ZONE, declared_unit, declared_zone, is_time_goal
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term, functor
from holdsfor.times import UNCLEAR_UNITS, UNIT_WORDS, UNITS

_UNITS = f"write one of {', '.join(UNITS)}"
_ZONES = "write a name of the IANA time zone database, such as 'Europe/Athens' or 'UTC'"
_USAGE = {TIME_UNIT: ":- time_unit(s).", TIME_ZONE: ":- time_zone('Europe/Athens')."}


def check_scale(analysis: Analysis) -> Iterator[Diagnostic]:
    """Checks the directives of a program, and facts that resemble them."""
    yield from scale_findings(analysis.written.time_goals)
    looks_alike = [rule for rule in analysis.written.background if not rule.body and is_time_goal(rule.head)]
    if not looks_alike:
        return
    literals = (literal for rule in analysis.written.rules for literal in walk(rule.body))
    called = {functor(literal.atom) for literal in literals if isinstance(literal, Call)}
    for rule in looks_alike:
        if functor(rule.head) not in called:
            message = f"{print_term(rule.head)} is a fact that nothing reads; a directive begins with :-"
            fix = Fix(Span(rule.span.source, rule.span.start, rule.span.start), ":- ")
            hint = f"write :- {print_term(rule.head)}."
            yield Diagnostic("HF114", Severity.WARNING, message, rule.span, hint, fix=fix)


def scale_findings(goals: Iterable[Term]) -> Iterator[Diagnostic]:
    """Problems in directives about time: their arguments, two that differ, a zone without a unit."""
    listed = list(goals)
    found: dict[str, tuple[str, Term]] = {}
    for goal in listed:
        name = _name(goal)
        value = (declared_unit if name == TIME_UNIT else declared_zone)(goal)
        if value is None:
            yield _wrong_argument(name, goal)
            continue
        first, place = found.setdefault(name, (value, goal))
        if first != value:
            message = f"{name} is {value} here and {first} elsewhere; a program has one"
            label = RelatedSpan(place.span, "declared here first")
            yield Diagnostic("HF115", Severity.ERROR, message, goal.span, "remove one of them", (label,))
    if TIME_ZONE in found and not any(_name(goal) == TIME_UNIT for goal in listed):
        message = "a time zone has no effect without a time unit"
        hint = "declare what one time-point is as well, for example :- time_unit(s)."
        yield Diagnostic("HF114", Severity.ERROR, message, found[TIME_ZONE][1].span, hint)


def _name(goal: Term) -> str:
    return goal.name if isinstance(goal, Compound) else str(getattr(goal, "value", ""))


def _wrong_argument(name: str, goal: Term) -> Diagnostic:
    if not isinstance(goal, Compound) or len(goal.args) != 1:
        return _error(f"{name} takes one argument", goal.span, f"write {_USAGE[name]}")
    [argument] = goal.args
    is_text = isinstance(argument, Const) and isinstance(argument.value, str)
    written = argument.value if isinstance(argument, Const) else argument.span.text or print_term(argument)
    shown = print_term(argument)
    if name == TIME_UNIT:
        lower = str(written).lower()
        close = lower if lower in UNIT_WORDS else suggest(lower, UNIT_WORDS)
        hint = UNCLEAR_UNITS.get(str(written)) or (f"did you mean {close}?" if close else _UNITS)
        fix = Fix(argument.span, close) if close and written not in UNCLEAR_UNITS else None
        return _error(f"{shown} is not a time unit", argument.span, hint, fix)
    # Imported here because most programs have no zone.
    from zoneinfo import available_timezones

    zones = available_timezones()
    if not is_text and written in zones:
        hint = f"write the name in quotes: '{written}'"
        return _error("the name of a time zone must be quoted", argument.span, hint, Fix(argument.span, f"'{written}'"))
    close = suggest(str(written), zones)
    hint = f"did you mean '{close}'?" if close else _ZONES
    return _error(
        f"{shown} is not a time zone", argument.span, hint, Fix(argument.span, f"'{close}'") if close else None
    )


def _error(message: str, span: Span, hint: str, fix: Fix | None = None) -> Diagnostic:
    return Diagnostic("HF114", Severity.ERROR, message, span, hint, fix=fix)
