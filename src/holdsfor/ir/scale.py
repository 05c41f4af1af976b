"""Directives about time-points: `:- time_unit(s).` and `:- time_zone('Europe/Athens').`"""

from __future__ import annotations

from collections.abc import Iterable

from holdsfor.diagnostics import HoldsforError
from holdsfor.syntax.terms import Compound, Const, Term
from holdsfor.times import UNIT_WORDS, TimeScale, zone_named

TIME_UNIT, TIME_ZONE = "time_unit", "time_zone"


def is_time_goal(goal: Term) -> bool:
    """Whether a directive's goal is about time-points, valid or not.

    >>> is_time_goal(Compound("time_unit", (Const("s"),))), is_time_goal(Compound("dynamic", (Const("a"),)))
    (True, False)
    """
    name = goal.name if isinstance(goal, Compound) else goal.value if isinstance(goal, Const) else None
    return name in (TIME_UNIT, TIME_ZONE)


def declared_scale(goals: Iterable[Term]) -> TimeScale | None:
    """The first valid unit and zone; a check reports the others. None if no unit is declared.

    >>> declared_scale([Compound("time_unit", (Const("seconds"),))])
    TimeScale(unit='s', zone='UTC')
    """
    unit = zone = None
    for goal in goals:
        unit = unit or declared_unit(goal)
        zone = zone or declared_zone(goal)
    return None if unit is None else TimeScale(unit, zone or "UTC")


def declared_unit(goal: Term) -> str | None:
    """The unit that a goal declares, if it is one."""
    word = _argument(goal, TIME_UNIT)
    return None if word is None else UNIT_WORDS.get(word)


def declared_zone(goal: Term) -> str | None:
    """The zone that a goal declares, if it exists."""
    name = _argument(goal, TIME_ZONE)
    try:
        if name is not None:
            zone_named(name)
    except HoldsforError:
        return None
    return name


def _argument(goal: Term, name: str) -> str | None:
    if not isinstance(goal, Compound) or goal.name != name or len(goal.args) != 1:
        return None
    value = getattr(goal.args[0], "value", None)
    return value if isinstance(value, str) else None
