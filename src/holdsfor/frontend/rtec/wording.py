"""Messages and hints about terms that do not fit their position."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import NamedTuple

from holdsfor.diagnostics import Fix
from holdsfor.syntax.operators import INFIX, PREFIX
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term, Var, functor

_SECOND = {
    **dict.fromkeys(("happensAt", "holdsAt", "initiatedAt", "terminatedAt"), ("the time", "T")),
    "holdsFor": ("the interval list", "I"),
}
_FOR_EQUALS = frozenset({"==", ":", "=:=", "is", "->", "=.."})
_INVERSE = {
    "after": "before",
    "met_by": "meets",
    "started_by": "starts",
    "finished_by": "finishes",
    "contains": "during",
    "includes": "during",
    "overlapped_by": "overlaps",
}


class Wording(NamedTuple):
    """The problem, the advice, and the correction of the text if it is unique."""

    message: str
    hint: str
    fix: Fix | None = None


def about_arity(term: Compound, expected: int, usage: str) -> Wording:
    """A predicate with the wrong number of arguments."""
    plural = "argument" if expected == 1 else "arguments"
    if term.name in _SECOND and len(term.args) == 1:
        what, variable = _SECOND[term.name]
        usage = f"{term.name}({print_term(term.args[0])}, {variable}): {what} is missing"
        match term.args[0]:
            case Compound(name="start" | "end" as edge, args=(pair, time)):
                usage = f"{term.name}({edge}({print_term(pair)}), {print_term(time)})"
    return Wording(f"{term.name} takes {expected} {plural}, not {len(term.args)}", f"write {usage}")


def about_pair(term: Term) -> Wording:
    """Something that should be `F=V`."""
    if isinstance(term, Compound) and term.name in _FOR_EQUALS and len(term.args) == 2:
        left, right = (print_term(arg) for arg in term.args)
        message = f"a fluent and its value are joined by =, not {term.name}"
        return Wording(message, f"write {left}={right}", Fix(term.span, f"{left}={right}"))
    if functor(term) is None:
        return Wording(f"expected a fluent with its value, found {print_term(term)}", "write name(Args)=Value")
    return Wording("expected a fluent with its value", f"write {print_term(term)}=true, or the value you mean")


def about_name(term: Term, what: str) -> Wording | None:
    """An event or a fluent that is not a name with arguments; None if it is valid."""
    name = functor(term)
    if name is not None and (name[0] not in INFIX or name[1] != 2):
        return None
    message = f"{what} must be a name, not {print_term(term)}"
    usage = "write happensAt(name(Args), T)" if what == "an event" else "write it as name(Args)=Value"
    if name is None or not isinstance(term, Compound):
        return Wording(message, usage)
    if what == "an event" and term.name == "=":
        pair = print_term(term)
        return Wording(
            f"{print_term(term.args[0])} cannot have a value here: events have none",
            f"write start({pair}) or end({pair}) for its edges, or holdsAt({pair}, …)",
        )
    names = [functor(arg) for arg in term.args]
    if term.name == "-" and all(names):
        joined = "_".join(found[0] for found in names if found)
        is_plain = all(isinstance(arg, Const) for arg in term.args[:-1]) and joined.isidentifier()
        changed = "_".join(print_term(arg) for arg in term.args)
        return Wording(message, f"names have no dashes: write {joined}", Fix(term.span, changed) if is_plain else None)
    return Wording(message, usage)


def about_order(goal: Compound, what: str) -> Wording | None:
    """`happensAt(T, e)`: the time-point written first."""
    first, second = goal.args[:2]
    if isinstance(first, Var) and isinstance(second, Compound):
        swapped = f"{goal.name}({print_term(second)}, {print_term(first)})"
        return Wording(f"{what} comes first in {goal.name}", f"write {swapped}", Fix(goal.span, swapped))
    return None


def about_choice(term: Term, what: str, known: Iterable[str], shown: Iterable[str]) -> Wording:
    """A term in place of one of some names."""
    message = f"{print_term(term)} is not {what}"
    written = str(term.value) if isinstance(term, Const) else term.name if isinstance(term, Var) else ""
    if written in _INVERSE:
        return Wording(message, f"swap the two interval lists and write {_INVERSE[written]}")
    close = get_close_matches(written.lower(), list(known), 1, 0.7)
    if not close:
        return Wording(message, f"one of {', '.join(shown)}")
    return Wording(message, f"did you mean {close[0]}?", Fix(term.span, close[0]))


def about_head(name: str, *, is_fact: bool) -> str:
    """The advice about a head that no rule can define."""
    if name == ",":
        return "write one rule for each head"
    if name in INFIX or name in PREFIX:
        return "a rule is written Head :- Conditions."
    if is_fact:
        return "if it is a condition of the rule before it, end that line with a comma, not a full stop"
    if name == "holdsAt":
        return "define the fluent with initiatedAt and terminatedAt, or with holdsFor"
    return "a head is a predicate of your own, or one of initiatedAt, terminatedAt, holdsFor, happensAt"
