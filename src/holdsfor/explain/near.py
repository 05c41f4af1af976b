"""Finds what comes closest: rule instances with most conditions met, other occurrences, other facts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from holdsfor.columns.kernels import Ints
from holdsfor.core.trace import RuleTrace
from holdsfor.explain.evidence import Evidence
from holdsfor.explain.nodes import Effected, Happening
from holdsfor.explain.wording import point_text
from holdsfor.ir import Boundary, Edge, Effect, EffectRule, EventRule, Happens, Literal, Or, literal_variables
from holdsfor.ir.literals import Body, Fvp
from holdsfor.logic.unify import Bindings, resolve
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Const, Term, Var, arguments, functor

_MOST_TIMES = 400
"""The number of time-points at which a rule is tried, latest first."""
_MOST_FOUND = 3
"""The number of instances of a rule."""
_MOST_SHOWN = 3


@dataclass(frozen=True)
class Near:
    """A rule instance whose conditions are met up to a place; `body` is in execution order."""

    trace: RuleTrace
    bindings: Bindings
    place: int
    time: int | None

    @property
    def rule(self) -> EffectRule | EventRule:
        """The rule."""
        assert isinstance(self.trace.rule, EffectRule | EventRule)
        return self.trace.rule

    @property
    def body(self) -> Body:
        """Its conditions."""
        return self.trace.body


def nearest(evidence: Evidence, goal: Effected | Happening, first: int, last: int) -> list[Near]:
    """The rule instances that come closest to an effect or event within a time range, those closest first."""
    found = [near for trace, head in evidence.traced(goal) for near in _furthest(evidence, trace, head, (first, last))]
    return sorted(found, key=lambda near: (-near.place / len(near.body), -(near.time or first)))


def _furthest(evidence: Evidence, trace: RuleTrace, head: Bindings, span: tuple[int, int]) -> list[Near]:
    body, now = trace.body, _now(trace)
    timed = next((place for place, one in enumerate(body) if now in set(literal_variables(one))), len(body))
    times = [] if timed == len(body) else _times(evidence, body[timed], now, head, span)
    known = _time(now, head)
    for place in range(len(body), -1, -1):
        if place <= timed or times:
            tried = times if place > timed else [] if known is None else [known]
            found = trace.met(body[:place], head, tried, most=_MOST_FOUND)
            if found:
                return [Near(trace, one, place, _time(now, one)) for one in found if place < len(body)]
    return []


def _times(evidence: Evidence, literal: Literal, now: Term, head: Bindings, span: tuple[int, int]) -> list[int]:
    """The time-points at which a rule may pass its first condition on the present, latest first."""
    found = list(_candidates(evidence, literal, now, head))
    times = np.unique(np.concatenate(found)) if found else np.empty(0, np.int64)
    inside: list[int] = times[(times >= span[0]) & (times <= span[1])][-_MOST_TIMES:].tolist()
    return inside[::-1]


def _candidates(evidence: Evidence, literal: Literal, now: Term, head: Bindings) -> Iterator[Ints]:
    match literal:
        case Happens(event=event, time=time) if time == now:
            symbol = evidence.entities.event(event)
            table = evidence.table(symbol)
            yield table.start[table.matching([resolve(one, head) for one in symbol.columns(event)])]
        case Boundary(edge=edge, fvp=fvp, time=time) if time == now:
            table = evidence.table(evidence.entities.fluent(fvp))
            rows = table.matching(_pattern(evidence, fvp, head))
            yield (table.start if edge is Edge.START else table.end)[rows] - 1
        case Effect(kind=kind, fvp=fvp, time=time) if time == now:
            table = evidence.points(evidence.entities.fluent(fvp), kind)
            yield table.start[table.matching(_pattern(evidence, fvp, head))]
        case Or(branches=branches):
            for branch in branches:
                first = next((one for one in branch if now in set(literal_variables(one))), None)
                yield from evidence.moments() if first is None else _candidates(evidence, first, now, head)
        case _:
            yield from evidence.moments()


def _pattern(evidence: Evidence, fvp: Fvp, head: Bindings) -> list[Term]:
    columns = evidence.entities.fluent(fvp).columns(fvp.fluent)
    return [resolve(term, head) for term in (*columns, fvp.value)]


def _now(trace: RuleTrace) -> Term:
    assert isinstance(trace.rule, EffectRule | EventRule)
    return trace.rule.time


def _time(now: Term, bindings: Bindings) -> int | None:
    found = resolve(now, bindings)
    return found.value if isinstance(found, Const) and isinstance(found.value, int) else None


# What is there in place of something missing


def occurrences(evidence: Evidence, event: Term, time: int | None) -> str:
    """The occurrences of an event that does not happen at the required time."""
    symbol = evidence.entities.event(event)
    table = evidence.table(symbol)
    rows = table.matching([resolve(column, {}) for column in symbol.columns(event)])
    if not len(rows):
        is_missing = evidence.is_input(symbol) and symbol not in evidence.given
        return f"there is no {symbol} in the input at all" if is_missing else f"{print_term(event)} never happens"
    times = np.unique(table.start[rows])
    near = times[::-1] if time is None else times[np.argsort(np.abs(times - time), kind="stable")]
    more = f" and {len(times) - _MOST_SHOWN} times more" if len(times) > _MOST_SHOWN else ""
    return f"{print_term(event)} happens at {', '.join(map(point_text, sorted(near[:_MOST_SHOWN])))}{more}"


def facts_like(evidence: Evidence, atom: Term) -> Iterator[str]:
    """The background facts most similar to a missing one."""
    name, args = functor(atom), arguments(atom)
    rules = evidence.background.get(name, ()) if name is not None else ()
    if name is not None and rules and args:
        first = args[0]
        alike = [rule.head for rule in rules if not rule.body and arguments(rule.head)[0] == first]
        if alike and not isinstance(first, Var):
            yield f"the background says {', '.join(map(print_term, alike[:_MOST_SHOWN]))}"
        else:
            yield f"no fact of {name[0]} is about {print_term(first)}"
