"""Words calendar conditions in explanations: the time, the field, and the condition on the field."""

from __future__ import annotations

from holdsfor.logic.arithmetic import ARITHMETIC_COMPARISONS, NoValue, evaluate
from holdsfor.logic.calendar import CALENDAR, field_of, scale_of
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var, functor
from holdsfor.times import TimeScale

_DATE = ("year", "month", "day")


def calendar_text(goal: Term) -> str:
    """A condition as text, with each calendar field as a separate condition.

    >>> from holdsfor.logic.calendar import calendar_term
    >>> calendar_text(Compound("<", (calendar_term("hour", Const(1_772_568_000), "s", "Europe/Athens"), Const(17))))
    'hour(2026-03-03T22:00:00+02:00,22), 22 < 17'
    """
    if not isinstance(goal, Compound) or len(goal.args) != 2:
        return print_term(_shown(goal))
    left, right = goal.args
    if goal.name == "is" and _is_calendar(right):
        return print_term(_condition(right, left))
    value = _value(left) if goal.name in ARITHMETIC_COMPARISONS and _is_calendar(left) else None
    if value is None:
        return print_term(_shown(goal))
    said = print_term(_condition(left, value))
    # For `month =:= 3`, the condition that the month is 3 says everything.
    return (
        said
        if goal.name == "=:=" and value == right
        else f"{said}, {print_term(Compound(goal.name, (value, _shown(right))))}"
    )


def _is_calendar(term: Term) -> bool:
    return functor(term) in CALENDAR


def _value(term: Term) -> Const | None:
    try:
        return Const(evaluate(term, {}))
    except NoValue:
        return None


def _condition(term: Term, result: Term) -> Term:
    """`hour(2026-03-03T22:00:00+02:00, 22)`; a date field is shown as `date` with the other fields open."""
    assert isinstance(term, Compound)
    field, moment = field_of(term), _moment(term)
    if field in _DATE:
        return Compound("date", (moment, *(result if one == field else Var("_") for one in _DATE)))
    return Compound(field, (moment, result))


def _moment(term: Compound) -> Term:
    """The time argument of a function, as text."""
    time = _value(term.args[0])
    if time is None or not isinstance(time.value, int):
        return _shown(term.args[0])
    # A variable, because it is printed as its name.
    return Var(TimeScale(*scale_of(term)).text(time.value))


def _shown(term: Term) -> Term:
    """A term with calendar functions of a time only."""
    match term:
        case Compound() if _is_calendar(term):
            return Compound(field_of(term), (_moment(term),))
        case Compound(name=name, args=args):
            return Compound(name, tuple(map(_shown, args)), term.span)
        case ListTerm(items=items, tail=tail):
            return ListTerm(tuple(map(_shown, items)), None if tail is None else _shown(tail), term.span)
        case _:
            return term
