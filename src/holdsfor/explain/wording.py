"""Words fluents, times, rules and conditions in explanations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction

from holdsfor.explain.calendar import calendar_text
from holdsfor.frontend.rtec.unparse import literal_term
from holdsfor.io.metric_scaled import moment_text as scaled_text
from holdsfor.ir import (
    Body,
    Declaration,
    EffectKind,
    EffectRule,
    EventRule,
    Instance,
    Literal,
    Rule,
    Temporal,
    rule_variables,
    walk,
)
from holdsfor.ir.metric import Aggregate, Comparison, MetricFact, MetricRule, Range, atom_variables
from holdsfor.ir.sliding import is_made
from holdsfor.logic.unify import resolve
from holdsfor.reference.intervals import Interval
from holdsfor.syntax.durations import as_written
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var, variables
from holdsfor.times import TimeScale, shown_length, shown_time

_MOST_SHOWN = 4
_SCALE: ContextVar[TimeScale | None] = ContextVar("scale", default=None)


@contextmanager
def times_in(scale: TimeScale | None) -> Iterator[None]:
    """Within this context, texts contain times in a scale; numbers if there is none."""
    token = _SCALE.set(scale)
    try:
        yield
    finally:
        _SCALE.reset(token)


def point_text(time: int) -> str:
    """A time-point."""
    return shown_time(time, _SCALE.get())


def length_text(length: int) -> str:
    """A number of time-points."""
    return shown_length(length, _SCALE.get())


def moment_text(time: Fraction) -> str:
    """A point of rational time."""
    return scaled_text(time, _SCALE.get())


def pair_text(pair: tuple[Term, Term]) -> str:
    """`open(front)=true`."""
    return print_term(Compound("=", pair))


def interval_text(interval: Interval) -> str:
    """`[3, 9)`; an open end is `inf`."""
    return f"[{_end(interval[0])}, {_end(interval[1])})"


def ends(interval: Interval) -> tuple[str, str]:
    """The two ends of an interval as text."""
    return _end(interval[0]), _end(interval[1])


def _end(time: float) -> str:
    return ("inf" if time > 0 else "-inf") if math.isinf(time) else point_text(int(time))


def intervals_text(intervals: Iterable[Interval], around: int | None = None) -> str:
    """Some intervals, restricted to those around a time-point if there are many."""
    listed = list(intervals)
    if not listed:
        return "never"
    if len(listed) > _MOST_SHOWN and around is not None:
        listed.sort(key=lambda one: min(abs(one[0] - around), abs(one[1] - around)))
        near = sorted(listed[:_MOST_SHOWN])
        return f"{', '.join(map(interval_text, near))} and {len(listed) - _MOST_SHOWN} more"
    return ", ".join(map(interval_text, listed))


def span_text(first: int, last: int) -> str:
    """`at 3`, or `from 3 to 9`."""
    return f"at {point_text(first)}" if first == last else f"from {point_text(first)} to {point_text(last)}"


def done(kind: EffectKind) -> str:
    """`initiated` or `terminated`."""
    return "initiated" if kind is EffectKind.INITIATED else "terminated"


def literal_text(literal: Literal, bindings: Mapping[str, Term]) -> str:
    """A condition with the values of its variables; interval lists keep their names."""
    if isinstance(literal, Instance):
        return f"there is something to end: {pair_text((literal.fvp.fluent, literal.fvp.value))}"
    times = time_names((literal,))
    plain = {
        name: shown_value(term, is_time=name in times) for name, term in bindings.items() if not _is_interval_list(term)
    }
    return calendar_text(resolve(as_written(literal_term(literal)), plain))


def time_names(body: Body) -> set[str]:
    """The variables for time-points in conditions."""
    found = (literal.time for literal in walk(body) if isinstance(literal, Temporal))
    return {time.name for time in found if isinstance(time, Var)}


def rule_times(rule: Rule | MetricRule | MetricFact) -> set[str]:
    """The variables for time-points in a rule."""
    if isinstance(rule, MetricRule | MetricFact | Declaration):
        return set()
    own = {rule.time.name} if isinstance(rule, EffectRule | EventRule) and isinstance(rule.time, Var) else set()
    return own | time_names(rule.body)


def shown_value(term: Term, *, is_time: bool) -> Term:
    """The value of a variable as text. A time-point becomes a term that is printed as a date, if the unit is known."""
    if is_time and _SCALE.get() is not None and isinstance(term, Const) and isinstance(term.value, int):
        return Var(point_text(term.value))
    return term


def _is_interval_list(term: Term) -> bool:
    return isinstance(term, ListTerm) and all(isinstance(item, Compound) and item.name == "," for item in term.items)


def rule_names(rule: Rule | MetricRule | MetricFact) -> Iterator[str]:
    """The variables in the source text of a rule, head first."""
    if isinstance(rule, MetricFact):
        return
    if not isinstance(rule, MetricRule):
        yield from (v.name for v in rule_variables(rule) if not v.is_anonymous and not is_made(v.name))
        return
    yield from (v.name for arg in rule.head.args for v in variables(arg))
    for literal in rule.body:
        if isinstance(literal, Comparison):
            yield from (v.name for term in (literal.left, literal.right) for v in variables(term))
        else:
            yield from (v.name for v in atom_variables(literal.atom) if not v.is_anonymous)
            if isinstance(literal, Aggregate):
                yield literal.result.name


def range_text(during: Range) -> str:
    """`(0, 2.5]`, or `[3]` for a point; an infinite end is `inf`."""
    if during.is_punctual and during.low is not None:
        return f"[{moment_text(during.low)}]"
    low, high = range_ends(during)
    left = "(" if during.low is None or during.low_open else "["
    right = ")" if during.high is None or during.high_open else "]"
    return f"{left}{low}, {high}{right}"


def range_ends(during: Range) -> tuple[str, str]:
    """The two ends of an interval of rational time as text."""
    low = "-inf" if during.low is None else moment_text(during.low)
    return low, "inf" if during.high is None else moment_text(during.high)


def ranges_text(ranges: Iterable[Range], around: Fraction | None = None) -> str:
    """Some intervals of rational time."""
    listed = list(ranges)
    if not listed:
        return "never"
    if len(listed) > _MOST_SHOWN:
        if around is not None:
            listed.sort(key=lambda one: min(abs(b - around) for b in (one.low, one.high) if b is not None))
        near = sorted(listed[:_MOST_SHOWN], key=lambda one: (one.low is not None, one.low or 0))
        return f"{', '.join(map(range_text, near))} and {len(listed) - _MOST_SHOWN} more"
    return ", ".join(map(range_text, listed))
