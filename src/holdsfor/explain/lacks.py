"""Finds what is missing where a condition fails: other occurrences, other intervals, other facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from holdsfor.explain.evidence import Evidence
from holdsfor.explain.near import Near
from holdsfor.explain.nodes import Kind, Node
from holdsfor.explain.wording import point_text
from holdsfor.ir import Call, Happens, Holds
from holdsfor.logic.unify import is_ground, resolve
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Const, Term, Var, arguments, functor

if TYPE_CHECKING:
    from holdsfor.explain.refutations import Refuter

_SHOWN = 3


def lack(refuter: Refuter, evidence: Evidence, near: Near, depth: int) -> tuple[Node, ...]:
    """The reason why a condition of a rule instance fails."""
    literal, bindings = near.body[near.place], near.bindings
    match literal:
        case Happens(event=event, time=time):
            moment = resolve(time, bindings)
            at = moment.value if isinstance(moment, Const) and isinstance(moment.value, int) else None
            return (occurrences(evidence, resolve(event, bindings), at),)
        case Holds(fvp=fvp, time=time):
            pair = resolve(fvp.fluent, bindings), resolve(fvp.value, bindings)
            moment = resolve(time, bindings)
            if is_ground(pair[0]) and is_ground(pair[1]) and isinstance(moment, Const):
                return (refuter.absent(pair, int(moment.value), depth),)
            return ()
        case Call(atom=atom):
            return _facts(evidence, resolve(atom, bindings))
        case _:
            return ()


def occurrences(evidence: Evidence, event: Term, time: int | None) -> Node:
    """The occurrences of an event that does not happen at the required time."""
    symbol = evidence.entities.event(event)
    table = evidence.events(symbol)
    rows = table.matching([resolve(column, {}) for column in symbol.columns(event)])
    if not len(rows):
        is_missing = evidence.is_input(symbol) and symbol not in evidence.given
        text = f"there is no {symbol} in the input at all" if is_missing else f"{print_term(event)} never happens"
        return Node(Kind.NOTE, text, holds=False)
    times = np.unique(table.start[rows])
    near = times if time is None else times[np.argsort(np.abs(times - time), kind="stable")]
    shown = sorted(near[-_SHOWN:] if time is None else near[:_SHOWN])
    more = f" and {len(times) - len(shown)} times more" if len(times) > len(shown) else ""
    return Node(Kind.NOTE, f"{print_term(event)} happens at {', '.join(map(point_text, shown))}{more}", holds=False)


def _facts(evidence: Evidence, atom: Term) -> tuple[Node, ...]:
    """The background facts most similar to a missing one."""
    name = functor(atom)
    rules = evidence.background.get(name, ()) if name is not None else ()
    args = arguments(atom)
    if not rules or not args:
        return ()
    first = args[0]
    alike = [
        rule for rule in rules if not rule.body and arguments(rule.head)[0] == first and not isinstance(first, Var)
    ]
    if not alike:
        return (Node(Kind.NOTE, f"no fact of {name[0] if name else ''} is about {print_term(first)}", holds=False),)
    shown = ", ".join(print_term(rule.head) for rule in alike[:_SHOWN])
    return (Node(Kind.NOTE, f"the background says {shown}", holds=False),)
