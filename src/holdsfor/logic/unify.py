"""Substitutions: unification and resolution of terms."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import repeat
from typing import TypeAlias

from holdsfor.syntax.terms import Compound, Const, ListTerm, Term, Var, variables

Bindings: TypeAlias = dict[str, Term]


def deref(term: Term, bindings: Mapping[str, Term]) -> Term:
    """Follows bindings of variables to their term."""
    while isinstance(term, Var) and term.name in bindings:
        term = bindings[term.name]
    return term


def resolve(term: Term, bindings: Mapping[str, Term]) -> Term:
    """A term with every bound variable replaced.

    >>> resolve(Compound("f", (Var("X"),)), {"X": Const(1)})
    Compound(name='f', args=(Const(value=1),))
    """
    term = deref(term, bindings)
    if isinstance(term, Compound):
        return Compound(term.name, tuple(resolve(arg, bindings) for arg in term.args))
    if isinstance(term, ListTerm):
        items = tuple(resolve(item, bindings) for item in term.items)
        tail = None if term.tail is None else resolve(term.tail, bindings)
        if isinstance(tail, ListTerm):
            return ListTerm(items + tail.items, tail.tail)
        return ListTerm(items, tail)
    return term


def substitute(term: Term, mapping: Mapping[str, Term]) -> Term:
    """A term with variables replaced simultaneously, so that replacements are not replaced again.

    >>> substitute(Compound("f", (Var("X"), Var("Y"))), {"X": Var("Y"), "Y": Var("X")})
    Compound(name='f', args=(Var(name='Y'), Var(name='X')))
    """
    if isinstance(term, Var):
        return mapping.get(term.name, term)
    if isinstance(term, Compound):
        return Compound(term.name, tuple(substitute(arg, mapping) for arg in term.args), term.span)
    if isinstance(term, ListTerm):
        tail = None if term.tail is None else substitute(term.tail, mapping)
        return ListTerm(tuple(substitute(item, mapping) for item in term.items), tail, term.span)
    return term


def apart(term: Term) -> Term:
    """A term with names of its own for its variables."""
    return resolve(term, {variable.name: Var(f"{variable.name}~") for variable in variables(term)})


def is_ground(term: Term) -> bool:
    """Whether a resolved term has no variables left."""
    if isinstance(term, Const):
        return True
    if isinstance(term, Compound):
        return all(is_ground(arg) for arg in term.args)
    if isinstance(term, ListTerm):
        return all(is_ground(item) for item in term.items) and (term.tail is None or is_ground(term.tail))
    return False


def unify(left: Term, right: Term, bindings: Bindings) -> Bindings | None:
    """The bindings extended to make both terms equal, or None. The input is not changed.

    >>> unify(Var("X"), Const(1), {})
    {'X': Const(value=1)}
    """
    if isinstance(left, Compound) and isinstance(right, Compound) and not _same_functor(left, right):
        # Most terms differ in their functors, and copying the bindings costs more than this test.
        return None
    extended = dict(bindings)
    return extended if _unify(left, right, extended) else None


def _same_functor(left: Compound, right: Compound) -> bool:
    return left.name == right.name and len(left.args) == len(right.args)


def may_equal(left: Term, right: Term) -> bool:
    """Whether two terms of different rules have a common instance; variables with the same name differ.

    >>> may_equal(Compound("pos", (Var("X"), Const(1))), Compound("pos", (Const(2), Var("X"))))
    True
    """
    if isinstance(left, Const) and isinstance(right, Const):
        return left == right
    apart: dict[str, Term] = {variable.name: Var(f"{variable.name}~") for variable in variables(left)}
    return unify(substitute(left, apart), right, {}) is not None


def _unify(left: Term, right: Term, bindings: Bindings) -> bool:
    if isinstance(left, Var):
        left = deref(left, bindings)
    if isinstance(right, Var):
        right = deref(right, bindings)
    if isinstance(left, Var):
        return _bind(left.name, right, bindings)
    if isinstance(right, Var):
        return _bind(right.name, left, bindings)
    if isinstance(left, Const) and isinstance(right, Const):
        return left == right
    if isinstance(left, Compound) and isinstance(right, Compound):
        return _same_functor(left, right) and all(map(_unify, left.args, right.args, repeat(bindings)))
    if isinstance(left, ListTerm) and isinstance(right, ListTerm):
        return _unify_lists(left, right, bindings)
    return False


def _bind(name: str, term: Term, bindings: Bindings) -> bool:
    """Binds a variable, unless the term contains it, because there are no infinite terms."""
    if isinstance(term, Var):
        if term.name != name:
            bindings[name] = term
        return True
    if not isinstance(term, Const) and _occurs(name, term, bindings):
        return False
    bindings[name] = term
    return True


def _occurs(name: str, term: Term, bindings: Bindings) -> bool:
    term = deref(term, bindings)
    match term:
        case Var():
            return term.name == name
        case Compound(args=args):
            return any(_occurs(name, arg, bindings) for arg in args)
        case ListTerm(items=items, tail=tail):
            return any(_occurs(name, item, bindings) for item in items) or (
                tail is not None and _occurs(name, tail, bindings)
            )
        case _:
            return False


def _unify_lists(left: ListTerm, right: ListTerm, bindings: Bindings) -> bool:
    shared = min(len(left.items), len(right.items))
    if not all(_unify(a, b, bindings) for a, b in zip(left.items[:shared], right.items[:shared], strict=True)):
        return False
    return _unify_rest(_rest(left, shared), _rest(right, shared), bindings)


def _rest(term: ListTerm, skipped: int) -> Term:
    if skipped == len(term.items) and term.tail is not None:
        return term.tail
    return ListTerm(term.items[skipped:], term.tail)


def _unify_rest(left: Term, right: Term, bindings: Bindings) -> bool:
    if isinstance(left, ListTerm) and isinstance(right, ListTerm) and not (left.items and right.items):
        # One side has no items left and no tail, so the sides match only if the other is empty too.
        return not left.items and not right.items and left.tail is None and right.tail is None
    return _unify(left, right, bindings)
