"""Bodies as the engine runs them: what the facts of a program say in any case is put in before anything runs.

A condition on background facts that has a single answer, such as `threshold(speedMax, Max)`, is that answer: its
variables become constants wherever they occur, and what was a join turns into a comparison with a number. A variable
that occurs nowhere else gets a name that says so, and then no column is made for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice

from holdsfor.compiler.background import Background
from holdsfor.compiler.passes.rename import rename_body
from holdsfor.engine.patterns import ONCE
from holdsfor.ir import Body, Call, Compare, FindAll, Literal, literal_variables, walk
from holdsfor.logic.solver import Solver
from holdsfor.logic.unify import Bindings, is_ground, unify
from holdsfor.syntax.terms import Term, Var, functor, variables


class Folding:
    """Puts the facts of a program into bodies."""

    def __init__(self, background: Background) -> None:
        self._background = background
        self._solver: Solver | None = None
        self._is_listed: dict[tuple[str, int], bool] = {}

    def folded(self, body: Body, head: Sequence[Term]) -> Body:
        """An executable body with conditions that have a single answer put in; `head` are the terms outside of it."""
        outside = {variable.name for term in head for variable in variables(term)}
        rest, done, seen = body, list[Literal](), set[str]()
        while rest:
            literal, rest = rest[0], rest[1:]
            names = {variable.name for variable in literal_variables(literal)}
            answer = self._only_answer(literal) if not names & seen else None
            if answer is None:
                done.append(literal)
                seen |= names
                continue
            rest = rename_body(rest, answer)
            done.extend(Compare("=", Var(name), answer[name], literal.span) for name in answer if name in outside)
        return tuple(done)

    def _only_answer(self, literal: Literal) -> Bindings | None:
        """What the variables of a condition must be, if facts leave no choice."""
        name = functor(literal.atom) if isinstance(literal, Call) else None
        if not isinstance(literal, Call) or name is None or not self._has_only_facts(name):
            return None
        if self._solver is None:
            self._solver = self._background.solver()
        found = list(islice(self._solver.answers(name, literal.atom), 2))
        return unify(literal.atom, found[0], {}) if len(found) == 1 else None

    def _has_only_facts(self, name: tuple[str, int]) -> bool:
        if name not in self._is_listed:
            rules = self._background.rules.get(name, ())
            is_filled = name in self._background.domains
            is_listed = bool(rules) and not is_filled and all(not rule.body and is_ground(rule.head) for rule in rules)
            self._is_listed[name] = is_listed
        return self._is_listed[name]


def with_once(body: Body, head: Sequence[Term]) -> Body:
    """A body in which variables that occur once have a name that begins with `ONCE`."""
    used = Counter(variable.name for literal in body for variable in literal_variables(literal))
    used.update(variable.name for term in head for variable in variables(term))
    # What is counted there is each binding of all variables.
    counted = (literal for literal in walk(body) if isinstance(literal, FindAll))
    used.update(variable.name for literal in counted for variable in literal_variables(literal))
    single = [name for name, times in used.items() if times == 1]
    return rename_body(body, {name: Var(f"{ONCE}{name}") for name in single}) if single else body
