"""Rule text to terms, bodies and rules, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterable

from holdsfor.diagnostics import Source
from holdsfor.frontend.rtec import parse_program
from holdsfor.ir import BackgroundRule, Body, Program
from holdsfor.logic.solver import Predicate, Solver
from holdsfor.logic.unify import Bindings, resolve
from holdsfor.syntax.parser import parse
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Term, Var, functor


def term(text: str) -> Term:
    """A term from its text."""
    parsed = parse(Source("test", f"t(({text}))."))
    assert [item.render() for item in parsed.diagnostics] == []
    (clause,) = parsed.clauses
    assert isinstance(clause.head, Compound)
    return clause.head.args[0]


def program(text: str) -> Program:
    """A program from its text."""
    found = parse_program([Source("test", text)])
    assert [item.render() for item in found.diagnostics] == []
    return found


def body(text: str) -> Body:
    """The literals of a background rule's body."""
    (rule,) = program(f"t :- {text}.").background
    return rule.body


def solver(text: str) -> Solver:
    """A solver over the facts and rules of a text, as written."""
    rules: dict[Predicate, list[BackgroundRule]] = {}
    for rule in program(text).background:
        name = functor(rule.head)
        assert name is not None
        rules.setdefault(name, []).append(rule)
    return Solver(rules)


def shown(bindings: Bindings, *names: str) -> str:
    """What some variables stand for, as text."""
    return ", ".join(print_term(resolve(Var(name), bindings)) for name in names)


def answers(rules: Solver | str, goal: str, *names: str) -> list[str]:
    """The answers of a goal, each as the text of some variables."""
    found = rules if isinstance(rules, Solver) else solver(rules)
    return [shown(answer, *names) for answer in found.solve(body(goal), {})]


def facts(rules: Iterable[BackgroundRule]) -> list[str]:
    """The heads of some facts as text."""
    return [print_term(rule.head) for rule in rules]
