"""Finds what is there in place of something missing: other occurrences, other facts."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from holdsfor.explain.evidence import Evidence
from holdsfor.explain.wording import point_text
from holdsfor.logic.unify import resolve
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Term, Var, arguments, functor

_SHOWN = 3


def occurrences(evidence: Evidence, event: Term, time: int | None) -> str:
    """The occurrences of an event that does not happen at the required time."""
    symbol = evidence.entities.event(event)
    table = evidence.events(symbol)
    rows = table.matching([resolve(column, {}) for column in symbol.columns(event)])
    if not len(rows):
        is_missing = evidence.is_input(symbol) and symbol not in evidence.given
        return f"there is no {symbol} in the input at all" if is_missing else f"{print_term(event)} never happens"
    times = np.unique(table.start[rows])
    near = times[::-1] if time is None else times[np.argsort(np.abs(times - time), kind="stable")]
    more = f" and {len(times) - _SHOWN} times more" if len(times) > _SHOWN else ""
    return f"{print_term(event)} happens at {', '.join(map(point_text, sorted(near[:_SHOWN])))}{more}"


def facts_like(evidence: Evidence, atom: Term) -> Iterator[str]:
    """The background facts most similar to a missing one."""
    name, args = functor(atom), arguments(atom)
    rules = evidence.background.get(name, ()) if name is not None else ()
    if name is not None and rules and args:
        first = args[0]
        alike = [rule.head for rule in rules if not rule.body and arguments(rule.head)[0] == first]
        if alike and not isinstance(first, Var):
            yield f"the background says {', '.join(map(print_term, alike[:_SHOWN]))}"
        else:
            yield f"no fact of {name[0]} is about {print_term(first)}"
