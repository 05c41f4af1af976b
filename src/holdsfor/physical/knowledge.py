"""Writes conditions that are solved outside the core as text that does not depend on variable names."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

from holdsfor.compiler.background import Background
from holdsfor.frontend.rtec.unparse import literal_term, rule_clause
from holdsfor.ir import BackgroundRule, Call, Literal, walk
from holdsfor.logic.solver import Predicate
from holdsfor.logic.unify import substitute
from holdsfor.physical.model import GoalInfo
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term, Var, conjuncts, functor, variables


def goal_info(literal: Literal, background: Background) -> GoalInfo:
    """The description of a goal in the plan."""
    term = literal_term(literal)
    changes = any(background.depends_on_input(atom) for atom in _atoms(literal))
    return GoalInfo(print_term(term), plain_text(term), changes)


def plain_text(term: Term) -> str:
    """A term with its variables numbered in the order in which they occur.

    >>> plain_text(Compound("p", (Var("B"), Var("A"), Var("B"))))
    'p(_0,_1,_0)'
    """
    order = dict.fromkeys(variable.name for variable in variables(term))
    return print_term(substitute(term, {name: Var(f"_{number}") for number, name in enumerate(order)}))


def digest(literals: Iterable[Literal], background: Background) -> str:
    """A digest of the background rules that some conditions depend on; empty if there are none.

    The order of the rules of one predicate is part of the digest, because it is the order of the answers.
    """
    reached = sorted(_reached(literals, background))
    if not reached:
        return ""
    found = hashlib.sha256()
    for name in reached:
        for rule in background.rules[name]:
            found.update(_rule_text(rule).encode("utf-8", "surrogatepass") + b"\n")
    return found.hexdigest()


def _rule_text(rule: BackgroundRule) -> str:
    clause = rule_clause(rule)
    body = Const("true") if clause.body is None else clause.body
    assert clause.head is not None
    return plain_text(Compound(":-", (clause.head, body)))


def _reached(literals: Iterable[Literal], background: Background) -> set[Predicate]:
    found: set[Predicate] = set()
    waiting = list(literals)
    while waiting:
        for atom in _atoms(waiting.pop()):
            for goal in conjuncts(atom):
                name = functor(goal)
                if name is not None and name in background.rules and name not in found:
                    found.add(name)
                    waiting += [literal for rule in background.rules[name] for literal in rule.body]
    return found


def _atoms(literal: Literal) -> Iterator[Term]:
    return (one.atom for one in walk((literal,)) if isinstance(one, Call))
