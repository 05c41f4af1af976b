"""Background predicates as tables: all that is known of one, rules included, as columns."""

from __future__ import annotations

from holdsfor.engine.dictionary import Value, value_of
from holdsfor.logic.solver import Predicate, Solver
from holdsfor.syntax.terms import Compound, Const, Term, Var, arguments


def fact_columns(solver: Solver, name: Predicate) -> tuple[list[list[Value]], int]:
    """The columns of a predicate that can be enumerated, and the number of its rows."""
    args = tuple(Var(f"X{place}") for place in range(name[1]))
    pattern: Term = Compound(name[0], args) if args else Const(name[0])
    rows = [[value_of(arg) for arg in arguments(answer)] for answer in solver.answers(name, pattern)]
    return [[row[place] for row in rows] for place in range(name[1])], len(rows)
