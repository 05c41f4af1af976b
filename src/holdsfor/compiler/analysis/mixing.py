"""Relates metric rules to event rules: a predicate is a boolean fluent, or an event that it reads."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.ir.literals import Fvp, Happens, Holds
from holdsfor.ir.metric import Aggregate, Atom, Condition, MetricRule, atoms
from holdsfor.syntax.terms import ANONYMOUS_PREFIX, Compound, Const, Term, Var

Signature = tuple[str, int]

TRUE = Const("true")
_SOME_TIME = Var(f"{ANONYMOUS_PREFIX}time")


def read_atoms(rule: MetricRule) -> Iterator[Atom]:
    """The atoms that a rule reads, in reading order."""
    for literal in rule.body:
        if isinstance(literal, Condition | Aggregate):
            yield from atoms(literal.atom)


def as_term(atom: Atom) -> Term:
    """An atom as the term of a fluent or event."""
    return Compound(atom.predicate, atom.args, atom.span) if atom.args else Const(atom.predicate, atom.span)


def as_holds(atom: Atom) -> Holds:
    """An atom as a condition on a fluent."""
    return Holds(Fvp(as_term(atom), TRUE, atom.span), _SOME_TIME, atom.span)


def as_happens(atom: Atom) -> Happens:
    """An atom as a condition on an event."""
    return Happens(as_term(atom), _SOME_TIME, atom.span)
