"""Finds the nearest rule instances: how many conditions of a rule are met, and which one fails."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from holdsfor.columns.kernels import Ints
from holdsfor.core.trace import RuleTrace
from holdsfor.explain.evidence import Evidence
from holdsfor.explain.nodes import Effected, Happening
from holdsfor.ir import Boundary, Edge, Effect, EffectRule, EventRule, Happens, Literal, Or, literal_variables
from holdsfor.ir.literals import Body, Fvp
from holdsfor.logic.unify import Bindings, resolve
from holdsfor.syntax.terms import Const, Term

_MOST_TIMES = 400
"""The number of time-points at which a rule is tried, latest first."""
_MOST_FOUND = 3
"""The number of instances of a rule."""


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
            table = evidence.events(symbol)
            yield table.start[table.matching([resolve(one, head) for one in symbol.columns(event)])]
        case Boundary(edge=edge, fvp=fvp, time=time) if time == now:
            table = evidence.fluents(evidence.entities.fluent(fvp))
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
